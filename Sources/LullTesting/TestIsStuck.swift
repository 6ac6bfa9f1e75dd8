/// A test of `Lull.test` has waited for something that did not come.
public struct TestIsStuck: Error, Sendable, CustomStringConvertible {
  /// What was waited for, and what would bring it.
  public let description: String
}
