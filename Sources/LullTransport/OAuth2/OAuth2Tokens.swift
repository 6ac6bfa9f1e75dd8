import LullCore

/// What a token endpoint has given, and until when it is good.
struct OAuth2Tokens: Sendable, Equatable {
  let access: String
  let refresh: String?
  /// Which login they come from: a text that each makes up; nil of tokens that need none.
  var login: String?
  /// Whether a renewal has brought another refresh token, so that the old one may be good no more; nil
  /// before the first one.
  var rotates: Bool?
  /// How often they were renewed by a refresh token since the first one.
  private(set) var renewals = 0
  /// Unix seconds; nil: until the service says otherwise.
  private(set) var expires: Double?
  /// How long it was good for when it came, in seconds.
  let lifetime: Double

  init(access: String, refresh: String?, lifetime: Double?, login: String? = nil, now: Double) {
    self.access = access
    self.refresh = refresh
    self.login = login
    self.lifetime = lifetime ?? 0
    expires = lifetime.map { now + $0 }
  }

  /// Whether a request sent now would arrive in time: not in the last tenth of its life, half a minute
  /// at most; nor if it would hold for longer than it did when it came, since then the clock was set back.
  /// (OAU-160)
  func isGood(now: Double) -> Bool {
    guard let expires else { return true }
    let left = expires - now
    // Small corrections of the clock do not count.
    return left > min(30, lifetime / 10) && (lifetime <= 0 || left <= lifetime + 60)
  }

  /// These, got with the refresh token that was `sent`.
  ///
  /// - Parameter given: the refresh token of the answer; nil if there was none.
  func renewed(from known: OAuth2Tokens?, with sent: String?, given: String?) -> OAuth2Tokens {
    var tokens = self
    tokens.rotates = known?.rotates == true || given != nil && given != sent
    tokens.renewals = (known?.renewals ?? 0) + 1
    return tokens
  }

  /// Whether an access token fits a header. (RFC 6750, section 2.1)
  static func isValid(_ access: String) -> Bool {
    !access.isEmpty && access.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  mutating func expire() {
    expires = -.infinity
  }

  // MARK: In a file

  init?(_ element: JSONElement) {
    guard let access = element["access_token"]?.string, OAuth2Tokens.isValid(access) else {
      return nil
    }
    self.access = access
    refresh = element["refresh_token"]?.string
    login = element["login"]?.string
    rotates = element["rotates"]?.bool
    renewals = max(0, min(element["renewed"]?.int ?? 0, 1 << 40))
    expires = element["expires"]?.double.flatMap { $0.isFinite ? $0 : nil }
    lifetime = element["lifetime"]?.double.flatMap { $0.isFinite ? $0 : nil } ?? 0
  }

  var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("access_token", .string(access)), .init("lifetime", .double(lifetime)),
    ]
    if let refresh { members.append(.init("refresh_token", .string(refresh))) }
    if let login { members.append(.init("login", .string(login))) }
    if let rotates { members.append(.init("rotates", .bool(rotates))) }
    if renewals > 0 { members.append(.init("renewed", .int(renewals))) }
    if let expires, expires.isFinite { members.append(.init("expires", .double(expires))) }
    return .object(members)
  }
}
