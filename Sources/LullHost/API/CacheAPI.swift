import CLullBridge
import LullCore
import LullTransport

extension APIOwner {
  static let cache = APIOwner.module(
    "lull.cache", "Entity caches, for the stages of a pipeline.",
    """
    A cache belongs to one stage and stores the output of that stage. Successful GET loads write \
    to the cache. When a resource that has no data in memory is first read, it is looked up in the \
    cache.
    """,
    entries: [
      .function(
        "memory", "(): Cache",
        "A cache in memory, keyed by stage and URL.",
        """
        Several stages or services can share one cache. The cache lives as long as the last stage \
        or service that uses it.
        """,
        example: """
          api:configure("/users/*", { pipeline = { parsing = { cache = lull.cache.memory() } } })
          assert(user:load():await())
          user:wipe()
          print(assert(user:load_if_needed():await()).content.name)  --> Ann
          """, swift: "MemoryEntityCache", rules: "CACHE-14 CACHE-15 CACHE-37"
      ) { call throws(Misuse) in
        call.return(call.callbacks.makeMemoryCache())
      },
      .function(
        "file", "(options?: FileCacheOptions): Cache",
        "A cache in a file that scripts, shell commands and sessions share.",
        """
        The cache stores bytes, text and JSON with headers, age and validators. Tables made by a \
        transformer are not stored. A later process finds the entries: fresh data needs no \
        request, and stale data is revalidated with `If-None-Match` or `If-Modified-Since`. If a \
        response or its request has `Cache-Control: no-store`, the response is never stored, and \
        an existing entry is removed; the log reports this.

        Entries are keyed by URL, stage, `version`, configured headers, credentials in the URL, \
        and the names of `client_cert` and `client_key`; the file contains only a digest of this \
        key. Headers that do not identify the user are not part of the key: `Accept*`, \
        `Content-*`, `User-Agent`, `X-Request-ID`, `traceparent`, `Idempotency-Key`, \
        `Cache-Control`, `Range` and conditions such as `If-Match`. Response headers that hold \
        credentials, such as `Set-Cookie`, are not stored. The key cannot include credentials that \
        come from a command, from `mutate_requests` or from `cookies`: set `identity` for these. \
        (A `lull.secret` with `command` adds the command to the key, but not the command's \
        output.)

        The file is read and written in the background. Several processes can use one file, and a \
        process that is killed loses at most the entry that it is writing. A damaged file is \
        renamed to `….corrupt-<time>`, and a file of an older version of Lull to \
        `….version-<number>`. If the file cannot be used, the cache is skipped, with one warning \
        on standard error. The command `lull cache` shows and clears the cache. Not available in \
        the sandbox.
        """,
        example: """
          api:configure { pipeline = { parsing = { cache = lull.cache.file { version = 2 } } } }
          """, swift: "FileEntityCache", rules: "CACHE-14 CACHE-28 CACHE-31 LOAD-03"
      ) { call throws(Misuse) in try makeFileCache(call) },
      .function(
        "shared", "(options?: SharedCacheOptions): Cache",
        "A cache on the server that `lull.share` sets, for all hosts that share this server.",
        """
        The cache stores the same entities as `lull.cache.file`, with the same keys. Each entity \
        is also stored in a file on this machine. While the server is absent or cannot be used, \
        the file is read, and nothing waits for the server. An older entity never replaces a newer \
        entity. Data from the server is used only if it is complete and belongs to its key; any \
        other data counts as a cache miss.

        With `secret`, entries are encrypted (AES-256-GCM), and the server knows neither their \
        content nor their user. Without `secret`, entries that belong to an identity (a user's \
        credentials or headers) are stored only in the file, and all other entries can be read on \
        the server. Without a server, all entries are stored only in the file. Without `identity`, \
        entries of requests with cookies, with credentials printed by a command or with \
        credentials added by a mutation are stored only in the file. The server removes entries \
        that are unused for 30 days or older than `max_age`.

        If several hosts need the same stale entity through `load_if_needed()`, one of these hosts \
        requests the entity. The other hosts wait for the result; their observers get `new_data` \
        from `cache`, or `not_modified` if the result has the same `ETag`. If the request fails, \
        the other hosts request the entity themselves; if the request is cancelled or its process \
        is killed, one of them does. No host waits longer than 30 seconds, or for an entity that \
        cannot be stored. `load()` never waits for other hosts.

        Resources in memory that have data or are observed, and are not loading, receive newer \
        entities that other hosts write: observers get `new_data` from `shared`. Each write is \
        announced to the hosts on a separate connection, as a digest of the key and a time. Not \
        available in the sandbox.
        """,
        example: """
          lull.share { url = "rediss://cache.internal:6380", namespace = "team-a" }
          api:configure { pipeline = { parsing = {
            cache = lull.cache.shared { secret = lull.secret { env = "TEAM_SECRET" } } } } }
          """, swift: "SharedEntityCache", rules: "SCA-01 SCA-03 SCA-04 SCA-20 NEWS-30"
      ) { call throws(Misuse) in try makeSharedCache(call) },
    ])

