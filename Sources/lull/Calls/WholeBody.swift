import LullCore
import LullHost
import LullREPL

/// A body that is given as a whole: what `-d` says, or what comes on standard input.
struct WholeBody {
  /// As messages name it.
  private let name: String
  private let bytes: [UInt8]

  /// What `-d` gives: the body itself, `@file`, or `-` for standard input; nil if that is empty.
  init?(data: String, _ host: LuaHost) throws(RequestItem.Problem) {
    if data == "-" {
      let input = StandardInput(tellsSilence: false) { host.loop.isInterrupted }
      guard let bytes = try WholeBody.all(of: input) else { return nil }
      self.init(name: "standard input", bytes: bytes)
    } else if data.hasPrefix("@") {
      self.init(name: "the body", bytes: try RequestParts.file(String(data.dropFirst())))
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
    guard let bytes = try WholeBody.all(of: input) else { return nil }
    self.init(name: "standard input", bytes: bytes)
  }

  private init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  /// nil for nothing.
  private static func all(of input: StandardInput) throws(RequestItem.Problem) -> [UInt8]? {
    let bytes = try reading { () throws(SourceFile.Unreadable) in try input.read() }
    return bytes?.isEmpty == false ? bytes : nil
  }

  static func reading<R>(_ body: () throws(SourceFile.Unreadable) -> R)
    throws(RequestItem.Problem) -> R
  {
    do throws(SourceFile.Unreadable) {
      return try body()
    } catch {
      throw RequestItem.Problem(message: "cannot read '\(error.name)': \(error.reason)")
    }
  }

  /// As it stands: a form if it is to be one, else JSON unless a header says something else.
  func body(isForm: Bool, hasType: Bool) throws(RequestItem.Problem) -> RequestBody {
    if isForm { return .data(bytes, contentType: "application/x-www-form-urlencoded") }
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
