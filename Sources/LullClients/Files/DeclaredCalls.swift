import LullCore

/// The calls that an API file declares.
///
/// Each is read when it is used, and an error in it is reported to its caller. Home thread only.
final class DeclaredCalls {
  typealias Reading = Result<APICall, APIFileProblem>

  /// The names in file order.
  private(set) lazy var names = table?.order ?? []
  private lazy var listed = table?.listed() ?? [:]
  /// The calls that have been read.
  private var readings: [String: APICall]
  /// nil if the file declares no calls.
  private let table: CallTable?

  /// - Parameter readings: the calls that have already been read.
  init(_ table: CallTable?, _ readings: [String: APICall] = [:]) {
    self.table = table
    self.readings = readings
  }

  /// Returns the call with that name, or nil.
  func call(_ name: String) throws(APIFileProblem) -> APICall? {
    if let known = readings[name] { return known }
    guard table?.names.contains(name) == true else { return nil }
    return try read([name])[name]?.get()
  }

  /// All calls. Throws the first error.
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

  /// Returns the summary of a call for lists; nil if there is no call with that name.
  func listed(_ name: String) throws(APIFileProblem) -> ListedCall? {
    if let call = readings[name] { return ListedCall(call) }
    if let listed = listed[name] { return listed }
    return try call(name).map { ListedCall($0) }
  }

  /// Stores the calls that could be read. The others are read again at their next use, because the
  /// cause may be outside the file.
  private func read(_ names: Set<String>) -> [String: Reading] {
    guard !names.isEmpty, let table else { return [:] }
    let found = table.read(names)
    for case (let name, .success(let call)) in found { readings[name] = call }
    return found
  }
}

/// A use of a declared call, from which a script created a request or a resource.
package struct DeclaredUse {
  package let api: APIFile
  package let call: APICall
  /// The parameters that the script passed; others may have defaults.
  package let given: Set<String>
  package let values: [String: CallValue]
  /// The URL, with secrets masked.
  package let url: String
}
