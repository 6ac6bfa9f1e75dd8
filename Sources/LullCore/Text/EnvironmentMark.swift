/// Names and keys that environments have for themselves, of those that have one for all of them. (ENV-07)
package enum EnvironmentMark {
  /// The text with the environment behind it, as in `our limit @prod`; as it is where there is none, unless it
  /// ends so itself: no two are one, whatever they are called.
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
