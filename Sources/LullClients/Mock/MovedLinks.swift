package import LullCore

/// Leads links of examples to the mock: clients that follow them stay with it.
///
/// A text counts as a link if it is one as a whole. Links to other hosts are left alone.
package struct MovedLinks {
  /// Origins in whose place the mock stands: that of the service, and that of made-up links.
  private let origins: [String]
  /// The origin of the mock, as the client knows it.
  package let here: String

  package init(from origin: String?, to here: String) {
    origins = (origin.map { [$0] } ?? []) + ["https://example.com"]
    self.here = here
  }

  /// With the links in it moved; nil if it has none that move.
  package func moved(_ value: JSONValue) -> JSONValue? {
    switch value {
    case .string(let text): return moved(text).map { .string($0) }
    case .array(let elements):
      let moved = elements.map { self.moved($0) }
      guard moved.contains(where: { $0 != nil }) else { return nil }
      return .array(zip(moved, elements).map { $0 ?? $1 })
    case .object(let members):
      let moved = members.map { self.moved($0.value) }
      guard moved.contains(where: { $0 != nil }) else { return nil }
      return .object(zip(moved, members).map { .init($1.key, $0 ?? $1.value) })
    default: return nil
    }
  }

  private func moved(_ text: String) -> String? {
    for origin in origins where text.hasPrefix(origin) {
      let rest = text.dropFirst(origin.count)
      guard rest.isEmpty || "/?#".contains(rest[rest.startIndex]) else { continue }
      return here + rest
    }
    return nil
  }
}
