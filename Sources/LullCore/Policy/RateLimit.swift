/// At most `requests` in any span of `per` seconds. Lua: `rate_limit`.
///
/// A request takes a slot when it is admitted. The slot is released `per` seconds after the last
/// byte of the request was sent, so that slow connections can't make more requests than that arrive
/// at the server; see also `strict`. All requests of a span may be sent at once. To space requests
/// evenly, use `requests: 1`.
public struct RateLimit: Sendable, Hashable {
  /// The requests that count against a limit.
  public enum Scope: Sendable, Hashable {
    /// All requests to which the block that sets the limit applies.
    case block
    /// The same requests of all processes of this user on this machine: those with the same
    /// pattern, origin and credentials. Lua: `shared = true`.
    case processes
    /// All requests with a limit of this name, in all processes of this user on this machine. Lua:
    /// `shared = "name"`.
    case named(String)
  }

  /// The number of requests in a span, at least 1. Otherwise requests fail without being sent.
  /// (SWF-56)
  public var requests: Int
  /// The length of a span in seconds, greater than 0. Otherwise requests fail without being sent.
  public var per: Double
  /// The requests that count against this limit. Lua: `shared`.
  public var scope = Scope.block
  /// Whether a stricter limit reported by the server lowers this limit. Lua: `learn`.
  public var learns = false
  /// Statuses of responses that the server does not count, such as 304. Lua: `free`.
  public var free: Set<Int> = []
  /// Whether a slot is released `per` seconds after the head of the response has arrived or the
  /// request has failed, instead of after the last byte was sent. Then delays in the network can't
  /// make more requests than allowed arrive at the server. This costs one round trip per span. Lua:
  /// `strict`.
  public var strict = false

  /// A limit of `requests` in `per` seconds.
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
