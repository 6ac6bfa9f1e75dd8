/// Which values of a list of headers hold secrets. Immutable, so that copies share it.
package final class SecretHeaders: Sendable, Equatable {
  package struct Use: Sendable, Equatable {
    /// In lower case.
    let name: String
    /// Which of the values of that name it is.
    let position: Int
    let text: SecretText
  }

  package let uses: [Use]

  package init(_ uses: [Use] = []) {
    self.uses = uses
  }

  func adding(_ name: String, _ position: Int, _ text: SecretText) -> SecretHeaders {
    SecretHeaders(uses + [Use(name: name.lowercased(), position: position, text: text)])
  }

  /// nil if none is left.
  func removing(_ name: String) -> SecretHeaders? {
    let name = name.lowercased()
    let kept = uses.filter { $0.name != name }
    return kept.isEmpty ? nil : kept.count == uses.count ? self : SecretHeaders(kept)
  }

  func text(_ name: String, _ position: Int) -> SecretText? {
    guard !uses.isEmpty else { return nil }
    let name = name.lowercased()
    return uses.first { $0.name == name && $0.position == position }?.text
  }

  package static func == (left: SecretHeaders, right: SecretHeaders) -> Bool {
    left === right || left.uses == right.uses
  }
}
