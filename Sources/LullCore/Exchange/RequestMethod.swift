/// A method of HTTP, checked and in upper case: `.get`, `"REPORT"`. (DYN-01, RFC 9110, 9.1)
///
/// A text that is known only when the program runs goes through `init(rawValue:)`. A literal that is no method
/// makes one that is not valid: configuring something for it is a programming error, and ends the program; a
/// request with it fails. Any thread. Lua: a string.
///
///     api.configure(requestMethods: [.put, "REPORT"]) { $0.limits.timeout = 300 }
///     guard let method = RequestMethod(rawValue: typed) else { return }
public struct RequestMethod:
  RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CaseIterable,
  CustomStringConvertible
{
  /// In upper case, as it is sent.
  public let rawValue: String

  /// The method of that name, in any letter case; nil unless the text is a token, as RFC 9110 has it:
  /// letters, digits and some signs, at least one of them, and no blanks.
  public init?(rawValue: String) {
    guard Headers.isName(rawValue) else { return nil }
    self.rawValue = RequestMethod.upperCase(rawValue)
  }

  public init(stringLiteral literal: String) {
    rawValue = RequestMethod.upperCase(literal)
  }

  /// False of literals that are no tokens, such as an empty one.
  public var isValid: Bool { Headers.isName(rawValue) }

  private static func upperCase(_ token: String) -> String {
    let isLower = { (byte: UInt8) in byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }
    return token.utf8.contains(where: isLower) ? token.uppercased() : token
  }

  /// As it is sent.
  public var description: String { rawValue }

  /// What the server allows there.
  public static let options: RequestMethod = "OPTIONS"
  /// What loads use.
  public static let get: RequestMethod = "GET"
  /// As `get`, for the headers alone.
  public static let head: RequestMethod = "HEAD"
  /// Has no effect that is known beforehand: policies do not repeat it unless told to.
  public static let post: RequestMethod = "POST"
  /// Puts something in the place of what is there.
  public static let put: RequestMethod = "PUT"
  /// Changes a part of what is there.
  public static let patch: RequestMethod = "PATCH"
  /// Takes away what is there.
  public static let delete: RequestMethod = "DELETE"

  /// Whether it changes nothing at the server: by RFC 9110, 9.2.1, and the registry of methods. A method
  /// that is not listed there may change something.
  package var isSafe: Bool { RequestMethod.safe.contains(self) }

  private static let safe: Set<RequestMethod> = [
    "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY",
  ]

  /// Those that have a name here, and a configuration of their own; any other has that of GET, and what names it
  /// besides. (CFG-16)
  public static let allCases: [RequestMethod] = [options, get, head, post, put, patch, delete]

  /// Whether what is set for these methods counts for its requests. (CFG-07, CFG-16)
  package func isConfigured(by methods: Set<RequestMethod>) -> Bool {
    methods.contains(self)
      || methods.contains(.get) && !RequestMethod.allCases.contains(self)
  }
}
