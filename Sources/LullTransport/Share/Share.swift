public import LullCore

/// A server of the Redis kind by which several hosts share what the processes of one machine share anyway:
/// Valkey, Redis, or what speaks their protocol. Lua: `lull.share{ … }`.
///
///     try home.share(Share(url: "rediss://cache.internal:6380/2", password: SecretText(secret)))
///
/// Nobody waits for the server, and no request fails because it is gone: without it everything goes on for
/// each machine by itself.
public struct Share: Sendable {
  /// `redis://host:6379/0`, `rediss://…` for TLS, `unix:///run/redis.sock?db=0`; `valkey://` and `valkeys://`
  /// are the same. User and password may stand in it, and `?namespace=team-a`.
  public var url: String
  /// Instead of one in the URL.
  public var password: SecretText?
  /// What separates those who share one server, unless the URL says it; letters, digits and `-_.:/`.
  public var namespace: String?
  /// What only those have who share: by it what the server keeps says nothing of credentials.
  public var secret: SecretText?
  /// A PEM file of certificates to trust instead of the system's, for `rediss://`. Lua: `ca_file`.
  public var certificateAuthorities: String?

  /// Names a server; nothing is looked at before `Home.share`.
  public init(
    url: String, password: SecretText? = nil, namespace: String? = nil, secret: SecretText? = nil,
    certificateAuthorities: String? = nil
  ) {
    self.url = url
    self.password = password
    self.namespace = namespace
    self.secret = secret
    self.certificateAuthorities = certificateAuthorities
  }
}
