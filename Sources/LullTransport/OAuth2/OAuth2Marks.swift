import LullCore

/// What is noted of refresh tokens that are about to be used, or may have been, as nobody knows how that ended: a
/// digest of each, and what tells one note of it from another.
struct OAuth2Marks: Equatable, Sendable {
  private(set) var marks: [String] = []

  init() {}

  /// As it is kept: marks between spaces.
  init(text: String) {
    marks = text.split(separator: " ").map(String.init)
  }

  var text: String { marks.joined(separator: " ") }
  var isEmpty: Bool { marks.isEmpty }

  /// A new one for a refresh token; nil without a library for digests.
  static func mark(of token: String) -> String? {
    digest(of: token).map { "\($0):\(Hexadecimal.random(byteCount: 8))" }
  }

  private static func digest(of token: String) -> String? {
    Digest.sha256.of("renewal:" + token).map { Hexadecimal.text($0) }
  }

  /// Whether that token may have been used.
  func contains(_ token: String) -> Bool {
    guard let digest = OAuth2Marks.digest(of: token) else { return false }
    return marks.contains { $0.prefix { $0 != ":" } == digest }
  }

  /// All others are still there: each token that somebody may find somewhere has its own.
  func adding(_ mark: String) -> OAuth2Marks {
    var all = self
    all.marks.append(mark)
    return all
  }

  /// Without those after which nothing was sent.
  func without(_ unsent: Set<String>) -> OAuth2Marks {
    var rest = self
    rest.marks.removeAll { unsent.contains($0) }
    return rest
  }
}
