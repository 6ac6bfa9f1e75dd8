import LullCore
import LullLibC
import LullSystem

/// An API as people name it: `github`, `./apis/shop.lua`, each with `@prod` behind it for one of its environments.
package struct APIName {
  /// The name or the path of its file.
  package let file: String
  /// nil: none is named.
  package let environment: String?

  /// A file that is called so as a whole is meant as a whole.
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

  /// What is said of a word that names a file and, behind it, what no environment can be called; nil of others.
  static func problem(withEnvironmentOf word: String) -> String? {
    guard let at = word.firstIndex(of: "@"), at > word.startIndex,
      APIFileLocator.plainFile(of: String(word[..<at])) != nil,
      !isEnvironment(word[word.index(after: at)...])
    else { return nil }
    return
      "there is no API '\(word)': behind '\(word[..<at])@' stands the name of an environment, of letters, "
      + "digits, '-' and '_'"
  }

  /// Whether an environment may be called so: letters, digits, `-` and `_`, so that it can be a part of a file's
  /// name and of a key.
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

  /// The environment of files that have some, where none is named: `LULL_ENV`.
  package static var usualEnvironment: String? {
    // Copied at once.
    getenv("LULL_ENV").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// Which environment of an API file is wanted.
struct EnvironmentWish {
  let name: String
  /// Whether it is named with the API; else `LULL_ENV` says so, of files that have environments.
  let isNamed: Bool

  /// - Parameter named: what is named with the API; nil: nothing.
  init?(_ named: String?, usesVariable: Bool) {
    if let named {
      (name, isNamed) = (named, true)
    } else if usesVariable, let usual = APIName.usualEnvironment {
      (name, isNamed) = (usual, false)
    } else {
      return nil
    }
  }

  /// What `LULL_ENV` has in it may be anything.
  var shownName: String { ControlCharacters.shown(in: LogText.part(name, limit: 80)) }

  /// What messages say of a wish that nobody has typed.
  var origin: String { isNamed ? "" : ", which LULL_ENV names" }
}
