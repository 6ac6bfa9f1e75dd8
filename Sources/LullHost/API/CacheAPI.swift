import CLullBridge
import LullCore
import LullTransport

extension APIOwner {
  static let cache = APIOwner.module(
    "lull.cache", "Entity caches, for the stages of a pipeline.",
    """
    A cache belongs to one stage: it keeps what that stage put out. Successful GET loads write \
    it; the first look at an untouched resource reads it.
    """,
    entries: [
      .function(
        "memory", "(): Cache",
        "A cache in memory, keyed by stage and URL.",
        """
        Given to several stages or services it is shared by all of them. It ends with the last of \
        its users.
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
        "A cache in a file, which scripts, calls from the shell and sessions share.",
        """
        Keeps bytes, text and JSON with headers, age and validators; tables that a transformer has \
        made are not kept. A later process finds them: fresh data needs no request, stale data is \
        asked for with `If-None-Match` or `If-Modified-Since`. What came with `Cache-Control: no-store`, \
        or was asked for with it, is never written, and removes what is there; the log says so. \
        Entries are told apart by URL, stage, \
        `version`, the headers that are configured, the credentials in the URL, and the names of \
        `client_cert` and `client_key`; the file has a digest of these only. Headers that say nothing of \
        who asks do not count: `Accept*`, `Content-*`, `User-Agent`, `X-Request-ID`, `traceparent`, \
        `Idempotency-Key`, `Cache-Control`, `Range` and conditions such as `If-Match`. Headers of \
        answers that are called like credentials, such as `Set-Cookie`, are left out. Whose entries \
        they are is not seen where credentials come from a command (a \
        `lull.secret` with `command` or `shell` counts by its words, not by what they print), from \
        `mutate_requests` or from `cookies`: say it with `identity`.

        Reading and writing happen beside the script; several processes may use one file, and one that \
        is killed loses at most what it is writing. A file that is damaged is renamed to \
        `….corrupt-<time>`, one of an older Lull to `….version-<number>`; one that cannot be used is \
        done without, with one warning on standard \
        error. `lull cache` shows and clears it. Not available in the sandbox.
        """,
        example: """
          api:configure { pipeline = { parsing = { cache = lull.cache.file { version = 2 } } } }
          """, swift: "FileEntityCache", rules: "CACHE-14 CACHE-28 CACHE-31 LOAD-03"
      ) { call throws(Misuse) in try makeFileCache(call) },
      .function(
        "shared", "(options?: SharedCacheOptions): Cache",
        "A cache on the server of `lull.share`, for all hosts that share by it.",
        """
        Keeps what `lull.cache.file` keeps, told apart by the same, and leaves out the same. Whatever it \
        keeps is in a file of this machine too, which is read while there is no server, or it cannot be \
        used: nobody waits for it then. An older entity takes the place of no newer one. What comes from the \
        server is believed when it is whole and belongs where it was found; anything else is a miss. With \
        `secret` entries are sealed (AES-256-GCM), and the server knows neither what nor whose they are; \
        without it entries of an identity stay in the file, as do all while no server is named, and the others can \
        be read on the server. Without `identity`, entries of requests with cookies, with credentials that a command \
        prints or with such as a mutation adds stay in the file. What nobody \
        uses for 30 days, or is older than `max_age`, the server removes by itself.

        Of all that need the same stale entity by `load_if_needed()`, on whatever hosts, one asks for it; the \
        others wait for what it brings, which comes as `new_data` from `cache`, or as `not_modified` where it \
        has the same `ETag`. When who asks is cancelled, fails or is killed they go on; nobody waits longer \
        than 30 seconds, or for what is known not to be kept. `load()` waits for nobody.

        Resources in memory that have data or are observed, and load nothing now, take what another host has \
        written, if it is newer: observers hear `new_data` from `shared`. A write is told by a digest and its time, \
        on a connection of its own. Not available in the sandbox.
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
        "To be raised when transformers change: entries of other versions are not found; default 1.",
        swift: "FileEntityCache.Options.version"),
      .field(
        "path", "string?",
        "The file; default `lull/cache.db` in `$XDG_CACHE_HOME`, or in `~/.cache`.",
        swift: "FileEntityCache.Options.path"),
      .field(
        "max_size", "integer?",
        """
        How large the file may be, in bytes; default 200 MB. What has not been used for longest goes; \
        no entity may take more than an eighth. While it is in use there is a log beside it, of up to \
        about a quarter of that and rarely more than 2 MB.
        """, swift: "FileEntityCache.Options.maxSize"),
      .field(
        "max_age", "number?",
        "How old an entity may be to be found, in seconds, also offline; default any age.",
        swift: "FileEntityCache.Options.maxAge"),
      .field(
        "identity", "string?",
        """
        Whose the entries are, where configured headers do not tell, or a command prints who it is; the \
        file has a digest of it.
        """,
        swift: "FileEntityCache.Options.identity"),
    ])

