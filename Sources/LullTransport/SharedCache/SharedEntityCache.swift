public import LullCore

/// A cache on the server by which hosts share, named by `Home.share` or `LULL_SHARE`. (SCA-01 to SCA-14)
///
/// Keeps what `FileEntityCache` keeps, by the same URL, stage, identity, version and variant, with the same
/// left out. Whatever it keeps stands in a file cache of this machine too, which is read while there is no server,
/// or it cannot be used: nobody waits for it then, and no load fails. What comes from the server is believed
/// when it is whole and belongs where it was found, else it is a miss. Large entities are taken apart in the
/// pool; reads come back on a later turn. Of loads that need the same stale entity one asks the network, by a
/// lease on the server, and the others wait for what it brings (SCA-20 to SCA-26).
///
/// Resources in memory that have data or observers take what another host has written, if it is newer; observers
/// hear `newData(shared)`. (NEWS-30 to NEWS-38)
///
/// With `Options.secret` the server has nothing that others can read, make or move to another place. Without it
/// entries of an identity stay in the file; the others can be read. Of requests whose identity is not known, with
/// cookies, with what a command prints or with credentials that a mutation adds, entries stay in the file unless
/// `Options.identity` says whose they are (SCA-16). Lua: `lull.cache.shared()`.
public final class SharedEntityCache: CoordinatedEntityCache {
  /// What a shared cache may be told.
  public struct Options: Sendable, Equatable {
    /// To be raised when transformers change: entries of other versions are not found.
    public var version = 1
    /// The file of this machine; nil: `lull/cache.db` in `$XDG_CACHE_HOME`, or in `~/.cache`.
    public var path: String?
    /// Of what the namespace keeps on the server, and of the whole file, in bytes; what has not been used
    /// for longest goes. The server's is kept in eight parts, and no entity may take more than an eighth of
    /// one, or 4 MB.
    public var maxSize = 200 * 1024 * 1024
    /// What is older, in seconds, is not there, even for a service that is offline; nil: no limit, but what
    /// nobody has used for 30 days is removed from the server.
    public var maxAge: Double?
    /// Whose entries these are, if requests do not tell by headers that are configured.
    public var identity: String?
    /// What only those have who share entries, which are sealed with it; nil: entries of an identity stay on
    /// this machine.
    public var secret: SecretText?

    /// 200 MB, of any age, without a secret. With a negative version or age, or a size below 1 MB, requests that would
    /// use the cache fail unsent.
    public init() {}

    /// In bytes.
    package static let leastSize = 1 << 20
  }

  /// The place of an entity, and who looks for it.
  public struct Key {
    package let place: CacheKey
    fileprivate let headers: Headers
    fileprivate let pump: Pump
    fileprivate let local: FileEntityCache.Key?
    /// Whether it is none of other hosts' business, as nobody knows whose it is.
    fileprivate var isUnshared: Bool
  }

  /// The queue keeps the order.
  public let operations = CacheOperations(isOrderedByCache: true)
  public let outlivesProcess = true
  /// As they were given; changing a copy of them changes nothing here.
  public let options: Options
  /// The file of this machine; nil if there is no folder to put it in.
  public var path: String? { local.path }
  private let local: FileEntityCache
  private let secret: SharedCacheSecret?
  private let queue = SharedEntityQueue()
  private var hasToldOfIdentity = false
  /// Entries that the server could not be told to remove.
  private var pendingRemovals: [SharedCacheKey: PendingRemoval] = [:]

  /// More are forgotten, and end by their age.
  private static let mostPendingRemovals = 10_000

  /// Touches neither file nor server before it is used.
  ///
  /// - Throws: A `ShareError` if the secret is not known without running a command, or empty.
  public convenience init(_ options: Options = Options()) throws(ShareError) {
    self.init(
      options, local: FileEntityCache(SharedEntityCache.fileOptions(options)),
      secret: try SharedEntityCache.secret(options))
  }

  /// One that has nothing, keeps nothing, asks nobody and touches no file.
  package convenience init(inert options: Options) {
    self.init(
      options, local: FileEntityCache(inert: SharedEntityCache.fileOptions(options)), secret: nil)
  }

  private init(_ options: Options, local: FileEntityCache, secret: SharedCacheSecret?) {
    self.options = options
    self.local = local
    self.secret = secret
  }

