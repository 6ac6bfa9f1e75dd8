/// A limit on the rate of requests: at most `requests` in any span of `per` seconds. Lua:
/// `rate_limit`.
///
/// A request takes a slot when it is admitted. The slot is released `per` seconds after the last
/// byte of the request was sent, so that even on slow connections no more requests than allowed
/// arrive at the server; see also `strict`. All requests of a span may be sent at once. To space
/// requests evenly, use `requests: 1`.
public struct RateLimit: Sendable, Hashable {
  /// The requests that count against a limit.
  public enum Scope: Sendable, Hashable {
    /// All requests to which the configuration block with this limit applies.
    case block
    /// The requests of all processes of this user on this machine to which a block with the same
    /// pattern applies, if they have the same origin and credentials. Lua: `shared = true`.
    case processes
    /// All requests whose limit has this name, in all processes of this user on this machine. Lua:
    /// `shared = "name"`.
    case named(String)
  }

  /// The number of requests in a span, at least 1. If the number is smaller, requests fail without
  /// being sent. (SWF-56)
  public var requests: Int
  /// The length of a span in seconds, greater than 0. If it is 0 or negative, requests fail without
  /// being sent.
  public var per: Double
  /// The requests that count against this limit. Lua: `shared`.
  public var scope = Scope.block
  /// Whether this limit is lowered if the server reports a stricter limit. Lua: `learn`.
  public var learns = false
  /// The statuses of responses that the server does not count, such as 304. Lua: `free`.
  public var free: Set<Int> = []
  /// Whether a slot is released `per` seconds after the response headers have arrived or the
  /// request has failed, instead of after the last byte was sent. This guarantees that even delays
  /// in the network can't make more requests than allowed arrive at the server in a span. It costs
  /// one round trip per span. Lua: `strict`.
  public var strict = false

  /// Makes a limit of `requests` in `per` seconds.
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
