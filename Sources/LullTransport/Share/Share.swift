public import LullCore
import LullLibC
import LullSystem

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

/// What a program has said of its server, checked.
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
        description: "namespace: one stands in url already; give one of the two")
    }
    namespace = share.namespace ?? address.namespace ?? "lull"
    guard ShareSettings.isNamespace(namespace) else {
      throw ShareError(
        description:
          "namespace: '\(LogText.part(namespace, limit: 120))' is no name: letters, digits and -_.:/, "
          + "\(ShareSettings.mostNamespaceBytes) bytes at most")
    }
    if share.password != nil, address.password != nil {
      throw ShareError(
        description: "password: one stands in url already; give one of the two")
    }
    password = share.password
    secret = share.secret
    authorities = CertificateAuthorities(file: share.certificateAuthorities)
  }

  /// Where the server counts hosts.
  var hostsKey: String { "lull:{\(namespace):hosts}" }

  /// Where those who share tell each other what they have written.
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

  /// What stands for a text on the server, which cannot find it out without the secret, if there is one; nil
  /// without a library for digests. A secret of a command counts by its words: it is not run for this.
  func digest(of text: [UInt8]) -> [UInt8]? {
    guard let secret else { return Digest.sha256.of(text) }
    return Digest.sha256.hmac(key: Array(SecretIdentity.text(of: secret).utf8), text)
  }

  /// What the server is told first; to be sent, not to be kept.
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
  /// The variable of the environment that names the server for programs that say nothing of it.
  package static let variable = "LULL_SHARE"

  /// What it says; nil if it is not set, or empty.
  package static var ofEnvironment: Share? {
    // Copied at once; the environment is changed by nobody in this process.
    guard let text = getenv(variable).map({ String(cString: $0) }), !text.isEmpty else {
      return nil
    }
    return Share(url: text)
  }
}

extension Home {
  /// Shares with other machines by a server, from now on: limits that processes share, OAuth 2 tokens whose client
  /// has a credential, what a `SharedEntityCache` keeps, and news of that; `nil` ends that.
  ///
  /// Returns at once: it is connected to when one of these asks for something, and tried again as often as it is
  /// lost; without it each machine goes on by its own files. The last call holds. Lua: `lull.share{ … }`.
  ///
  ///     try home.share(Share(url: "redis://cache.internal"))
  ///
  /// - Throws: A `ShareError` if a setting makes no sense; whether the server is there does not matter.
  public func share(_ share: Share?) throws(ShareError) {
    try SharedLimits.share(share, on: pump)
  }
}

extension RateLimit {
  /// What one of so many hosts may let through that know nothing of each other: all together no more than
  /// this in the long run.
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
