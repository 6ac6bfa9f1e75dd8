import LullCore
import LullSystem

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
  var newsChannel: String { "lull:{\(namespace)}:news" }

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
