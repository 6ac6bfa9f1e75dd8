import LullCore
import LullLibC
import LullSystem

/// The name of an API as typed by a user: `github`, `./apis/shop.lua`, optionally followed by
/// `@prod` for an environment.
package struct APIName {
  /// The name or the path of the API file.
  package let file: String
  /// The name of the environment, or nil if none is given.
  package let environment: String?

  /// Splits a word at its last `@`. If there is a file with the whole word as its name, the word is
  /// not split.
  package init(_ word: String) {
    guard let at = word.lastIndex(of: "@"), at > word.startIndex,
      APIName.isEnvironment(word[word.index(after: at)...]),
      APIFileLocator.plainFile(of: word) == nil
    else {
      (file, environment) = (word, nil)
      return
    }
    file = String(word[..<at])
    environment = String(word[word.index(after: at)...])
  }

  /// Returns the error for the name of an existing API followed by an invalid environment name. nil
  /// for other words.
  static func problem(withEnvironmentOf word: String) -> String? {
    guard let at = word.firstIndex(of: "@"), at > word.startIndex,
      APIFileLocator.plainFile(of: String(word[..<at])) != nil,
      !isEnvironment(word[word.index(after: at)...])
    else { return nil }
    return
      "there is no API '\(word)': an environment name consists of letters, digits, "
      + "'-' and '_'"
  }

  /// Returns whether a name is valid for an environment. It may consist of letters, digits, `-` and
  /// `_`, so that it can be part of a file name and of a key.
  package static func isEnvironment(_ name: some StringProtocol) -> Bool {
    guard let first = name.utf8.first, first != UInt8(ascii: "-"), name.utf8.count <= 64 else {
      return false
    }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }

  /// The default environment, from the variable `LULL_ENV`. It applies to files that declare
  /// environments.
  package static var usualEnvironment: String? {
    // Copy the value, because a later change of the environment may invalidate the C string.
    getenv("LULL_ENV").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// The requested environment of an API file.
struct EnvironmentWish {
  let name: String
  /// Whether the environment was given together with the API. Otherwise it comes from `LULL_ENV`,
  /// and applies only to files that declare environments.
  let isNamed: Bool

  /// - Parameters:
  ///   - named: The environment given together with the API, or nil.
  ///   - usesVariable: Whether `LULL_ENV` is used if none is given.
  init?(_ named: String?, usesVariable: Bool) {
    if let named {
      (name, isNamed) = (named, true)
    } else if usesVariable, let usual = APIName.usualEnvironment {
      (name, isNamed) = (usual, false)
    } else {
      return nil
    }
  }

  /// The name for messages, shortened and with control characters escaped, because `LULL_ENV` may
  /// contain any text.
  var shownName: String { ControlCharacters.shown(in: LogText.part(name, limit: 80)) }

  /// The end of a message that names the origin of the environment, if the user did not type it.
  var origin: String { isNamed ? "" : ", which LULL_ENV names" }
}
