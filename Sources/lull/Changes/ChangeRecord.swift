import LullLibC
import LullArguments
import LullClients
import LullCore
import LullHost
import LullSystem
import LullTransport

/// The last response content of a request. It is stored in a file in `$XDG_STATE_HOME/lull/changed`
/// that only its owner can read. Processes replace the file as a whole, one at a time.
///
/// The file's name is a digest of the request, which may contain credentials. Nothing else of the
/// request is stored.
struct ChangeRecord {
  typealias Problem = TokenFile.Problem

  private static let version = 1
  /// The maximum size of the file, in bytes.
  private static let limit = 64 << 20

  private let digest: String
  private let file: TokenFile

  /// - Parameter question: The texts that together identify the content.
  init(_ question: [String]) throws(Problem) {
    let parts = question.map { "\($0.utf8.count):\($0)" }.joined()
    guard let digest = TrustRecord.digest(of: Array(parts.utf8)) else {
      throw Problem(message: "no digest can be computed: libcrypto is missing")
    }
    guard let path = TokenFile.standardPath(of: digest, in: "changed") else {
      throw Problem(message: "responses cannot be stored: set HOME or XDG_STATE_HOME")
    }
    self.digest = digest
    file = TokenFile(path, noun: "stored response", limit: ChangeRecord.limit)
  }

  /// The content that the last run stored. `nil` in the first run.
  func read() throws(Problem) -> ComparedContent? {
    guard let root = try file.read()?.root else { return nil }
    guard root["lull_changed"]?.int == ChangeRecord.version, root["question"]?.string == digest
    else { throw damaged }
    if let bytes = root["json"]?.string.map({ Array($0.utf8) }) {
      guard (try? JSONDocument(parsing: bytes)) != nil else { throw damaged }
      return .json(JSONText(valid: bytes), isExact: root["exact"]?.bool ?? false)
    }
    if let text = root["text"]?.string { return .text(text) }
    guard let count = root["bytes"]?.int, let known = root["sha256"]?.string else { throw damaged }
    return .bytes(count: count, digest: known)
  }

  private var damaged: Problem {
    Problem(
      message:
        "the stored response \(file.path) is of another version of Lull: delete it with --forget")
  }

  func write(_ content: ComparedContent) throws(Problem) {
    var members: [JSONValue.Member] = [
      .init("lull_changed", .int(ChangeRecord.version)), .init("question", .string(digest)),
    ]
    switch content {
    case .json(let json, let isExact):
      var bytes: [UInt8] = []
      json.write(to: &bytes)
      members.append(.init("exact", .bool(isExact)))
      members.append(.init("json", .string(String(decoding: bytes, as: UTF8.self))))
    case .text(let text): members.append(.init("text", .string(text)))
    case .bytes(let count, let digest):
      members += [.init("bytes", .int(count)), .init("sha256", .string(digest))]
    }
    let value = JSONValue.object(members)
    guard (try? value.encode().count).map({ $0 <= ChangeRecord.limit }) ?? true else {
      throw Problem(
        message:
          "the response is larger than \(ChangeRecord.limit >> 20) MB and is not stored: reduce "
          + "it with -f")
    }
    try file.write(value)
  }

  /// Runs `body` while the file is locked against other processes.
  func locked<Result>(_ body: () throws(Problem) -> Result) throws(Problem) -> Result {
    try file.locked(body)
  }

  /// Deletes the file. Returns whether there was one.
  func forget() throws(Problem) -> Bool {
    try file.locked { () throws(Problem) in
      var status = stat()
      let isThere = lstat(file.path, &status) == 0
      try file.remove()
      return isThere
    }
  }
}

extension ChangeRecord {
  /// Everything that identifies the content: the API, the request, the credentials and the
  /// processing.
  static func question(
    _ request: CallRequest, _ target: CallTarget.API, _ options: CallOptions,
    environment: String?
  ) -> [String] {
    var parts = ["1", request.resource.url.text]
    switch target {
    case .origin: parts.append("url")
    case .file(let name):
      let path = APIFileLocator.file(of: name) ?? name
      parts.append("api " + (FileName.resolved(path) ?? path))
    }
    if let query = request.resource.query?.identity {
      parts.append("query \(query.mark ?? String(escaping: query.text))")
    }
    if let environment { parts.append("environment " + environment) }
    parts.append("filter " + (options.filter?.text ?? "x"))
    parts.append("pages " + (options.pages.map(String.init) ?? "none"))
    if let type = options.responseType { parts.append("as \(type.rawValue)") }
    if let way = options.pageWay { parts.append("way \(way)") }
    if options.pages != nil, let rows = options.rows { parts.append("rows \(rows.path)") }
    let headers = request.headers + options.usualHeaders.map { ($0.name, Optional($0.value)) }
    parts += headers.map { "header \($0.name.lowercased())=\($0.value ?? "\u{0}")" }
    if let auth = options.network.auth {
      parts.append("auth \(auth.kind.rawValue)")
      parts += [auth.user ?? "\u{0}", auth.secret ?? "\u{0}"]
    }
    parts.append("session " + (options.network.session?.name ?? ""))
    parts.append("socket " + (options.network.unixSocket.map { FileName.resolved($0) ?? $0 } ?? ""))
    return parts
  }
}
