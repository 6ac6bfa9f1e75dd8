public import LullCore

/// A cache on the server that hosts share, and that `Home.share` or `LULL_SHARE` names. (SCA-01 to
/// SCA-14)
///
/// It stores the same entities as `FileEntityCache`, by the same URL, stage, identity, version and
/// variant, with the same omissions. Everything is also stored in a file cache of this machine.
/// That file is read if there is no server or the server cannot be used, and then loads neither
/// wait for the server nor fail. An entity from the server is only accepted if it is intact and
/// belongs to its key; otherwise it is a miss. Large entities are decoded in the pool. Reads return
/// on a later turn. If several loads need the same stale entity, one of them gets a lease on the
/// server and requests the entity from the network, and the others wait for its result (SCA-20 to
/// SCA-26).
///
/// Resources in memory that have data or observers are updated when another host has written newer
/// data. Observers receive `newData(shared)`. (NEWS-30 to NEWS-38)
///
/// With `Options.secret`, others cannot read, forge or move the data on the server. Without it,
/// entries with an identity stay in the file, and the entries on the server can be read. If the
/// identity of a request is unknown, because of cookies, a command's output or credentials that a
/// mutation adds, its entries stay in the file unless `Options.identity` is set (SCA-16). Lua:
/// `lull.cache.shared()`.
public final class SharedEntityCache: CoordinatedEntityCache {
  /// The options of a shared cache.
  public struct Options: Sendable, Equatable {
    /// The version of the entries. Increase it when transformers change: entries of other versions
    /// are not found.
    public var version = 1
    /// The path of this machine's file; nil for `lull/cache.db` in `$XDG_CACHE_HOME`, or in
    /// `~/.cache`.
    public var path: String?
    /// The maximum size in bytes of the namespace's entries on the server, and of the whole file.
    /// The least recently used entries are evicted. On the server, entries are stored in eight
    /// parts. An entity may take at most an eighth of a part, or 4 MB.
    public var maxSize = 200 * 1024 * 1024
    /// The maximum age of entries in seconds, even for a service that is offline; nil for no limit.
    /// Without a limit, entries that were not used for 30 days are removed from the server.
    public var maxAge: Double?
    /// The identity that the entries belong to, if it does not follow from the configured headers.
    public var identity: String?
    /// The secret of the hosts that share entries. Entries on the server are sealed with it. nil
    /// keeps entries with an identity on this machine.
    public var secret: SecretText?

    /// Creates the default options: 200 MB, any age, no secret. If the version or age is negative,
    /// or the size is below 1 MB, requests that would use the cache fail without being sent.
    public init() {}

    /// The smallest allowed `maxSize`, in bytes.
    package static let leastSize = 1 << 20
  }

  /// The key of an entity, and the requester's headers.
  public struct Key {
    package let place: CacheKey
    fileprivate let headers: Headers
    fileprivate let pump: Pump
    fileprivate let local: FileEntityCache.Key?
    /// Whether the entity must not be shared with other hosts because its identity is unknown.
    fileprivate var isUnshared: Bool
  }

  /// The cache itself keeps operations in order, by its queue.
  public let operations = CacheOperations(isOrderedByCache: true)
  public let outlivesProcess = true
  /// The options that were passed. Changing a copy has no effect on the cache.
  public let options: Options
  /// The path of this machine's file; nil if there is no folder for it.
  public var path: String? { local.path }
  private let local: FileEntityCache
  private let secret: SharedCacheSecret?
  private let queue = SharedEntityQueue()
  private var hasToldOfIdentity = false
  /// Entries that must still be removed from the server.
  private var pendingRemovals: [SharedCacheKey: PendingRemoval] = [:]

  /// The maximum number of pending removals. Further ones are dropped, and their entries expire by
  /// age.
  private static let mostPendingRemovals = 10_000

  /// Creates a cache. It accesses neither file nor server before it is used.
  ///
  /// - Throws: A `ShareError` if the secret is empty or unknown without running a command.
  public convenience init(_ options: Options = Options()) throws(ShareError) {
    self.init(
      options, local: FileEntityCache(SharedEntityCache.fileOptions(options)),
      secret: try SharedEntityCache.secret(options))
  }

