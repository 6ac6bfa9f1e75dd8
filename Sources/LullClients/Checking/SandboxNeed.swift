import CLullBridge
import LullCore
import LullHost

/// Something that a script needs but the sandbox lacks. It is derived from the error message.
package struct SandboxNeed {
  /// The thing that is missing, such as `io` or `the module 'cjson'`.
  let text: String
  /// The place with which the message begins. Empty if there is none.
  let place: String

  /// Derives the need from an error message. nil if the message is about anything else.
  init?(_ message: String) {
    place = SandboxNeed.place(in: message)
    let rest = message.dropFirst(place.count)
    if let end = rest.firstRange(of: " is not available in the sandbox") {
      let words = rest[..<end.lowerBound]
      text = String(words.ranges(of: ": ").last.map { words[$0.upperBound...] } ?? words)
    } else if rest.contains("which the sandbox does not allow") {
      text = "more than the sandbox allows: \(LogText.part(String(rest)))"
    } else if let name = SandboxNeed.module(in: message), lull_module_is_elsewhere(name) != 0 {
      text = "the module '\(name)'"
    } else {
      return nil
    }
  }

  /// The note for a file that can't be checked further.
  package var note: String { "not checked further: needs \(text)" }

  /// Returns the place with which an interpreter's message begins, such as `x.lua:3: `. Empty if
  /// there is none.
  private static func place(in message: String) -> String {
    for colon in message.ranges(of: ": ") {
      let head = message[..<colon.lowerBound]
      let digits = head.reversed().prefix { $0.isNumber }.count
      if digits > 0, head.dropLast(digits).hasSuffix(":") {
        return String(message[..<colon.upperBound])
      }
    }
    return ""
  }

  private static func module(in message: String) -> String? {
    guard let start = message.firstRange(of: "module '")?.upperBound,
      let end = message[start...].firstRange(of: "' not found")
    else { return nil }
    return String(message[start..<end.lowerBound])
  }
}

extension APIFileProblem {
  /// The reason why part of the file can be checked only by running it without restrictions, on one
  /// line with its place. nil for an ordinary error.
  package var need: String? {
    guard case .failed(let problem) = self else { return nil }
    return SandboxNeed(problem.failure.message).map { $0.place + $0.note }
  }
}