  private static func fileOptions(_ options: Options) -> FileEntityCache.Options {
    var file = FileEntityCache.Options()
    file.version = options.version
    file.path = options.path
    file.maxSize = options.maxSize
    file.maxAge = options.maxAge
    file.identity = options.identity
    return file
  }

  private static func secret(_ options: Options) throws(ShareError) -> SharedCacheSecret? {
    guard let given = options.secret else { return nil }
    guard let text = SecretIdentity.knownText(of: SecretIdentity.settled(given)) else {
      throw ShareError(
        description:
          "secret: it must be known when the cache is made, and not empty: give a text, or a secret of a "
          + "variable or a file, and not of a command")
    }
    guard let secret = SharedCacheSecret(text.utf8) else {
      throw ShareError(
        description: "secret: there is no way to seal here: it needs libcrypto.so.3 (libssl3)")
    }
    return secret
  }

  public func key(for resource: Resource, at stage: PipelineStageKey) -> Key? {
    guard let identity = CacheIdentity.digest(of: resource, name: options.identity) else {
      return nil
    }
    let place = CacheKey(
      url: LogText.withoutUser(resource.url.text), stage: stage.description,
      version: options.version, identity: identity)
    let headers = resource.configuration(for: .get).headers.lines
    return Key(
      place: place, headers: headers, pump: resource.pump,
      local: local.key(place, headers, resource.pump),
      isUnshared: options.identity == nil && CacheIdentity.isUncertain(of: resource))
  }

  /// Whose it is nobody knows, unless the script says so: it stays in the file. (SCA-16)
  public func unsharedKey(of key: Key) -> Key {
    guard options.identity == nil else { return key }
    var key = key
    key.isUnshared = true
    return key
  }

  /// By the channel of the server; nobody is told of what has no place there. (NEWS-30)
  public func follow(_ key: Key, _ updates: () -> EntityUpdates) {
    guard let server = server(for: key) else { return }
    server.client.updates.follow(server.form.place.digest, updates())
  }

  /// The entry on the server; nil: it has no place there.
  private func server(for key: Key) -> SharedEntityServer? {
    guard !key.isUnshared, key.place.identity.isEmpty || secret != nil,
      let client = (key.pump.limits as? SharedLimits)?.connected,
      let place = SharedCacheKey(key.place, client.settings, secret)
    else { return nil }
    return SharedEntityServer(
      client: client, pump: key.pump, local: key.place, wanted: .answering(key.headers),
      form: SharedEntityForm(place: place, seal: secret?.seal), maxSize: options.maxSize,
      maxAge: options.maxAge)
  }

  public func readEntity(forKey key: Key, completion: @escaping (Entity?) -> Void) {
    guard let server = usableServer(for: key) else { return readLocal(key, completion) }
    queue.perform(server.form.place.key, on: server.pump) { [self] done in
      server.read(queue) { outcome in
        switch outcome {
        case .found(let entity):
          // Without the server this machine does not go back behind it. (SCA-15)
          if let entity, let localKey = key.local {
            self.local.replaceOlder(with: entity, forKey: localKey)
          }
          completion(entity)
        case .unavailable: self.readLocal(key, completion)
        }
        done()
      }
    }
  }

  private func readLocal(_ key: Key, _ completion: @escaping (Entity?) -> Void) {
    guard let localKey = key.local else { return completion(nil) }
    local.readEntity(forKey: localKey, completion: completion)
  }

  /// Only bytes, text and JSON.
  public func accepts(_ entity: Entity) -> Bool { StoredEntity.accepts(entity) }

  /// Once, since it is so by intent or by mistake, and then for all of them.
  private func tellOfIdentity(_ key: Key) {
    guard key.isUnshared || secret == nil && !key.place.identity.isEmpty, !hasToldOfIdentity else {
      return
    }
    hasToldOfIdentity = true
    let reason =
      key.isUnshared
      ? "whose it is is not known: a command, a cookie or a mutation says it, and not identity"
      : "as all of an identity without a secret"
    key.pump.log(.cache, "\(LogText.url(key.place.url)): kept on this machine only, \(reason)")
  }

