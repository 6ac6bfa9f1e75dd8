/// The tokens that were given out, who they belong to and until when they hold.
struct TokenLedger: Sendable {
  static let lifetime = 5

  private var serial = 0
  private var users: [String: (name: String, end: ContinuousClock.Instant)] = [:]
  private var refreshers: [String: String] = [:]
  /// How many logins and how many refreshes succeeded.
  private(set) var logins = 0
  private(set) var refreshes = 0

  mutating func login(_ user: String) -> JSON {
    logins += 1
    let refresher = "refresh-\(refreshers.count + 1)"
    refreshers[refresher] = user
    return grant(to: user, refresher: refresher)
  }

  /// A new token for a refresh token, which stays good; nil when it is not one of ours.
  mutating func refresh(_ refresher: String) -> JSON? {
    guard let user = refreshers[refresher] else { return nil }
    refreshes += 1
    return grant(to: user, refresher: refresher)
  }

  /// A token as OAuth 2.0 has it; the refresh token it is given for, if any, is used up and replaced.
  /// nil when that is unknown. (RFC 6749, sections 4.4 and 6)
  mutating func oauth(client: String, refresher: String?) -> JSON? {
    if let refresher {
      guard refreshers.removeValue(forKey: refresher) != nil else { return nil }
    }
    refreshes += 1
    serial += 1
    let token = "token-\(serial)"
    users[token] = (client, .now + .seconds(Self.lifetime))
    var members: [(name: String, value: JSON)] = [
      ("access_token", .string(token)), ("token_type", "Bearer"),
      ("expires_in", .int(Self.lifetime)),
    ]
    if refresher != nil {
      refreshers["rotated-\(serial)"] = client
      members.append(("refresh_token", .string("rotated-\(serial)")))
    }
    return .object(members)
  }

  /// Whose token this is; nil when it is unknown or no longer holds.
  func user(of token: String) -> String? {
    guard let user = users[token], user.end > .now else { return nil }
    return user.name
  }

  /// Ends all tokens now. Refresh tokens stay good.
  mutating func expireAll() -> Int {
    defer { users = [:] }
    return users.count { $0.value.end > .now }
  }

  private mutating func grant(to user: String, refresher: String) -> JSON {
    serial += 1
    let token = "token-\(serial)"
    users[token] = (user, .now + .seconds(Self.lifetime))
    return [
      "token": .string(token), "refresh_token": .string(refresher),
      "expires_in": .int(Self.lifetime),
    ]
  }
}