  static let fileCacheOptions = APIOwner.table(
    "FileCacheOptions", "Options of `lull.cache.file`.",
    swift: "FileEntityCache.Options",
    entries: [
      .field(
        "version", "integer?",
        """
        The version of the entries; default 1. Increase it when transformers change: entries of \
        other versions are not found.
        """,
        swift: "FileEntityCache.Options.version"),
      .field(
        "path", "string?",
        "The path of the file; default `lull/cache.db` in `$XDG_CACHE_HOME`, or in `~/.cache`.",
        swift: "FileEntityCache.Options.path"),
      .field(
        "max_size", "integer?",
        """
        The maximum size of the file in bytes; default 200 MB. The least recently used entries are \
        evicted; a single entity may take at most an eighth of the maximum. While the file is in \
        use, a log file in the same folder takes up to about a quarter of the maximum, but rarely \
        more than 2 MB.
        """, swift: "FileEntityCache.Options.maxSize"),
      .field(
        "max_age", "number?",
        """
        The maximum age of entities in seconds: an older entity is not found, even offline. \
        Default no limit.
        """,
        swift: "FileEntityCache.Options.maxAge"),
      .field(
        "identity", "string?",
        """
        The user that the entries belong to. Set this option if configured headers do not identify \
        the user, or if a command prints the credential. The file contains only a digest of this \
        text.
        """,
        swift: "FileEntityCache.Options.identity"),
    ])

  static let sharedCacheOptions = APIOwner.table(
    "SharedCacheOptions", "Options of `lull.cache.shared`.",
    swift: "SharedEntityCache.Options",
    entries: [
      .field(
        "version", "integer?",
        """
        The version of the entries; default 1. Increase it when transformers change: entries of \
        other versions are not found.
        """,
        swift: "SharedEntityCache.Options.version"),
      .field(
        "path", "string?",
        "The path of the file on this machine; default the file of `lull.cache.file`.",
        swift: "SharedEntityCache.Options.path"),
      .field(
        "max_size", "integer?",
        """
        The maximum size of the namespace on the server, and of the file, in bytes; default 200 \
        MB. The least recently used entries are evicted. On the server, the namespace is split \
        into eight parts of the same size, which a cluster can spread over its nodes. A single \
        entity may take at most an eighth of a part, and at most 4 MB.
        """, swift: "SharedEntityCache.Options.maxSize"),
      .field(
        "max_age", "number?",
        """
        The maximum age of entities in seconds: an older entity is not found, even offline. \
        Default no limit.
        """,
        swift: "SharedEntityCache.Options.maxAge"),
      .field(
        "identity", "string?",
        """
        The user that the entries belong to. Set this option if configured headers do not identify \
        the user, or if a command prints the credential: without `identity`, such entries are \
        stored only in the file.
        """,
        swift: "SharedEntityCache.Options.identity"),
      .field(
        "secret", "Secret|string|nil",
        """
        A key that only the programs that share the entries know. The key must be long and random, \
        and must not come from a command. Entries are found only with the same key.
        """, swift: "SharedEntityCache.Options.secret"),
    ])

  static let memoryCache = APIOwner.object(
    .cache, receiver: "cache", "A built-in cache, which can be set for a stage of a pipeline.",
    "A cache has no members.", swift: "MemoryEntityCache", entries: [],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        call.return(.string(try call.selfObject(.cache, as: CacheBox.self).text))
      }
    ])

  static let cacheTable = APIOwner.table(
    "CacheTable", "Your own cache: a table with the methods below.",
    """
    The methods are called one at a time, in the order of the operations. An error in a method \
    counts as a cache miss or as a failed write: the load continues, and the error is reported.
    """,
    swift: "EntityCache",
    entries: [
      .field(
        "key", "fun(self: table, resource: Resource, stage: string): any",
        """
        Returns the cache key of a resource at a stage, or nil if the resource is not cached. In \
        an environment of an API file, and for a query, the key must be a string. Lull appends the \
        environment and a digest of the query. Must return at once.
        """,
        swift: "EntityCache.key(for:at:)", rules: "CACHE-23 CACHE-24"),
      .field(
        "read", "fun(self: table, key: any): Entity?",
        """
        Returns the entity stored under a key, with the entity's timestamp; nil if there is no \
        entry. May wait.
        """,
        swift: "EntityCache.readEntity(forKey:completion:)", rules: "CACHE-01 CACHE-31"),
      .field(
        "write", "fun(self: table, key: any, entity: Entity)",
        """
        Stores an entity under a key; the method may also choose not to store the entity. May \
        wait.
        """,
        swift: "EntityCache.writeEntity(_:forKey:completion:)", rules: "CACHE-14 CACHE-28"),
      .field(
        "update_timestamp", "(fun(self: table, key: any, timestamp: number))?",
        """
        Sets the timestamp of a stored entity after a 304. Without this method, Lull reads the \
        entity, changes its timestamp and writes it back, but only if the entity's validators \
        match those of the 304. May wait.
        """,
        swift: "EntityCache.updateEntityTimestamp(_:forKey:completion:)", rules: "CACHE-19 CACHE-26"
      ),
      .field(
        "remove", "fun(self: table, key: any)",
        """
        Removes an entry, so that later reads find nothing. Also called when an invalidation, or a \
        successful request such as a POST, makes the entry stale. May wait.
        """,
        swift: "EntityCache.removeEntity(forKey:completion:)", rules: "CACHE-20 CACHE-27 INV-59"),
    ])
}

