/// Adds the name of an environment to names and keys, so that each environment has its own names
/// and keys. (ENV-07)
package enum EnvironmentMark {
  /// Returns `text` followed by the name of the environment, as in `our limit @prod`. Without an
  /// environment, returns `text` unchanged. Exception: if `text` already ends like this, an empty
  /// name is appended. Different texts or environments therefore never have the same result.
  package static func marked(_ text: [UInt8], in environment: String?) -> [UInt8] {
    guard environment != nil || endsSo(text) else { return text }
    return text + " @\(environment ?? "")".utf8
  }

  static func marked(_ text: String, in environment: String?) -> String {
    String(decoding: marked(Array(text.utf8), in: environment), as: UTF8.self)
  }

  private static func endsSo(_ text: [UInt8]) -> Bool {
    guard let at = text.lastIndex(of: UInt8(ascii: "@")), at > 0, text[at - 1] == 32 else {
      return false
    }
    return text[(at + 1)...].allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }
}
