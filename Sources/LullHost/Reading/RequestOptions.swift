import CLullBridge
package import LullCore

/// The options of a call that sends one request: `{ headers =, timeout =, mutate = }`. A download
/// has the options `resume =` and `progress =` too.
struct RequestOptions {
  static let keys = ["headers", "timeout", "mutate"]
  static let downloadKeys = keys + ownDownloadKeys
  private static let ownDownloadKeys = ["resume", "progress"]

  init() {}

  private var headers: HeaderEdits?
  /// The timeout in seconds.
  private(set) var timeout: Double?
  /// The ID of the stored function that edits the request, after all other options have been
  /// applied.
  private(set) var mutation: Int64?

  /// Reads the argument at a position and returns the edit of a request that it describes. The
  /// argument is a table of options, or a function, which is used as the option `mutate`. Returns
  /// nil if the argument is nil.
  static func edit(_ call: Call, _ position: Int) throws(Misuse) -> AdHocMutation? {
    switch Int(call.raw(position).kind) {
    case Int(LULL_NIL): return nil
    case Int(LULL_FUNCTION):
      // The request stores the function, because the request may be repeated. Until the request
      // exists, the caller's stack holds the function.
      let id = try call.stored.keep(call.state, call.index(position))
      return AdHocMutation(by: RequestCallbacks([id]), call.callbacks.mutation { id })
    default:
      let options = try RequestOptions(call, table: call.index(position))
      return options.edit(call.callbacks, timeout: options.timeout)
    }
  }

  /// Reads the options of a download: the edit of its request, whether the download resumes a
  /// partial file, and the label of its progress bar.
  static func ofDownload(
    _ call: Call, _ position: Int
  ) throws(Misuse) -> (edit: AdHocMutation?, resumes: Bool, label: String?) {
    guard !call.isNil(position) else { return (nil, false, nil) }
    var resumes = false
    var label: String?
    let table = call.index(position)
    let options = try RequestOptions(call, table: table, besides: ownDownloadKeys) {
      name, value throws(Misuse) in
      guard name == "resume" else { return label = try ProgressBars.label(value) }
      guard let flag = value.bool else {
        throw .message("'resume' must be true or false, got \(value.described)")
      }
      resumes = flag
    }
    return (options.edit(call.callbacks, timeout: options.timeout), resumes, label)
  }

  /// Reads the options from a table. Fields with a name in `others` are passed to `other`.
  init(
    _ call: Call, table: Int32, besides others: [String] = [],
    ofServices: [String] = [],
    _ other: (_ name: String, lull_value) throws(Misuse) -> Void = { _, _ in }
  ) throws(Misuse) {
    var read = RequestOptions()
    let known = others + RequestOptions.keys
    try call.reading.options.forEach(
      of: table, in: call.state, known: known, ofServices: ofServices
    ) { name, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: call.state)
      guard !others.contains(name) else { return try other(name, value) }
      switch name {
      case "headers":
        guard value.kind == Int32(LULL_TABLE) else {
          throw .message("'headers' must be a table, got \(value.described)")
        }
        read.headers = try call.reading.headers.edits(
          table: index, in: call.state, allowsSecrets: true)
      case "timeout":
        guard let seconds = value.double, NumberRule.seconds.allows(seconds) else {
          throw .message(
            "'timeout' must be \(NumberRule.seconds.expectation), got \(value.described)")
        }
        read.timeout = seconds
      default:
        guard value.kind == Int32(LULL_FUNCTION) else {
          throw .message("'mutate' must be a function, got \(value.described)")
        }
        read.mutation = try call.stored.keep(call.state, index)
      }
    }
    self = read
  }

  /// Returns all options as one edit of the request. First the headers are set, then the function
  /// is called. The timeout is set last, because a body that is a file would otherwise remove the
  /// timeout.
  func edit(_ callbacks: Callbacks, timeout: Double?) -> AdHocMutation {
    let function = mutation.map { id in callbacks.mutation { id } }
    return AdHocMutation(by: mutation.map { RequestCallbacks([$0]) }) {
      [headers] (http: inout HTTPRequest) throws(RequestError) in
      headers?.apply(to: &http.headers)
      try function?(&http)
      if let timeout { http.limits.timeout = timeout }
    }
  }
}

/// Reads HTTP methods, in any letter case.
package enum MethodReader {
  /// Returns the HTTP method for a text. (DYN-01)
  package static func method(_ text: String) throws(Misuse) -> RequestMethod {
    guard let method = RequestMethod(rawValue: text) else {
      throw .message("'\(text)' is not an HTTP method")
    }
    return method
  }

  /// Reads the value of an option such as `methods = { "GET", … }`.
  static func methods(_ value: lull_value, _ index: Int32, in state: OpaquePointer?) throws(Misuse)
    -> Set<RequestMethod>
  {
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("'methods' must be a list of HTTP methods, got \(value.typeName)")
    }
    var methods: Set<RequestMethod> = []
    try LuaTable(index, in: state).forEachField { _, element throws(Misuse) in
      guard let text = element.string else {
        throw .message("'methods' must be a list of HTTP methods")
      }
      methods.insert(try method(text))
    }
    return methods
  }
}