  public func writeEntity(_ entity: Entity, forKey key: Key, completion: @escaping () -> Void) {
    tellOfIdentity(key)
    // Later reads come after it; nobody else waits for it.
    defer { completion() }
    if let localKey = key.local { local.writeEntity(entity, forKey: localKey) {} }
    // A value of the script must not be held beyond this call.
    let entity = accepts(entity) ? entity : nil
    change(key, byteCount: entity?.size ?? 0) { server, answer in
      if let entity { server.write(entity, answer) } else { server.remove(answer) }
    }
  }

  /// On the server, which may have lost the entity that this machine still has.
  ///
  /// - Parameters:
  ///   - change: whether the entity is the one.
  ///   - isDone: whether what this machine has is the one, as it is then.
  private func update(
    _ key: Key, _ change: @escaping (inout Entity) -> Bool,
    isDone: @escaping (Entity) -> Bool = { _ in true }
  ) {
    self.change(key) { [self] server, answer in
      let find = { (found: @escaping (Entity?) -> Void) in
        self.readLocal(key) { entity in found(entity.flatMap { isDone($0) ? $0 : nil }) }
      }
      server.change(change, orWrite: find, answer)
    }
  }

  public func confirmEntity(
    _ confirmation: EntityConfirmation, forKey key: Key, completion: @escaping () -> Void
  ) {
    defer { completion() }
    if let localKey = key.local { local.confirmEntity(confirmation, forKey: localKey) {} }
    update(key, { confirmation.confirm(&$0) }, isDone: confirmation.hasConfirmed)
  }

  public func updateEntityTimestamp(
    _ timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    defer { completion() }
    if let localKey = key.local {
      local.updateEntityTimestamp(timestamp, forKey: localKey) {}
    }
    update(key) {
      $0.timestamp = timestamp
      return true
    }
  }

  /// On the server of this place, in the file of this machine of every stage, version and identity of the URL. (AGE-07)
  public func expireEntity(
    asOf timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    defer { completion() }
    if let localKey = key.local { local.expireEntity(asOf: timestamp, forKey: localKey) {} }
    change(key) { $0.expire(asOf: timestamp, $1) }
  }

  public func removeEntity(forKey key: Key, completion: @escaping () -> Void) {
    defer { completion() }
    if let localKey = key.local { local.removeEntity(forKey: localKey) {} }
    change(key) { $0.remove($1) }
  }

  // MARK: What the server is told

  private func usableServer(for key: Key) -> SharedEntityServer? {
    guard let server = server(for: key), isUsable(server) else { return nil }
    return server
  }

  private func isUsable(_ server: SharedEntityServer) -> Bool {
    guard server.client.isUsable(server.form.place.tag, on: .entities) else { return false }
    removePending(from: server.client)
    return true
  }

  private func change(
    _ key: Key, byteCount: Int = 0,
    _ body: @escaping (SharedEntityServer, _ answer: @escaping (Bool) -> Void) -> Void
  ) {
    guard let server = server(for: key) else { return }
    guard isUsable(server) else { return postponeRemoval(server) }
    perform(server, byteCount: byteCount, body)
  }

  private func perform(
    _ server: SharedEntityServer, byteCount: Int = 0,
    _ body: @escaping (SharedEntityServer, _ answer: @escaping (Bool) -> Void) -> Void
  ) {
    // A program that ends is to have told others what it has found out.
    server.pump.ending.hold()
    queue.perform(server.form.place.key, on: server.pump, byteCount: byteCount) { [self] done in
      body(server) { isAnswered in
        // Whatever the server has is of the past.
        if !isAnswered { self.postponeRemoval(server) }
        server.pump.ending.release()
        done()
      }
    }
  }

  private func postponeRemoval(_ server: SharedEntityServer) {
    guard pendingRemovals.count < SharedEntityCache.mostPendingRemovals else { return }
    pendingRemovals[server.form.place] = PendingRemoval(server)
  }

  private func removePending(from client: ShareClient) {
    guard !pendingRemovals.isEmpty else { return }
    let all = pendingRemovals.values
    pendingRemovals = [:]
    // A server that is not shared by any more is told nothing.
    for removal in all where removal.client === client {
      guard let server = removal.server(maxSize: options.maxSize, maxAge: options.maxAge) else {
        continue
      }
      perform(server) { $0.remove($1) }
    }
  }
}

extension SharedEntityCache: FetchSharing {
  package func makeTurn(forKey key: Key) -> (any FetchTurn)? {
    usableServer(for: key).map { SharedFetchTurn($0, queue) }
  }
}

