import LullCore

/// The calls that an API file declares.
///
/// Each is read when it is used, and an error in it is reported to its user. Home thread only.
final class DeclaredCalls {
  typealias Reading = Result<APICall, APIFileProblem>

  /// In the order of the file.
  private(set) lazy var names = table?.order ?? []
  private lazy var listed = table?.listed() ?? [:]
  /// Those that have been read.
  private var readings: [String: APICall]
  /// nil if the file declares none.
  private let table: CallTable?

  /// - Parameter readings: those that have been read already.
  init(_ table: CallTable?, _ readings: [String: APICall] = [:]) {
    self.table = table
    self.readings = readings
  }

  /// nil if there is none of that name.
  func call(_ name: String) throws(APIFileProblem) -> APICall? {
    if let known = readings[name] { return known }
    guard table?.names.contains(name) == true else { return nil }
    return try read([name])[name]?.get()
  }

  /// All of them; throws what is wrong with the first that cannot be read.
  var all: [APICall] {
    get throws(APIFileProblem) {
      let found = read(Set(names.filter { readings[$0] == nil }))
      var calls: [APICall] = []
      calls.reserveCapacity(names.count)
      for name in names {
        if let call = readings[name] { calls.append(call) } else { _ = try found[name]?.get() }
      }
      return calls
    }
  }

  /// One as far as lists need to know it; nil if there is none of that name.
  func listed(_ name: String) throws(APIFileProblem) -> ListedCall? {
    if let call = readings[name] { return ListedCall(call) }
    if let listed = listed[name] { return listed }
    return try call(name).map { ListedCall($0) }
  }

  /// Notes those that could be read. The others are read again when they are used again: the reason may
  /// lie outside the file.
  private func read(_ names: Set<String>) -> [String: Reading] {
    guard !names.isEmpty, let table else { return [:] }
    let found = table.read(names)
    for case (let name, .success(let call)) in found { readings[name] = call }
    return found
  }
}

/// A declared call, as a script has made a request or a resource of it.
package struct DeclaredUse {
  package let api: APIFile
  package let call: APICall
  /// The parameters that the script has given; others may have their defaults.
  package let given: Set<String>
  package let values: [String: CallValue]
  /// What it is about, with masks in the place of secrets.
  package let url: String
}
