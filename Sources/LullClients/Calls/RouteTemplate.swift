import LullCore

/// The path of a call as a pattern that the paths of requests are matched against.
///
/// Each segment between two slashes is fixed or contains placeholders for parameters. The same
/// applies to each pair of the query.
package struct RouteTemplate: Sendable {
  private enum Piece: Equatable, Sendable {
    case text(String)
    case parameter(String)
  }

  /// The pattern as text, for display.
  package let text: String
  private let parts: [[Piece]]
  private let query: [(name: String, value: Piece)]
  /// The placeholders that may contain slashes.
  private let open: Set<String>

  /// - Parameters:
  ///   - base: The path of the base URL.
  ///   - path: The path in the API file.
  ///   - open: The placeholders that may contain slashes.
  package init(base: String, path: String, open: Set<String> = []) {
    self.open = open
    var path = path.prefix { $0 != "#" }
    if let mark = path.firstRange(of: "://"), !path.hasPrefix("/") {
      // The path is an absolute URL, so skip its origin.
      let rest = path[mark.upperBound...]
      path = rest[rest.prefix { !"/?".contains($0) }.endIndex...]
    }
    let target = path.prefix { $0 != "?" }
    let whole = base + (target.hasPrefix("/") ? target : "/" + target)
    text = whole + path[target.endIndex...]
    parts = RouteTemplate.parts(of: whole).map { RouteTemplate.pieces(of: $0) }
    query = path[target.endIndex...].dropFirst().split(separator: "&").map { pair in
      let name = pair.prefix { $0 != "=" }
      let value = RouteTemplate.pieces(of: pair[name.endIndex...].dropFirst())
      return (CredentialMask.decoded(name), value.first ?? .text(""))
    }
  }

  /// Splits a path at its slashes.
  package static func parts(of path: some StringProtocol) -> [String] {
    path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
  }

  private static func pieces(of text: some StringProtocol) -> [Piece] {
    var pieces: [Piece] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"),
      let close = rest[open...].firstIndex(of: "}")
    {
      if open > rest.startIndex { pieces.append(.text(PercentText.decoded(rest[..<open]))) }
      pieces.append(.parameter(String(rest[rest.index(after: open)..<close])))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { pieces.append(.text(PercentText.decoded(rest))) }
    return pieces
  }

  /// The number of segments. A placeholder that may contain slashes can match several segments of a
  /// request.
  package var partCount: Int { parts.count }

  /// How specific the pattern is: a number for each segment, and the number of query pairs. The
  /// numbers of two patterns are compared one by one. A larger number means that more of the
  /// pattern is fixed.
  package var specificity: [Int] {
    let path = parts.map { pieces in
      let isFixed = !pieces.contains { if case .parameter = $0 { true } else { false } }
      return isFixed ? 2 : pieces.count > 1 ? 1 : 0
    }
    return path + [query.count]
  }

  /// Returns the values of the placeholders, still escaped. nil if the path does not match.
  package func values(in parts: [String], _ query: [EscapedPair]) -> [String: String]? {
    guard let parts = fitting(parts) else { return nil }
    var values: [String: String] = [:]
    for (pieces, part) in zip(self.parts, parts) {
      guard RouteTemplate.match(pieces, EscapedText(part), &values) else { return nil }
    }
    for (name, value) in self.query {
      let given = query.first { $0.name == name }
      switch value {
      case .text(let text): guard given?.text == CredentialMask.decoded(text) else { return nil }
      case .parameter(let parameter):
        // The value is escaped as in a path, where a space is `%20`.
        if let given { values[parameter] = given.value.replacing("+", with: "%20") }
      }
    }
    return values
  }

  /// Returns one text of the request's path for each segment of the pattern. A placeholder that may
  /// contain slashes gets all surplus segments. nil if the number of segments does not fit.
  private func fitting(_ parts: [String]) -> [String]? {
    guard parts.count != self.parts.count else { return parts }
    let surplus = parts.count - self.parts.count
    guard surplus > 0,
      let place = self.parts.firstIndex(where: { pieces in
        pieces.contains { if case .parameter(let name) = $0 { open.contains(name) } else { false } }
      })
    else { return nil }
    let joined = parts[place...(place + surplus)].joined(separator: "/")
    return parts[..<place] + [joined] + parts[(place + surplus + 1)...]
  }

  /// Matches one segment. The fixed text at both ends must be equal. In between, each placeholder
  /// matches as little text as possible.
  private static func match(
    _ pieces: [Piece], _ text: EscapedText, _ values: inout [String: String]
  ) -> Bool {
    var rest = text.decoded[...]
    var pieces = pieces[...]
    if case .text(let end)? = pieces.last, pieces.count > 1 {
      guard rest.hasSuffix(end) else { return false }
      rest = rest.dropLast(end.count)
      pieces = pieces.dropLast()
    }
    while let piece = pieces.popFirst() {
      switch piece {
      case .text(let fixed):
        guard rest.hasPrefix(fixed) else { return false }
        rest = rest.dropFirst(fixed.count)
      case .parameter(let name):
        var end = rest.endIndex
        if case .text(let next)? = pieces.first {
          guard !rest.isEmpty, let place = rest.dropFirst().firstRange(of: next) else {
            return false
          }
          end = place.lowerBound
        }
        guard end > rest.startIndex else { return false }
        values[name] = text.escaped(rest[..<end])
        rest = rest[end...]
      }
    }
    return rest.isEmpty
  }
}
