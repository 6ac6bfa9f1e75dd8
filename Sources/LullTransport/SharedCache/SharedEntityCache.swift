public import LullCore

/// A cache on the server that hosts share, and that `Home.share` or `LULL_SHARE` names. (SCA-01 to
/// SCA-14)
///
/// It stores the same entities as `FileEntityCache`, keyed in the same way by URL, stage, identity,
/// version and variant, with the same omissions. Everything is also stored in a file cache of this
/// machine. If there is no server, or if the server cannot be used, that file is read. Loads then
/// neither wait for the server nor fail. An entity from the server is only accepted if it is intact
/// and belongs to its key; otherwise it is a miss. Large entities are decoded in the pool. Reads
/// return on a later turn. If several loads need the same stale entity, one load gets a lease on
/// the server and requests the entity from the network. The other loads wait for the result (SCA-20
/// to SCA-26).
///
/// Resources in memory that have data or observers are updated when another host has written newer
/// data. Observers receive `newData(shared)`. (NEWS-30 to NEWS-38)
///
/// With `Options.secret`, others cannot read, forge or move the data on the server. Without a
/// secret, entries with an identity stay in the file, and others can read the entries on the
/// server. The identity of a request is unknown if it depends on cookies, a command's output or
/// credentials that a mutation adds. The entries of such a request stay in the file unless
/// `Options.identity` is set (SCA-16). Lua: `lull.cache.shared()`.
public final class SharedEntityCache: QueryCache {
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
    /// The identity of the requester. Set it if the configured headers do not determine the
    /// identity.
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
    package fileprivate(set) var place: CacheKey
    fileprivate let headers: Headers
    fileprivate let pump: Pump
    fileprivate let local: FileEntityCache.Key?
    /// Whether the entity must not be shared with other hosts because its identity is unknown.
    fileprivate var isUnshared: Bool
  }

  /// The order of operations: the cache's own queue keeps them in order.
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
  /// The changes that must still be made on the server, such as removals of entries.
  private var pendingChanges: [PendingChange.Key: PendingChange] = [:]

  /// The maximum number of pending changes. Further changes are dropped, and their entries expire
  /// by age.
  private static let mostPendingChanges = 10_000

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
          "secret: its value must be available when the cache is made, and not empty: pass a string, "
          + "or a secret from a variable or a file, not from a command")
    }
    guard let secret = SharedCacheSecret(text.utf8) else {
      throw ShareError(
        description: "secret: encryption is not available: it needs libcrypto.so.3 (libssl3)")
    }
    return secret
  }

  public func key(for resource: Resource, at stage: PipelineStageKey) -> Key? {
    guard
      let place = CacheKey(
        resource, stage: stage, version: options.version, identityName: options.identity)
    else { return nil }
    let headers = resource.readHeaders.lines
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

  /// Makes `updates` follow the server's announcements about the entity of the key. There are no
  /// announcements about entities that are not stored on the server. (NEWS-30)
  public func follow(_ key: Key, _ updates: () -> EntityUpdates) {
    guard let server = server(for: key) else { return }
    server.client.updates.follow(server.form.place.digest, updates())
  }

  /// Returns an object that accesses the entry on the server, or nil if the entry is not stored on
  /// the server.
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

  public var distinguishesQueries: Bool { true }

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

  /// Logs that entries stay on this machine. The message is logged only once: whether this is
  /// intended or an error, all entries are concerned.
  private func tellOfIdentity(_ key: Key) {
    guard key.isUnshared || secret == nil && !key.place.identity.isEmpty, !hasToldOfIdentity else {
      return
    }
    hasToldOfIdentity = true
    let reason =
      key.isUnshared
      ? "the user is unknown, because credentials come from a command, a cookie or a mutation "
        + "(set identity)"
      : "an entity with an identity is shared only if the cache has a secret"
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

  /// Changes an entity on the server. If the server has lost the entity, writes the entity of this
  /// machine.
  ///
  /// - Parameters:
  ///   - change: Changes an entity. Returns whether the change concerns this entity.
  ///   - isDone: Whether this machine's entity already has the change, so that it can be written.
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

  /// Expires the queries of the URL with all stages, versions and identities, on the server and in
  /// this machine's file. (QUERY-20)
  package func expireQueries(
    asOf timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    defer { completion() }
    if let localKey = key.local { local.expireQueries(asOf: timestamp, forKey: localKey) {} }
    // Any query of the URL has the key of the common mark.
    var key = key
    key.place = CacheKey(url: key.place.url, query: "*", stage: "", version: 0)
    key.isUnshared = false
    guard let server = server(for: key) else { return }
    let change = PendingChange(server, .expireQueries(asOf: timestamp))
    guard isUsable(server) else { return postpone(change) }
    perform(server, orLater: change) { change.make(on: $0, $1) }
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
    makePendingChanges(on: server.client)
    return true
  }

  private func change(
    _ key: Key, byteCount: Int = 0,
    _ body: @escaping (SharedEntityServer, _ answer: @escaping (Bool) -> Void) -> Void
  ) {
    guard let server = server(for: key) else { return }
    // If it fails, the server's entry is outdated.
    let removal = PendingChange(server, .remove)
    guard isUsable(server) else { return postpone(removal) }
    perform(server, byteCount: byteCount, orLater: removal, body)
  }

  /// Makes a change on the server with `body`. If the server does not reply, makes `change` later.
  private func perform(
    _ server: SharedEntityServer, byteCount: Int = 0, orLater change: PendingChange,
    _ body: @escaping (SharedEntityServer, _ answer: @escaping (Bool) -> Void) -> Void
  ) {
    // A program that ends should first send its changes to the server.
    server.pump.ending.hold()
    queue.perform(server.form.place.key, on: server.pump, byteCount: byteCount) { [self] done in
      body(server) { isAnswered in
        if !isAnswered { self.postpone(change) }
        server.pump.ending.release()
        done()
      }
    }
  }

  private func postpone(_ change: PendingChange) {
    guard pendingChanges.count < SharedEntityCache.mostPendingChanges else { return }
    pendingChanges[change.key] = change
  }

  private func makePendingChanges(on client: ShareClient) {
    guard !pendingChanges.isEmpty else { return }
    let all = pendingChanges.values
    pendingChanges = [:]
    // A server that is no longer shared receives nothing.
    for change in all where change.client === client {
      guard let server = change.server(maxSize: options.maxSize, maxAge: options.maxAge) else {
        continue
      }
      perform(server, orLater: change) { change.make(on: $0, $1) }
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

/// The location of an entity on the server: the keys of the entity, and a digest from which they
/// are derived. The digest is computed from all values that must match, and does not reveal these
/// values.
///
/// The entries of a namespace are distributed over `parts` parts. Each part is in one slot of a
/// cluster and has its own indexes.
struct SharedCacheKey: Hashable, Sendable {
  /// The digest in hexadecimal form. It also identifies the entity in announcements.
  let digest: String
  /// The prefix of the part's keys.
  let tag: String
  /// For a query: the key of the stale mark that all queries of the URL share.
  let queriesMark: String?

  static let parts = 8
  private static let digestBytes = 16

  /// Returns nil without a library for digests.
  ///
  /// - Parameter secret: The cache's secret; nil uses the secret of the server's settings.
  init?(_ place: CacheKey, _ settings: ShareSettings, _ secret: SharedCacheSecret?) {
    var text: [UInt8] = []
    let identity = Hexadecimal.text(place.identity)
    for piece in ["entity", place.url, place.stage, String(place.version), identity] {
      text += "\(piece.utf8.count):\(piece)\n".utf8
    }
    func digest(of text: [UInt8]) -> [UInt8]? {
      let bytes = secret.map { $0.digest(of: text) } ?? settings.digest(of: text)
      return bytes.flatMap { $0.count >= SharedCacheKey.digestBytes ? $0 : nil }
    }
    if !place.query.isEmpty { text += "\(place.query.utf8.count):\(place.query)\n".utf8 }
    guard let bytes = digest(of: text) else { return nil }
    self.digest = Hexadecimal.text(bytes.prefix(SharedCacheKey.digestBytes))
    var deciding = bytes
    if !place.query.isEmpty {
      // All queries of a URL are in one part, whatever their stage, version and identity, so that
      // one script can read an entry and their common mark.
      guard let common = digest(of: Array("queries\n\(place.url)".utf8)) else { return nil }
      deciding = common
    }
    tag = SharedCacheKey.tag(
      Int(deciding[deciding.count - 1]) % SharedCacheKey.parts, settings.namespace)
    queriesMark =
      place.query.isEmpty
      ? nil : "\(tag):q:\(Hexadecimal.text(deciding.prefix(SharedCacheKey.digestBytes)))"
  }

  private init(digest: String, tag: String) {
    self.digest = digest
    self.tag = tag
    queriesMark = nil
  }

  /// Returns the key of another entity in the same part of the namespace.
  func neighbour(_ digest: String) -> SharedCacheKey { .init(digest: digest, tag: tag) }

  static func tag(_ part: Int, _ namespace: String) -> String {
    "lull:{\(namespace):cache:\(part)}"
  }

  /// The key of the entry on the server.
  var key: String { "\(tag):e:\(digest)" }

  /// The key of the fetch lease on the server.
  var lease: String { "\(tag):f:\(digest)" }

  /// The indexes of a part: the last use, the expiry and the size of each entry.
  static func indexes(_ tag: String) -> [String] { ["\(tag):used", "\(tag):ends", "\(tag):sizes"] }

  var indexes: [String] { SharedCacheKey.indexes(tag) }
}

/// A change that must still be made on the server. It is kept as long as its home exists.
struct PendingChange {
  enum Kind {
    /// Removes the entry from the server.
    case remove
    /// Marks the queries of the URL as stale as of that time.
    case expireQueries(asOf: Double)
  }

  /// Identifies a change. A later change replaces an earlier change with the same key.
  struct Key: Hashable {
    let place: SharedCacheKey
    let isOfQueries: Bool
  }

  private let kind: Kind
  private(set) weak var client: ShareClient?
  private weak var pump: Pump?
  private let local: CacheKey
  private let wanted: CacheVariant
  private let form: SharedEntityForm

  init(_ server: SharedEntityServer, _ kind: Kind) {
    self.kind = kind
    client = server.client
    pump = server.pump
    local = server.local
    wanted = server.wanted
    form = server.form
  }

  var key: Key {
    switch kind {
    case .remove: Key(place: form.place, isOfQueries: false)
    case .expireQueries: Key(place: form.place, isOfQueries: true)
    }
  }

  func make(on server: SharedEntityServer, _ answer: @escaping (Bool) -> Void) {
    switch kind {
    case .remove: server.remove(answer)
    case .expireQueries(let timestamp): server.expireQueries(asOf: timestamp, answer)
    }
  }

  /// Returns an object that accesses the server for this change, or nil if the client of the server
  /// no longer exists.
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
