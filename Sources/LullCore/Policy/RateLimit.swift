/// At most `requests` in any span of `per` seconds. Lua: `rate_limit`.
///
/// A request takes a place when it is admitted. The place is released `per` seconds after the last byte of
/// the request went out, so that no slow connection lets more arrive at the server; see also `strict`.
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

  /// At least 1; with fewer, requests fail unsent. (SWF-56)
  public var requests: Int
  /// Seconds, more than 0; else requests fail unsent.
  public var per: Double
  /// Lua: `shared`.
  public var scope = Scope.block
  /// Whether what the server says of its own limit lowers this one. Lua: `learn`.
  public var learns = false
  /// Statuses of answers that the server does not count, such as 304. Lua: `free`.
  public var free: Set<Int> = []
  /// Whether a place is released `per` seconds after the head of the answer has arrived, or the request has
  /// failed, instead of after the last byte sent: no delay on the way can then let more arrive. Costs one
  /// round trip per span. Lua: `strict`.
  public var strict = false

  /// So many requests in so many seconds.
  public init(
    requests: Int, per: Double, scope: Scope = .block, learns: Bool = false, free: Set<Int> = [],
    strict: Bool = false
  ) {
    self.requests = requests
    self.per = per
    self.scope = scope
    self.learns = learns
    self.free = free
    self.strict = strict
  }
}