  /// Creates a cache that is always empty and accesses neither file nor server.
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
          "secret: it must be known when the cache is made, and not empty: pass a string, or a "
          + "secret from a variable or a file, not from a command")
    }
    guard let secret = SharedCacheSecret(text.utf8) else {
      throw ShareError(
        description: "secret: encryption is not available: it needs libcrypto.so.3 (libssl3)")
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

  /// Returns a key whose entity stays in the file, because its identity is unknown. If the script
  /// sets an identity, returns the key unchanged. (SCA-16)
  public func unsharedKey(of key: Key) -> Key {
    guard options.identity == nil else { return key }
    var key = key
    key.isUnshared = true
    return key
  }

  /// Follows announcements on the server's channel. Entities that are not stored on the server have
  /// no announcements. (NEWS-30)
  public func follow(_ key: Key, _ updates: () -> EntityUpdates) {
    guard let server = server(for: key) else { return }
    server.client.updates.follow(server.form.place.digest, updates())
  }

  /// Returns the access to the entry on the server, or nil if the entry is not stored there.
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
          // The entity is also stored in the file, so that this machine does not return older data
          // later without the server. (SCA-15)
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

  /// Accepts bytes, text and JSON only.
  public func accepts(_ entity: Entity) -> Bool { StoredEntity.accepts(entity) }

  /// Logs only once that entries stay on this machine. Whether this is intended or an error, it
  /// concerns all entries.
  private func tellOfIdentity(_ key: Key) {
    guard key.isUnshared || secret == nil && !key.place.identity.isEmpty, !hasToldOfIdentity else {
      return
    }
    hasToldOfIdentity = true
    let reason =
      key.isUnshared
      ? "its user is set by a command, a cookie or a mutation, not by identity"
      : "like all entities of an identity without a secret"
    key.pump.log(.cache, "\(LogText.url(key.place.url)): stored on this machine only: \(reason)")
  }

  public func writeEntity(_ entity: Entity, forKey key: Key, completion: @escaping () -> Void) {
    tellOfIdentity(key)
    // Later reads come after the write, so nothing has to wait for it.
    defer { completion() }
    if let localKey = key.local { local.writeEntity(entity, forKey: localKey) {} }
    // A script's value must not be retained after this call.
    let entity = accepts(entity) ? entity : nil
    change(key, byteCount: entity?.size ?? 0) { server, answer in
      if let entity { server.write(entity, answer) } else { server.remove(answer) }
    }
  }

  /// Changes an entity on the server, which may have lost an entity that this machine still has.
  ///
  /// - Parameters:
  ///   - change: Changes an entity. Returns whether the change concerns this entity.
  ///   - isDone: Whether this machine's entity has the change already, so that it can be written.
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

  /// Expires the entity of the key on the server, and in this machine's file the entities of the
  /// URL with all stages, versions and identities. (AGE-07)
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

  // MARK: Changes on the server

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
    // A program that ends should first send its changes to the server.
    server.pump.ending.hold()
    queue.perform(server.form.place.key, on: server.pump, byteCount: byteCount) { [self] done in
      body(server) { isAnswered in
        // The entry on the server is outdated, so it must be removed later.
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
    // A server that is no longer shared receives nothing.
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

/// The location of an entity on the server: a digest of everything that must match, which does not
/// reveal these values, and the keys derived from the digest.
///
/// The entries of a namespace are in `parts` parts. Each part is in one slot of a cluster and has
/// its own indexes.
struct SharedCacheKey: Hashable, Sendable {
  /// The digest in hexadecimal form. It also identifies the entity in announcements.
  let digest: String
  /// The prefix of the part's keys.
  let tag: String

  static let parts = 8
  private static let digestBytes = 16

  /// Returns nil without a library for digests.
  ///
  /// - Parameter secret: The cache's secret; nil uses that of the server's settings.
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

  /// Returns the key of another entity in the same part.
  func neighbour(_ digest: String) -> SharedCacheKey { .init(digest: digest, tag: tag) }

  static func tag(_ part: Int, _ namespace: String) -> String {
    "lull:{\(namespace):cache:\(part)}"
  }

  /// The key of the entry.
  var key: String { "\(tag):e:\(digest)" }

  /// The key of the fetch lease.
  var lease: String { "\(tag):f:\(digest)" }

  /// The indexes of a part: the last use, the expiry and the size of each entry.
  static func indexes(_ tag: String) -> [String] { ["\(tag):used", "\(tag):ends", "\(tag):sizes"] }

  var indexes: [String] { SharedCacheKey.indexes(tag) }
}

/// An entry that must still be removed from the server, as long as its home exists.
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

  /// Returns the access to the entry for its removal, or nil if the client or the home no longer
  /// exists.
  func server(maxSize: Int, maxAge: Double?) -> SharedEntityServer? {
    guard let client, let pump else { return nil }
    return SharedEntityServer(
      client: client, pump: pump, local: local, wanted: wanted, form: form, maxSize: maxSize,
      maxAge: maxAge)
  }
}

/// The secret of the hosts that share entities. Others can neither read nor forge sealed entities,
/// nor find out their identity.
struct SharedCacheSecret: Sendable {
  let seal: Seal
  private let key: [UInt8]

  /// Returns nil without a library for digests.
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
  /// The maximum age as a duration. (SWF-162)
  @_disfavoredOverload
  public var maxAge: Duration? {
    get { (self.maxAge as Double?).map { Duration(clamping: $0) } }
    set { self.maxAge = newValue.map { Double(seconds: $0) } as Double? }
  }
}
