public import LullCore
import LullLibC
import LullSystem

/// A Redis-compatible server: Valkey, Redis, or a server with the same protocol. Several hosts can
/// share data through the server. Without a server, only the processes of one machine share that
/// data. Lua: `lull.share{ … }`.
///
///     try home.share(Share(url: "rediss://cache.internal:6380/2", password: SecretText(secret)))
///
/// Lull does not block on the server, and no request fails because the server is unavailable. While
/// the server is unavailable, each machine works independently.
public struct Share: Sendable {
  /// The URL of the server: `redis://host:6379/0`, `rediss://…` for TLS, or
  /// `unix:///run/redis.sock?db=0`. `valkey://` means the same as `redis://`, and `valkeys://` the
  /// same as `rediss://`. The URL may contain user and password, and `?namespace=team-a`.
  public var url: String
  /// The password, if the URL does not contain it.
  public var password: SecretText?
  /// Separates groups of hosts that use the same server. It may contain letters, digits and
  /// `-_.:/`. It must be nil if the URL has a namespace.
  public var namespace: String?
  /// A secret that all hosts of the group share. With it, the data on the server reveals nothing
  /// about credentials.
  public var secret: SecretText?
  /// A PEM file of certificates to trust instead of the system's, for `rediss://`. Lua: `ca_file`.
  public var certificateAuthorities: String?

  /// Creates the settings. `Home.share` checks them.
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

/// The checked settings of a program for its shared server.
struct ShareSettings {
  let address: ShareAddress
  let namespace: String
  let password: SecretText?
  let secret: SecretText?
  let authorities: CertificateAuthorities

  private static let mostNamespaceBytes = 100

  init(_ share: Share) throws(ShareError) {
    do throws(ShareAddress.Problem) {
      address = try ShareAddress(share.url)
    } catch {
      throw ShareError(description: "url: \(error.message)")
    }
    if share.namespace != nil, address.namespace != nil {
      throw ShareError(
        description: "namespace: the url has one too; set only one of them")
    }
    namespace = share.namespace ?? address.namespace ?? "lull"
    guard ShareSettings.isNamespace(namespace) else {
      throw ShareError(
        description:
          "namespace: '\(LogText.part(namespace, limit: 120))' must have only letters, digits and "
          + "-_.:/, and at most \(ShareSettings.mostNamespaceBytes) bytes")
    }
    if share.password != nil, address.password != nil {
      throw ShareError(
        description: "password: the url has one too; set only one of them")
    }
    password = share.password
    secret = share.secret
    authorities = CertificateAuthorities(file: share.certificateAuthorities)
  }

  /// The key under which the server counts hosts.
  var hostsKey: String { "lull:{\(namespace):hosts}" }

  /// The channel on which hosts announce the cache entries that they have written.
  var updateChannel: String { "lull:{\(namespace)}:news" }

  private static func isNamespace(_ text: String) -> Bool {
    (1...mostNamespaceBytes).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-_.:/".utf8.contains(byte)
        }
      }
  }

  /// Returns a digest that represents a text on the server, or nil without a library for digests.
  /// If there is a secret, only its owners can derive the text from the digest. A secret from a
  /// command is represented by the command's words, because the command is not run for this.
  func digest(of text: [UInt8]) -> [UInt8]? {
    guard let secret else { return Digest.sha256.of(text) }
    return Digest.sha256.hmac(key: Array(SecretIdentity.text(of: secret).utf8), text)
  }

  /// Returns the first commands of a connection, such as the login. They contain the password and
  /// must not be stored.
  func greetings(_ store: SecretStore) throws(TransportError) -> [ShareLink.Greeting] {
    var greetings: [ShareLink.Greeting] = []
    let given = try password.map { text throws(TransportError) in try store.bytes(of: text) }
    if let password = given ?? address.password.map({ Array($0.utf8) }) {
      let user = address.user.map { [Array($0.utf8)] } ?? []
      greetings.append(.init(command: RESPCommand([Array("AUTH".utf8)] + user + [password])))
    }
    if address.database != 0 {
      greetings.append(.init(command: RESPCommand("SELECT", "\(address.database)")))
    }
    greetings.append(.init(command: RESPCommand("CLIENT", "SETNAME", "lull"), isOptional: true))
    greetings.append(.init(command: RESPCommand("PING")))
    return greetings
  }
}

extension Share {
  /// The environment variable with the URL of the server. It is used by programs that do not
  /// configure a server.
  package static let variable = "LULL_SHARE"

  /// The server that the environment variable names; nil if the variable is not set or empty.
  package static var ofEnvironment: Share? {
    // Copied immediately; this process does not change its environment.
    guard let text = getenv(variable).map({ String(cString: $0) }), !text.isEmpty else {
      return nil
    }
    return Share(url: text)
  }
}

extension Home {
  /// Shares data with other machines through a server from now on: limits that processes share,
  /// OAuth 2 tokens if the client has a credential, the entries of a `SharedEntityCache`, and
  /// announcements of new entries. `nil` ends the sharing.
  ///
  /// Returns immediately. Lull connects to the server when it is first needed, and reconnects when
  /// the connection is lost. While the server is unavailable, each machine uses its own files. If
  /// this method is called several times, the last call applies. Lua: `lull.share{ … }`.
  ///
  ///     try home.share(Share(url: "redis://cache.internal"))
  ///
  /// - Throws: A `ShareError` if a setting is invalid. An unavailable server is not an error.
  public func share(_ share: Share?) throws(ShareError) {
    try SharedLimits.share(share, on: pump)
  }
}

extension RateLimit {
  /// Returns the part of the limit that one host may use if it shares the limit with other hosts
  /// that it cannot reach. In the long run, all hosts together stay within the limit.
  ///
  /// - Parameter hosts: The number of all hosts.
  func part(of hosts: Int) -> RateLimit {
    guard hosts > 1 else { return self }
    var part = self
    if requests >= hosts {
      part.requests = requests / hosts
    } else {
      part.requests = 1
      part.per = per * Double((hosts + requests - 1) / requests)
    }
    return part
  }
}
