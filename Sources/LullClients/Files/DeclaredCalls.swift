package import LullCore

/// The calls that an API file declares.
///
/// A call is read when it is used. An error in the call is thrown to the code that requested the
/// call. Home thread only.
final class DeclaredCalls {
  typealias Reading = Result<APICall, APIFileProblem>

  /// The names of the calls in file order.
  private(set) lazy var names = table?.order ?? []
  private lazy var listed = table?.listed() ?? [:]
  /// The calls that have been read without errors.
  private var readings: [String: APICall]
  /// The table of calls. nil if the file declares no calls.
  private let table: CallTable?

  /// - Parameter readings: The calls that have already been read.
  init(_ table: CallTable?, _ readings: [String: APICall] = [:]) {
    self.table = table
    self.readings = readings
  }

  /// Returns the call with this name, or nil if there is none.
  func call(_ name: String) throws(APIFileProblem) -> APICall? {
    if let known = readings[name] { return known }
    guard table?.names.contains(name) == true else { return nil }
    return try read([name])[name]?.get()
  }

  /// All calls in file order. Throws the first error in them.
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

  /// Reads calls and stores the calls without errors. Calls with errors are read again at their
  /// next use, because the cause of the error may be outside the file.
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
  /// The names of the parameters that the script passed. Other parameters may have defaults.
  package let given: Set<String>
  package let values: [String: CallValue]
  /// The method that the request is sent by. A call with the method QUERY may be sent by POST.
  package let method: RequestMethod
  /// The URL of the request or resource, with secrets masked.
  package let url: String
  /// The identity of the query; nil if the request is not the load of a query.
  package let query: QueryIdentity?
}