extension APIOwner {
  static let fileCacheKeys = ["version", "path", "max_size", "max_age", "identity"]

  static let sharedCacheKeys = fileCacheKeys + ["secret"]

  /// Implements `lull.cache.file([{ version =, path =, max_size =, max_age =, identity = }])`.
  static func makeFileCache(_ call: Call) throws(Misuse) {
    try call.permissions.refuseUnlessInspecting("lull.cache.file")
    var options = FileEntityCache.Options()
    try readOptions(call, known: fileCacheKeys) { name, value throws(Misuse) in
      switch name {
      case "version": options.version = try version(value, name)
      case "path": options.path = try text(ofOption: value, name)
      case "identity": options.identity = try text(ofOption: value, name)
      case "max_size":
        options.maxSize = try size(value, name, atLeast: FileEntityCache.Options.leastSize)
      default: options.maxAge = try seconds(value, name)
      }
    }
    answer(
      call,
      .file(
        call.permissions.isInspecting ? FileEntityCache(inert: options) : FileEntityCache(options)))
  }

  /// Implements `lull.cache.shared([{ version =, path =, max_size =, max_age =, identity =, secret
  /// = }])`.
  static func makeSharedCache(_ call: Call) throws(Misuse) {
    try call.permissions.refuseUnlessInspecting("lull.cache.shared")
    var options = SharedEntityCache.Options()
    try readOptions(call, known: sharedCacheKeys) { name, value throws(Misuse) in
      switch name {
      case "version": options.version = try version(value, name)
      case "path": options.path = try text(ofOption: value, name)
      case "identity": options.identity = try text(ofOption: value, name)
      case "max_size":
        options.maxSize = try size(value, name, atLeast: SharedEntityCache.Options.leastSize)
      case "secret":
        options.secret = try credential(call, value, name, of: "lull.cache.shared")
      default: options.maxAge = try seconds(value, name)
      }
    }
    guard !call.permissions.isInspecting else {
      return answer(call, .shared(SharedEntityCache(inert: options)))
    }
    do throws(ShareError) {
      answer(call, .shared(try SharedEntityCache(options)))
    } catch {
      throw .message(error.description)
    }
  }

  private static func readOptions(
    _ call: Call, known: [String],
    _ read: (_ name: String, _ value: lull_value) throws(Misuse) -> Void
  ) throws(Misuse) {
    guard !call.isNil(0) else { return }
    try call.reading.options.forEach(of: call.index(0), in: call.state, known: known, read)
  }

  private static func answer(_ call: Call, _ cache: CacheBox.Cache) {
    let handle = call.handles.insert(CacheBox(cache), kind: .cache)
    call.return(.object(handle: handle, kind: HandleKind.cache.rawValue, service: 0, anchor: 0))
  }

  private static func version(_ value: lull_value, _ name: String) throws(Misuse) -> Int {
    let rule = NumberRule.count(from: 0)
    guard let version = value.double.flatMap({ Int(exactly: $0) }), rule.allows(Double(version))
    else { throw mustBe(name, rule.expectation, value) }
    return version
  }

  private static func size(
    _ value: lull_value, _ name: String, atLeast least: Int
  ) throws(Misuse) -> Int {
    let rule = NumberRule.bytes(from: least)
    guard let size = value.double, rule.allows(size), size < 1e15 else {
      throw mustBe(name, rule.expectation, value)
    }
    return Int(size)
  }

  private static func seconds(_ value: lull_value, _ name: String) throws(Misuse) -> Double {
    guard let seconds = value.double, NumberRule.seconds.allows(seconds) else {
      throw mustBe(name, NumberRule.seconds.expectation, value)
    }
    return seconds
  }

  private static func text(ofOption value: lull_value, _ name: String) throws(Misuse) -> String {
    guard let text = value.string, !text.isEmpty, !text.utf8.contains(0) else {
      throw mustBe(name, "a non-empty string", value)
    }
    return text
  }

  private static func mustBe(_ name: String, _ what: String, _ value: lull_value) -> Misuse {
    .message("'\(name)' must be \(what), got \(value.described)")
  }
}
