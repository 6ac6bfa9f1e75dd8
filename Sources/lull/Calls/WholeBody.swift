import LullLibC
import LullClients
import LullCore
import LullHost
import LullREPL
import LullSystem

/// A complete body from `-d` or from standard input.
struct WholeBody {
  /// The name of the body in messages.
  private let name: String
  private let content: Content
  /// The content type, if it is known without reading the content.
  private let type: String?

  private enum Content {
    case bytes([UInt8])
    /// A regular file, which can be read while it is sent.
    case file(String)
  }

  /// The body of `-d` or `--raw`.
  init(_ data: BodyOptions.Data, _ host: LuaHost) throws(RequestItem.Problem) {
    switch data {
    case .raw(let text): self.init(name: "the body", bytes: Array(text.utf8))
    case .data("-"):
      let input = StandardInput(tellsSilence: false) { host.loop.isInterrupted }
      self =
        try WholeBody(input) ?? WholeBody(name: "standard input", bytes: [])
    case .data(let text) where text.hasPrefix("@"):
      let path = String(text.dropFirst())
      self.init(
        name: "the body",
        content: WholeBody.isFile(path) ? .file(path) : .bytes(try WholeBody.file(path)))
    case .data(let text): self.init(name: "the body", bytes: Array(text.utf8))
    }
  }

  /// The body of an `@file` item.
  init(_ item: RequestItem) throws(RequestItem.Problem) {
    let path = try ItemFile.path(of: item)
    var type = GuessedType.of(path)
    if case .upload(let given?) = item.kind { type = given }
    self.init(name: "'\(item.value)'", content: .file(path), type: type)
  }

  /// Methods whose requests have bodies. For other methods standard input is not read, so that a
  /// loop does not lose its input.
  private static let methods: Set<RequestMethod> = [
    "POST", "PUT", "PATCH", "LOCK", "MKCOL", "PROPFIND", "PROPPATCH", "QUERY", "REPORT", "SEARCH",
  ]

  /// Reads the body from standard input for a request of this method. The result is `nil` if
  /// standard input is empty. Throws if the request has another body too.
  ///
  /// - Parameter giver: The source of the other body, for the error message. `nil` if there is no
  ///   other body.
  init?(
    inputOf method: RequestMethod, beside giver: String?, _ host: LuaHost
  ) throws(RequestItem.Problem) {
    guard WholeBody.methods.contains(method), StandardInput.mayHoldBody else { return nil }
    let input = StandardInput(tellsSilence: true) { host.loop.isInterrupted }
    if let giver {
      let isEmpty = try WholeBody.reading { () throws(SourceFile.Unreadable) in
        try input.isEmpty()
      }
      guard isEmpty == false else { return nil }
      throw RequestItem.Problem(
        message: "there is a body on standard input, and \(giver) makes one too: "
          + "give --ignore-stdin to ignore standard input")
    }
    try self.init(input)
  }

  /// Creates the body from standard input. If standard input is a file that has not been read yet,
  /// the file is read while it is sent.
  private init?(_ input: StandardInput) throws(RequestItem.Problem) {
    let name = "standard input"
    if lseek(STDIN_FILENO, 0, SEEK_CUR) == 0, WholeBody.isFile("/dev/stdin") {
      self.init(name: name, content: .file("/dev/stdin"))
    } else {
      guard let bytes = try WholeBody.all(of: input) else { return nil }
      self.init(name: name, bytes: bytes)
    }
  }

  /// Whether the path is a readable regular file with a size greater than 0.
  private static func isFile(_ path: String) -> Bool {
    let bytes = Array(path.utf8)
    return FileStamp.of(bytes)?.size ?? 0 > 0 && ReadableFile.problem(bytes) == nil
  }

  private init(name: String, bytes: [UInt8]) {
    self.init(name: name, content: .bytes(bytes))
  }

  private init(name: String, content: Content, type: String? = nil) {
    self.name = name
    self.content = content
    self.type = type
  }

  /// Reads all of standard input. Returns `nil` if it is empty.
  private static func all(of input: StandardInput) throws(RequestItem.Problem) -> [UInt8]? {
    let bytes = try reading { () throws(SourceFile.Unreadable) in try input.read() }
    return bytes?.isEmpty == false ? bytes : nil
  }

  private static func file(_ path: String) throws(RequestItem.Problem) -> [UInt8] {
    try reading { () throws(SourceFile.Unreadable) in try SourceFile.read(Array(path.utf8)) }
  }

  private static func reading<R>(_ body: () throws(SourceFile.Unreadable) -> R)
    throws(RequestItem.Problem) -> R
  {
    do throws(SourceFile.Unreadable) {
      return try body()
    } catch {
      throw RequestItem.Problem(message: "cannot read '\(error.name)': \(error.reason)")
    }
  }

