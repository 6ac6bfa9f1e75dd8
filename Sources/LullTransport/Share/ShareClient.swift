import LullCore
import LullSystem

/// The server that this home shares by: one connection, made when something is asked first. Home thread only.
final class ShareClient: PumpGuest {
  let address: ShareAddress
  let namespace: String
  /// Which one of this process it is; above 0.
  let serial = Int.random(in: 1..<Int.max)
  private let password: SecretText?
  private unowned let pump: Pump
  private let store: SecretStore
  private var link: ShareLink?
  private var hasWarned = false
  private var isClosed = false
  private let warn: (String) -> Void
  /// Admissions are told apart by numbers that nobody else has.
  private var lastNumber = -Int64.random(in: 1 << 40..<1 << 62)

  static let mostNamespaceBytes = 100

  init(
    _ share: Share, _ pump: Pump, warn: @escaping (String) -> Void = CacheStore.warn
  ) throws(ShareError) {
    do throws(ShareAddress.Problem) {
      address = try ShareAddress(share.url)
    } catch {
      throw ShareError(description: "url: \(error.message)")
    }
    let namespace = share.namespace ?? "lull"
    let isName = namespace.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_.:/".utf8.contains(byte)
      }
    }
    guard isName, (1...ShareClient.mostNamespaceBytes).contains(namespace.utf8.count) else {
      throw ShareError(
        description:
          "namespace: '\(LogText.part(namespace, limit: 120))' is no name: letters, digits and -_.:/, "
          + "\(ShareClient.mostNamespaceBytes) bytes at most")
    }
    if share.password != nil, address.password != nil {
      throw ShareError(
        description: "the password stands in url and in password: give one of them")
    }
    self.namespace = namespace
    self.pump = pump
    self.warn = warn
    password = share.password
    store = SecretStore(pump: pump)
  }

  deinit { close() }

  func turnBegins() {}
  func turnEnded() {}

  /// What ends before the very end may still give something back.
  func pumpCloses() {
    if pump.ending.hasEnded { close() } else { pump.add(self) }
  }

  func close() {
    isClosed = true
    link?.close()
    link = nil
    store.close()
  }

  /// What the keys of a limit begin with: all of them on one server of a cluster.
  func tag(of key: LimitKey) -> String {
    let identity = Hexadecimal.text(key.identity)
    let digest = Digest.sha256.of("limit\n\(key.name)\n\(identity)") ?? Array(key.name.utf8)
    return "lull:{\(namespace):limit:\(Hexadecimal.text(digest.prefix(16)))}"
  }

  func makeNumber() -> Int64 {
    lastNumber -= 1
    return lastNumber
  }

  // MARK: Asking

  var isUsable: Bool { link?.isUsable ?? !isClosed }

  /// Runs the script of limits; the answer comes once, on a later turn, or inside this call that there is
  /// none.
  func run(_ script: LimitCall, _ finish: @escaping ShareLink.Finish) {
    guard !isClosed else { return finish(.unavailable) }
    let link = openedLink()
    link.run(script.command(byDigest: true)) { [weak link] outcome in
      guard case .reply(.failure(let words)) = outcome else { return finish(outcome) }
      guard words.hasPrefix("NOSCRIPT"), let link else {
        link?.fail("it refuses a script: \(LogText.part(words, limit: 120))")
        return finish(.unavailable)
      }
      link.run(script.command(byDigest: false), finish)
    }
  }

  /// The same without an answer; nothing happens while the server is not there.
  func post(_ script: LimitCall) {
    guard let link else { return }
    link.post(script.command(byDigest: true)) { [weak link] outcome in
      guard case .reply(.failure(let words)) = outcome, words.hasPrefix("NOSCRIPT") else { return }
      link?.post(script.command(byDigest: false))
    }
  }

  /// What it says makes no sense.
  func refuse(_ reason: String) { link?.fail(reason) }

  private func openedLink() -> ShareLink {
    if let link { return link }
    let link = ShareLink(address.place, pump: pump) { [weak self] finish in
      guard let self else { return finish(.success([])) }
      greet(finish)
    }
    link.onChange = { [weak self] in self?.changed() }
    self.link = link
    return link
  }

  /// What the server is told first: who asks, and where.
  private func greet(_ finish: @escaping (Result<[ShareLink.Greeting], ShareProblem>) -> Void) {
    let secrets = password?.secrets ?? []
    // Told once; the store is closed before this goes.
    _ = store.fetch(secrets) { [weak self] error in
      guard let self else { return }
      do throws(TransportError) {
        if let error { throw error }
        var greetings: [ShareLink.Greeting] = []
        let password = try password.map { text throws(TransportError) in
          try self.store.bytes(of: text)
        }
        if let password = password ?? address.password.map({ Array($0.utf8) }) {
          let user = address.user.map { [Array($0.utf8)] } ?? []
          greetings.append(.init(command: RESPCommand([Array("AUTH".utf8)] + user + [password])))
        }
        if address.database != 0 {
          greetings.append(.init(command: RESPCommand("SELECT", "\(address.database)")))
        }
        greetings.append(
          .init(command: RESPCommand("CLIENT", "SETNAME", "lull"), isOptional: true))
        greetings.append(.init(command: RESPCommand("PING")))
        finish(.success(greetings))
      } catch {
        finish(.failure(ShareProblem(message: error.message)))
      }
    }
  }

  private func changed() {
    guard let link, let trouble = link.trouble, link.state == .down, !hasWarned else { return }
    hasWarned = true
    warn(
      "the shared server \(address.shown) cannot be used (\(trouble)): until it can, limits hold for this "
        + "machine alone")
  }
}
