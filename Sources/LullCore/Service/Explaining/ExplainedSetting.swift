/// A setting as explanations tell of it: its name in the language of whoever asks, and its value in words.
///
/// Not headers, which are told of one by one.
package struct ExplainedSetting: Sendable {
  private enum Telling: Sendable {
    case value(@Sendable (Configuration) -> String?)
    case functions(@Sendable (Configuration) -> Int)
  }

  package let name: String
  /// What one reads as that a block has switched off.
  let off: String
  private let telling: Telling
  /// What tells a value from another in this process, also what its words do not say.
  private let fingerprint: (@Sendable (Configuration) -> Int)?

  /// One that is told of by its value.
  ///
  /// - Parameter words: nil where it is not set, or switched off.
  package init(
    _ name: String, off: String, fingerprint: (@Sendable (Configuration) -> Int)? = nil,
    words: @escaping @Sendable (Configuration) -> String?
  ) {
    self.name = name
    self.off = off
    self.fingerprint = fingerprint
    telling = .value(words)
  }

  /// One that is told of by how many functions there are.
  package init(_ name: String, functions: @escaping @Sendable (Configuration) -> Int) {
    self.name = name
    off = ""
    fingerprint = nil
    telling = .functions(functions)
  }

  func words(in settings: Configuration) -> String? {
    if case .value(let words) = telling { words(settings) } else { nil }
  }

  func fingerprint(in settings: Configuration) -> Int { fingerprint?(settings) ?? 0 }

  func functionCount(in settings: Configuration) -> Int {
    if case .functions(let count) = telling { count(settings) } else { 0 }
  }
}
