/// What a document of `application/problem+json` says of an error, for users. (RFC 9457, section 3.1)
package struct ProblemDetails {
  /// Its title and what it says in detail of this occurrence, as one line.
  package let message: String

  /// Beyond that it is no message, and not worth holding up the loop.
  private static let largest = 64 * 1024
  private static let longest = 500
  private static let pattern = ContentTypePattern("application/problem+json")

  /// - Parameter body: of an answer with these headers.
  /// - Returns: nil if its type is another, or it says nothing.
  package init?(_ body: [UInt8], _ headers: Headers) {
    guard headers.withFirstValue("content-type", ProblemDetails.pattern.matches) ?? false,
      body.count <= ProblemDetails.largest, let root = try? JSONDocument(parsing: body).root
    else { return nil }
    // Members of other types are to be ignored. (Section 3.1)
    let parts = ["title", "detail"].compactMap { root[$0]?.string }.map(ProblemDetails.line)
      .filter { !$0.isEmpty }
    // Some repeat themselves.
    guard let last = parts.last, let first = parts.first else { return nil }
    let text = parts.count == 1 || last.hasPrefix(first) ? last : "\(first): \(last)"
    message =
      text.count > ProblemDetails.longest ? text.prefix(ProblemDetails.longest) + "…" : text
  }

  private static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
