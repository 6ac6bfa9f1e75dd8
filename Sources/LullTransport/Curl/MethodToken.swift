/// The word a request line begins with.
enum MethodToken {
  /// Whether `method` may stand in a request line: the characters of RFC 9110's token.
  static func isValid(_ method: String) -> Bool {
    !method.isEmpty
      && method.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