extension SharedEntityCache: CheckedSettings {
  package var settingProblem: SettingProblem? {
    var check = SettingCheck()
    check.check("version", options.version, .count(from: 0))
    check.check("maxSize", options.maxSize, .bytes(from: Options.leastSize))
    if let seconds = options.maxAge { check.check("maxAge", seconds, .seconds) }
    return check.problem
  }
}

/// Where an entity is on the server: a digest of what must be the same for it to be the one that is looked for,
/// which tells nobody what that is, and the keys that are made of it.
///
/// What a namespace keeps is in `parts` parts, each in one place of a cluster and with indexes of its own.
struct SharedCacheKey: Hashable, Sendable {
  /// Hexadecimal; what others are told by that something has been written.
  let digest: String
  /// What the keys of its part begin with.
  let tag: String

  static let parts = 8
  private static let digestBytes = 16

  /// nil without a library for digests.
  ///
  /// - Parameter secret: of the cache; nil: what the server's settings say.
  init?(_ place: CacheKey, _ settings: ShareSettings, _ secret: SharedCacheSecret?) {
    var text: [UInt8] = []
    let identity = Hexadecimal.text(place.identity)
    for piece in ["entity", place.url, place.stage, String(place.version), identity] {
      text += "\(piece.utf8.count):\(piece)\n".utf8
    }
    guard let bytes = secret.map({ $0.digest(of: text) }) ?? settings.digest(of: text),
      bytes.count >= SharedCacheKey.digestBytes
    else { return nil }
    digest = Hexadecimal.text(bytes.prefix(SharedCacheKey.digestBytes))
    let part = Int(bytes[bytes.count - 1]) % SharedCacheKey.parts
    tag = SharedCacheKey.tag(part, settings.namespace)
  }

  private init(digest: String, tag: String) {
    self.digest = digest
    self.tag = tag
  }

  /// Another one of the same part.
  func neighbour(_ digest: String) -> SharedCacheKey { .init(digest: digest, tag: tag) }

  static func tag(_ part: Int, _ namespace: String) -> String {
    "lull:{\(namespace):cache:\(part)}"
  }

  /// What is kept there.
  var key: String { "\(tag):e:\(digest)" }

  /// Who fetches it.
  var lease: String { "\(tag):f:\(digest)" }

  /// The indexes of a part: when each entry was used last, when it ends, and how large it is.
  static func indexes(_ tag: String) -> [String] { ["\(tag):used", "\(tag):ends", "\(tag):sizes"] }

  var indexes: [String] { SharedCacheKey.indexes(tag) }
}

/// An entry that a server could not be told to remove, which is still to be told for as long as its home is there.
struct PendingRemoval {
  private(set) weak var client: ShareClient?
  private weak var pump: Pump?
  private let local: CacheKey
  private let wanted: CacheVariant
  private let form: SharedEntityForm

  init(_ server: SharedEntityServer) {
    client = server.client
    pump = server.pump
    local = server.local
    wanted = server.wanted
    form = server.form
  }

  /// Where it is paid; nil: nowhere any more.
  func server(maxSize: Int, maxAge: Double?) -> SharedEntityServer? {
    guard let client, let pump else { return nil }
    return SharedEntityServer(
      client: client, pump: pump, local: local, wanted: wanted, form: form, maxSize: maxSize,
      maxAge: maxAge)
  }
}

/// What only those have who share entities: what it seals nobody else can read or make, nor find out whose it is.
struct SharedCacheSecret: Sendable {
  let seal: Seal
  private let key: [UInt8]

  /// nil without a library for digests.
  init?(_ secret: some Sequence<UInt8>) {
    let secret = Array(secret)
    let salt = Array("lull share 1".utf8)
    guard let seal = Seal(secret: secret, purpose: "entities"),
      let key = Seal.key(of: secret, salt: salt, info: Array("places of entities".utf8))
    else { return nil }
    self.seal = seal
    self.key = key
  }

  func digest(of text: [UInt8]) -> [UInt8]? { Digest.sha256.hmac(key: key, text) }
}

extension SharedEntityCache.Options: DurationSettable {}

extension DurationSettable where Self == SharedEntityCache.Options {
  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var maxAge: Duration? {
    get { (self.maxAge as Double?).map { Duration(clamping: $0) } }
    set { self.maxAge = newValue.map { Double(seconds: $0) } as Double? }
  }
}
