/// At most `requests` in any span of `per` seconds. Lua: `rate_limit`.
///
/// They may go out all at once; evenly spaced ones are had with `requests: 1`.
public struct RateLimit: Sendable, Hashable {
  /// Who counts against a limit.
  public enum Scope: Sendable, Hashable {
    /// All that the block of configuration applies to that sets it.
    case block
    /// The same requests of all processes of this user on this machine too: those of the same pattern, to
    /// the same origin, with the same credentials. Lua: `shared = true`.
    case processes
    /// Whatever has a limit of that name, in all processes of this user on this machine. Lua:
    /// `shared = "name"`.
    case named(String)
  }

  /// At least 1.
  public var requests: Int
  /// Seconds.
  public var per: Double
  /// Lua: `shared`.
  public var scope = Scope.block
  /// Whether what the server says of its own limit lowers this one. Lua: `learn`.
  public var learns = false
  /// Statuses of answers that the server does not count, such as 304. Lua: `free`.
  public var free: Set<Int> = []

  /// Fewer than one request count as one, a span below 0 as 0.
  public init(
    requests: Int, per: Double, scope: Scope = .block, learns: Bool = false, free: Set<Int> = []
  ) {
    self.requests = max(1, requests)
    self.per = max(0, per)
    self.scope = scope
    self.learns = learns
    self.free = free
  }
}