  /// Sets this as the body of a request, unchanged. A file is read while it is sent, unless it may
  /// be JSON.
  ///
  /// If `isForm`, the content type is the type of a form. Otherwise a header of the request
  /// determines the type, or else the content does.
  ///
  /// - Parameter isOfCall: Whether the request is a call of an API file. The call then determines
  ///   the content type: a form or JSON.
  func put(
    into request: inout CallRequest, isForm: Bool, hasType: Bool, isOfCall: Bool = false
  ) throws(RequestItem.Problem) {
    let formType = isOfCall ? "application/x-www-form-urlencoded" : RequestBody.formType
    let bytes: [UInt8]
    switch content {
    case .bytes(let all): bytes = all
    case .file(let path):
      let known = isForm ? formType : type ?? (isOfCall ? nil : WholeBody.typeBeside(path))
      // The content of a query has to be known before it is sent.
      if known != nil || hasType {
        let type = known ?? "application/json"
        request.body =
          request.isQuery
          ? .data(try WholeBody.file(path), contentType: type)
          : .file(UploadFile(ByteString(path), contentType: type))
        return
      }
      bytes = try WholeBody.file(path)
    }
    guard !bytes.isEmpty || isForm else {
      request.body = .data([], contentType: hasType ? "application/json" : "")
      if !hasType { request.headers.append(("content-type", nil)) }
      return
    }
    let type =
      isForm ? formType : hasType ? "application/json" : try type(of: bytes, mustBeJSON: isOfCall)
    request.body = .data(bytes, contentType: type)
  }

  /// The content type guessed from the name of a file that can be neither JSON nor text. `nil` if
  /// the file may be JSON or text.
  private static func typeBeside(_ path: String) -> String? {
    guard let type = GuessedType.of(path), !type.hasPrefix("text/"), !type.hasSuffix("json") else {
      return nil
    }
    return type
  }

  /// The content type of the bytes. Throws if the bytes begin like JSON but are not valid JSON.
  private func type(of bytes: [UInt8], mustBeJSON: Bool) throws(RequestItem.Problem) -> String {
    do throws(JSONError) {
      _ = try JSONDocument(parsing: bytes)
      return "application/json"
    } catch {
      let first = bytes.first { ![9, 10, 13, 32].contains($0) }
      guard !mustBeJSON, first != UInt8(ascii: "{"), first != UInt8(ascii: "[") else {
        throw RequestItem.Problem(
          message: "\(name) is not JSON: \(error.description); set its type with "
            + "-H 'Content-Type: …'")
      }
    }
    if case .file(let path) = content, let type = GuessedType.of(path), type.hasPrefix("text/") {
      return type
    }
    guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else {
      return "application/octet-stream"
    }
    return "text/plain; charset=utf-8"
  }
}

/// The content type for a file name, as guessed by Python's `mimetypes`, which HTTPie uses. It
/// comes from `/etc/mime.types` (Debian package media-types) or else from a table of common types.
enum GuessedType {
  private static let table: [UInt8] = Array("/etc/mime.types".utf8)

  /// Returns the type for a path. `nil` if the file ending is unknown, or if it marks compressed
  /// content.
  static func of(_ path: String) -> String? {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
    return of(name: name, by: (try? SourceFile.read(table)) ?? [])
  }

  /// Returns the type for a file name.
  ///
  /// - Parameter table: Lines with a type and its file endings. If several lines have the same
  ///   ending, the last one applies.
  static func of(name: [UInt8], by table: [UInt8]) -> String? {
    guard var (rest, ending) = split(name) else { return nil }
    // Each of these endings is short for two: `.tgz` for `.tar.gz`, `.svgz` for `.svg.gz`.
    if let inner = ["tgz", "taz", "tz", "tbz2", "txz"].contains(ending.lowercased())
      ? "tar" : ending.lowercased() == "svgz" ? "svg" : nil
    {
      ending = inner
    } else if ["gz", "Z", "bz2", "xz", "br"].contains(ending) {
      guard let inner = split(rest) else { return nil }
      (rest, ending) = inner
    }
    ending = ending.lowercased()
    return type(of: ending, in: table) ?? FileTypes.known(ending)
  }

  /// Splits a file name before its last ending. A leading dot does not start a file ending.
  private static func split(_ name: [UInt8]) -> (rest: [UInt8], ending: String)? {
    let dots = name.prefix { $0 == UInt8(ascii: ".") }.count
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot >= dots else { return nil }
    return (Array(name[..<dot]), String(decoding: name[(dot + 1)...], as: UTF8.self))
  }

  private static func type(of ending: String, in table: [UInt8]) -> String? {
    let wanted = Array(ending.utf8)
    var found: String?
    for line in table.split(separator: UInt8(ascii: "\n")) {
      let words = line.prefix { $0 != UInt8(ascii: "#") }
        .split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard let type = words.first, words.dropFirst().contains(where: { $0.elementsEqual(wanted) })
      else { continue }
      found = String(decoding: type, as: UTF8.self)
    }
    return found
  }
}