  static let sharedCacheOptions = APIOwner.table(
    "SharedCacheOptions", "Options of `lull.cache.shared`.",
    swift: "SharedEntityCache.Options",
    entries: [
      .field(
        "version", "integer?",
        "To be raised when transformers change: entries of other versions are not found; default 1.",
        swift: "SharedEntityCache.Options.version"),
      .field(
        "path", "string?",
        "The file of this machine; default that of `lull.cache.file`.",
        swift: "SharedEntityCache.Options.path"),
      .field(
        "max_size", "integer?",
        """
        How many bytes the namespace may have on the server, and how large the file may be; default 200 MB. \
        What has not been used for longest goes. The server's are in eight parts of the same size, so that a \
        cluster spreads them; no entity may take more than an eighth of a part, or 4 MB.
        """, swift: "SharedEntityCache.Options.maxSize"),
      .field(
        "max_age", "number?",
        "How old an entity may be to be found, in seconds, also offline; default any age.",
        swift: "SharedEntityCache.Options.maxAge"),
      .field(
        "identity", "string?",
        """
        Whose the entries are, where configured headers do not tell, or a command prints who it is: without it \
        such entries stay in the file.
        """,
        swift: "SharedEntityCache.Options.identity"),
      .field(
        "secret", "Secret|string|nil",
        """
        What only those have who share entries: long and random, and known without running a command. Only \
        those find them who have the same.
        """, swift: "SharedEntityCache.Options.secret"),
    ])

  static let memoryCache = APIOwner.object(
    .cache, receiver: "cache", "A cache that Lull brings, to be given to a stage.",
    "It has no members.", swift: "MemoryEntityCache", entries: [],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        call.return(.string(try call.selfObject(.cache, as: CacheBox.self).text))
      }
    ])

  static let cacheTable = APIOwner.table(
    "CacheTable", "A cache of your own: a table with these methods.",
    """
    They are called as methods, one after the other in the order issued. What `key` raises or any \
    of the others counts as a miss, or as not written; the load goes on and the error is \
    reported.
    """,
    swift: "EntityCache",
    entries: [
      .field(
        "key", "fun(self: table, resource: Resource, stage: string): any",
        "The key of a resource at a stage, a string for one of an API file's environment; nil: not cached here. "
          + "Must answer at once.",
        swift: "EntityCache.key(for:at:)", rules: "CACHE-23 CACHE-24"),
      .field(
        "read", "fun(self: table, key: any): Entity?",
        "The entity under a key with its timestamp, or nil. May wait.",
        swift: "EntityCache.readEntity(forKey:completion:)", rules: "CACHE-01 CACHE-31"),
      .field(
        "write", "fun(self: table, key: any, entity: Entity)",
        "Keeps an entity; may ignore it. May wait.",
        swift: "EntityCache.writeEntity(_:forKey:completion:)", rules: "CACHE-14 CACHE-28"),
      .field(
        "update_timestamp", "(fun(self: table, key: any, timestamp: number))?",
        """
        Sets the timestamp of a kept entity, after a 304, whatever it is. Without it: read, change, write, and \
        only if it has the validators that the 304 is about. May wait.
        """,
        swift: "EntityCache.updateEntityTimestamp(_:forKey:completion:)", rules: "CACHE-19 CACHE-26"
      ),
      .field(
        "remove", "fun(self: table, key: any)",
        "Removes an entry, also one that an invalidation or a write has made stale: later reads find nothing. May wait.",
        swift: "EntityCache.removeEntity(forKey:completion:)", rules: "CACHE-20 CACHE-27 INV-59"),
    ])
}

extension APIOwner {
  static let fileCacheKeys = ["version", "path", "max_size", "max_age", "identity"]

  static let sharedCacheKeys = fileCacheKeys + ["secret"]

  /// `lull.cache.file([{ version =, path =, max_size =, max_age =, identity = }])`
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

  /// `lull.cache.shared([{ version =, path =, max_size =, max_age =, identity =, secret = }])`
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
      throw mustBe(name, "a string that is not empty", value)
    }
    return text
  }

  private static func mustBe(_ name: String, _ what: String, _ value: lull_value) -> Misuse {
    .message("'\(name)' must be \(what), got \(value.described)")
  }
}
