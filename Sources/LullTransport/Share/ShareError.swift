/// Why a server cannot be shared by: one of its settings makes no sense. In one line, without credentials.
public struct ShareError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong, and what to do.
  public let description: String
}
