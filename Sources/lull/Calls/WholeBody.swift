import Glibc
import LullCore
import LullHost
import LullREPL
import LullSystem

/// A body that is given as a whole: what `-d` says, or what comes on standard input.
struct WholeBody {
  /// As messages name it.
  private let name: String
  private let content: Content

  private enum Content {
    case bytes([UInt8])
    /// A regular file, which need not be read before it is sent.
    case file(String)
  }

  /// What `-d` gives: the body itself, `@file`, or `-` for standard input; nil if that is empty.
  init?(data: String, _ host: LuaHost) throws(RequestItem.Problem) {
    if data == "-" {
      let input = StandardInput(tellsSilence: false) { host.loop.isInterrupted }
      try self.init(input)
    } else if data.hasPrefix("@") {
      let path = String(data.dropFirst())
      let isFile = WholeBody.isFile(path)
      self.init(
        name: "the body",
        content: isFile ? .file(path) : .bytes(try RequestParts.file(path)))
    } else {
      self.init(name: "the body", bytes: Array(data.utf8))
    }
  }

  /// What comes on standard input to a request of that method, which a command line gives no body; nil
  /// if nothing does. What comes beside a body is too much.
  ///
  /// - Parameter giver: what makes the body there is; nil if there is none.
  init?(
    inputOf method: String, beside giver: String?, _ host: LuaHost
  ) throws(RequestItem.Problem) {
    guard ["POST", "PUT", "PATCH"].contains(method), StandardInput.mayHoldBody else { return nil }
    let input = StandardInput(tellsSilence: true) { host.loop.isInterrupted }
    if let giver {
      let isEmpty = try WholeBody.reading { () throws(SourceFile.Unreadable) in
        try input.isEmpty()
      }
      guard isEmpty == false else { return nil }
      throw RequestItem.Problem(
        message: "there is a body on standard input, and \(giver) makes one too: "
          + "--ignore-stdin leaves standard input alone")
    }
    try self.init(input)
  }

  /// A file that nobody has begun to read need not be read here either.
  private init?(_ input: StandardInput) throws(RequestItem.Problem) {
    let name = "standard input"
    if lseek(STDIN_FILENO, 0, SEEK_CUR) == 0, WholeBody.isFile("/dev/stdin") {
      self.init(name: name, content: .file("/dev/stdin"))
    } else {
      guard let bytes = try WholeBody.all(of: input) else { return nil }
      self.init(name: name, bytes: bytes)
    }
  }

  /// Whether a path leads to a regular file that can be read, and of which the system says that there is
  /// something in it.
  private static func isFile(_ path: String) -> Bool {
    let bytes = Array(path.utf8)
    return FileStamp.of(bytes)?.size ?? 0 > 0 && ReadableFile.problem(bytes) == nil
  }

  private init(name: String, bytes: [UInt8]) {
    self.init(name: name, content: .bytes(bytes))
  }

  private init(name: String, content: Content) {
    self.name = name
    self.content = content
  }

  /// nil for nothing.
  private static func all(of input: StandardInput) throws(RequestItem.Problem) -> [UInt8]? {
    let bytes = try reading { () throws(SourceFile.Unreadable) in try input.read() }
    return bytes?.isEmpty == false ? bytes : nil
  }

  private static let formType = "application/x-www-form-urlencoded"

  static func reading<R>(_ body: () throws(SourceFile.Unreadable) -> R)
    throws(RequestItem.Problem) -> R
  {
    do throws(SourceFile.Unreadable) {
      return try body()
    } catch {
      throw RequestItem.Problem(message: "cannot read '\(error.name)': \(error.reason)")
    }
  }

  /// As it stands: a form if it is to be one, else JSON unless a header says something else. A file is
  /// read while it is sent, but for one that has to be JSON.
  func body(isForm: Bool, hasType: Bool) throws(RequestItem.Problem) -> RequestBody {
    let bytes: [UInt8]
    switch content {
    case .bytes(let all): bytes = all
    case .file(let path) where isForm || hasType:
      let type = isForm ? WholeBody.formType : nil
      return .file(UploadFile(ByteString(path), contentType: type))
    case .file(let path): bytes = try RequestParts.file(path)
    }
    if isForm { return .data(bytes, contentType: WholeBody.formType) }
    if !hasType {
      do throws(JSONError) {
        _ = try JSONDocument(parsing: bytes)
      } catch {
        throw RequestItem.Problem(
          message: "\(name) is not JSON: \(error.description); say what it is with "
            + "-H 'Content-Type: …'")
      }
    }
    return .json(bytes)
  }
}
