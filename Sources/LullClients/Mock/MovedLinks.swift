package import LullCore

/// Changes links in example responses so that they point to the mock, and clients that follow them
/// stay there.
///
/// Only a string that is a link as a whole is changed. Links to other hosts are not changed.
package struct MovedLinks {
  /// The origins in links that are replaced: the origin of the service, and the origin of generated
  /// links.
  private let origins: [String]
  /// The origin of the mock as the client sees it.
  package let here: String

  package init(from origin: String?, to here: String) {
    origins = (origin.map { [$0] } ?? []) + ["https://example.com"]
    self.here = here
  }

  /// Returns a value with its links changed. nil if there is nothing to change.
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
