public import LullCore
import LullSystem
import Synchronization

/// A cache in a file that several processes share and that outlives them. (CACHE-01 to CACHE-37)
///
/// It stores bytes, text and JSON with their headers, age and validators, keyed by URL, stage,
/// identity and version. It does not store other content. (CACHE-28) Reading, writing and parsing
/// happen in order, in the thread pool of the resource's home. Reads return on a later turn. A
/// process that is killed loses at most the entry being written. A damaged file is renamed, and an
/// unusable file is ignored, each with one warning on standard error; loads continue.
///
/// The file contains no credentials. Configured credentials, and other headers that may identify
/// the requester, are represented by a digest. Response headers with the name of a credential are
/// omitted, and responses with `Cache-Control: no-store` are not stored. Headers added by request
/// mutations, secrets printed by commands, and cookies are not detected: set `Options.identity` if
/// responses depend on them. Lua: `lull.cache.file()`.
public final class FileEntityCache: QueryCache {
  /// The options of a file cache.
  public struct Options: Sendable, Equatable {
    /// The version of the entries. Increase it when transformers change: entries of other versions
    /// are not found.
    public var version = 1
    /// The path of the file; nil for `lull/cache.db` in `$XDG_CACHE_HOME`, or in `~/.cache`.
    public var path: String?
    /// The maximum size of the whole file in bytes. The least recently used entries are evicted. An
    /// entity may take at most an eighth of it.
    public var maxSize = 200 * 1024 * 1024
    /// The maximum age of entries in seconds, even for a service that is offline; nil for no limit.
    public var maxAge: Double?
    /// The identity of the requester. Set it if the configured headers do not determine the
    /// identity.
    public var identity: String?

    /// Creates the default options: 200 MB at the default path, any age. If the version or age is
    /// negative, or the size is below 64 KB, requests that would use the cache fail without being
    /// sent.
    public init() {}

    /// The smallest allowed `maxSize`, in bytes.
    package static let leastSize = 65_536
  }

  /// The key of an entity in the file, and the requester's headers.
  public struct Key {
    package let place: CacheKey
    /// The headers, as GET requests are configured to send them.
    fileprivate let headers: Headers
    fileprivate let pump: Pump
  }

  /// The order of operations: the queue of the cache file keeps them in order.
  public let operations = CacheOperations(isOrderedByCache: true)
  public let outlivesProcess = true
  /// The options that were passed. Changing a copy has no effect on the cache.
  public let options: Options
  /// The file's path; nil if there is no folder for it.
  public let path: String?
  private let store: FileJobs<CacheFile>?

  /// Creates a cache. It accesses no file before it is used.
  public convenience init(_ options: Options = Options()) {
    var store: FileJobs<CacheFile>?
    var path: String?
    do throws(CacheFolder.Failure) {
      let chosen: String
      if let given = options.path { chosen = given } else { chosen = try CacheFolder.defaultPath() }
      let absolute = CacheFolder.absolute(chosen)
      path = absolute
      store = CacheStore.shared(at: absolute)
    } catch {
      CacheStore.warn("the cache is not used: \(error.message)")
    }
    self.init(options, path: path, store: store)
  }

  /// Creates a cache that is always empty and accesses no file.
  package convenience init(inert options: Options) {
    self.init(options, path: nil, store: nil)
  }

  init(_ options: Options, path: String?, store: FileJobs<CacheFile>?) {
    self.options = options
    self.path = path
    self.store = store
  }

  public func key(for resource: Resource, at stage: PipelineStageKey) -> Key? {
    guard store != nil,
      let place = CacheKey(
        resource, stage: stage, version: options.version, identityName: options.identity)
    else { return nil }
    return key(place, resource.readHeaders.lines, resource.pump)
  }

  /// Returns nil if the cache has no file.
  func key(_ place: CacheKey, _ headers: Headers, _ pump: Pump) -> Key? {
    store == nil ? nil : Key(place: place, headers: headers, pump: pump)
  }

  public var distinguishesQueries: Bool { true }

  public func readEntity(forKey key: Key, completion: @escaping (Entity?) -> Void) {
    guard let store else { return completion(nil) }
    // Threads of the pool also parse JSON.
    JSONDocument.prepareForThreads()
    let report = key.pump.receiver { (answer: Answer) in completion(answer.entity) }
    let place = key.place
    let wanted = CacheVariant.answering(key.headers)
    let maxAge = options.maxAge
    let now = key.pump.clock.now
    store.submit(to: key.pump.workers) { file in
      report(Answer(entity: file.read(place, wanted, now: now, maxAge: maxAge)))
    }
  }

  /// Accepts bytes, text and JSON only.
  public func accepts(_ entity: Entity) -> Bool { StoredEntity.accepts(entity) }

  public func writeEntity(_ entity: Entity, forKey key: Key, completion: @escaping () -> Void) {
    // Later reads come after the write, so nothing has to wait for it.
    defer { completion() }
    guard let store else { return }
    // A script's value must not be retained after this call.
    let entity = accepts(entity) ? entity : nil
    let place = key.place
    let maxSize = options.maxSize
    let now = key.pump.clock.now
    store.submit(to: key.pump.workers) { [store] file in
      guard let entity else { return file.remove(place) }
      if file.write(entity, at: place, now: now, maxSize: maxSize) {
        FileEntityCache.makeRoom(in: store, maxSize: maxSize)
      }
    }
  }

  /// Removes old entries in batches, until the file is within `maxSize`. Other jobs can run between
  /// two batches. Runs on the thread of the calling job.
  private static func makeRoom(in store: FileJobs<CacheFile>, maxSize: Int) {
    store.submit(to: nil) { file in
      if file.makeRoom(maxSize: maxSize) { makeRoom(in: store, maxSize: maxSize) }
    }
  }

  public func updateEntityTimestamp(
    _ timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    let place = key.place
    let wanted = CacheVariant.answering(key.headers)
    store?.submit(to: key.pump.workers) { $0.touch(place, wanted, timestamp: timestamp) }
    completion()
  }

  /// Applies a 304 response in one transaction, because other processes may write to the entry.
  public func confirmEntity(
    _ confirmation: EntityConfirmation, forKey key: Key, completion: @escaping () -> Void
  ) {
    let place = key.place
    let wanted = CacheVariant.answering(key.headers)
    let now = key.pump.clock.now
    store?.submit(to: key.pump.workers) { $0.confirm(confirmation, at: place, wanted, now: now) }
    completion()
  }

  /// Replaces an older entity with an entity that another host has loaded.
  func replaceOlder(with entity: Entity, forKey key: Key) {
    guard let store, accepts(entity) else { return }
    let place = key.place
    let wanted = CacheVariant.answering(key.headers)
    let maxSize = options.maxSize
    let now = key.pump.clock.now
    store.submit(to: key.pump.workers) { [store] file in
      guard file.hasOlder(than: entity.timestamp, at: place, wanted) else { return }
      if file.write(entity, at: place, now: now, maxSize: maxSize) {
        FileEntityCache.makeRoom(in: store, maxSize: maxSize)
      }
    }
  }

  /// Expires the entries of the URL for all stages, versions and identities. (AGE-07)
  public func expireEntity(
    asOf timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    let place = key.place
    store?.submit(to: key.pump.workers) { $0.expire(place, asOf: timestamp) }
    completion()
  }

  /// Expires the entries of all queries of the URL, for all stages, versions and identities.
  /// (QUERY-20)
  package func expireQueries(
    asOf timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    let place = key.place
    store?.submit(to: key.pump.workers) { $0.expireQueries(of: place, asOf: timestamp) }
    completion()
  }

  public func removeEntity(forKey key: Key, completion: @escaping () -> Void) {
    let place = key.place
    store?.submit(to: key.pump.workers) { $0.remove(place) }
    completion()
  }

  private struct Answer: Sendable {
    let entity: Entity?
  }
}

extension FileEntityCache: CheckedSettings {
  package var settingProblem: SettingProblem? {
    var check = SettingCheck()
    check.check("version", options.version, .count(from: 0))
    check.check("maxSize", options.maxSize, .bytes(from: Options.leastSize))
    if let seconds = options.maxAge { check.check("maxAge", seconds, .seconds) }
    return check.problem
  }
}

/// The jobs of this process for one file. They run in order and one at a time, on a thread of a
/// pool or on the caller's thread.
final class FileJobs<File>: Sendable {
  typealias Job = @Sendable (File) -> Void

  private struct Queue {
    var jobs: [Job] = []
    var isWorking = false
  }

  private let queue = Mutex(Queue())
  private let file: Mutex<File>
  /// Runs when no jobs are waiting any more.
  private let afterJobs: @Sendable (File) -> Void

  init(_ file: sending File, afterJobs: @escaping @Sendable (File) -> Void = { _ in }) {
    self.file = Mutex(file)
    self.afterJobs = afterJobs
  }

  /// Adds a job, which runs after the earlier jobs. If no job is running, the new job starts
  /// immediately: in the pool, or on this thread if `pool` is nil.
  func submit(to pool: (any WorkPool)?, _ job: @escaping Job) {
    let begins = queue.withLock { queue in
      queue.jobs.append(job)
      defer { queue.isWorking = true }
      return !queue.isWorking
    }
    guard begins else { return }
    if let pool {
      pool.run { [self] in work() }
    } else {
      work()
    }
  }

  /// Runs a job immediately if no job is running or waiting. Otherwise, returns nil without running
  /// the job.
  ///
  /// - Parameter pool: The pool for jobs that are submitted while this job runs; nil runs them on
  ///   this thread.
  func doNow<Result: Sendable>(
    or pool: (any WorkPool)?, _ job: @Sendable (File) -> Result?
  ) -> Result? {
    let begins = queue.withLock { queue in
      guard !queue.isWorking else { return false }
      queue.isWorking = true
      return true
    }
    guard begins else { return nil }
    defer {
      let isLeft = queue.withLock { queue in
        queue.isWorking = !queue.jobs.isEmpty
        return queue.isWorking
      }
      if isLeft {
        if let pool { pool.run { [self] in work() } } else { work() }
      }
    }
    return file.withLock { file in SignalGuard.withoutSIGXFSZ { job(file) } }
  }

  private func work() {
    file.withLock { file in
      // SQLite handles the error when a file cannot grow, but not the signal.
      SignalGuard.withoutSIGXFSZ {
        while let jobs = takeJobs() {
          for job in jobs { job(file) }
          afterJobs(file)
        }
      }
    }
  }

  private func takeJobs() -> [Job]? {
    queue.withLock { queue in
      guard !queue.jobs.isEmpty else {
        queue.isWorking = false
        return nil
      }
      defer { queue.jobs = [] }
      return queue.jobs
    }
  }
}

/// The problems found while inspecting a file. Any thread.
final class Troubles: Sendable {
  private let list = Mutex<[String]>([])

  func add(_ trouble: String) { list.withLock { $0.append(trouble) } }

  var first: String? { list.withLock { $0.first } }
}

extension FileEntityCache.Options: DurationSettable {}

extension DurationSettable where Self == FileEntityCache.Options {
  /// The maximum age as a duration. (SWF-162)
  @_disfavoredOverload
  public var maxAge: Duration? {
    get { (self.maxAge as Double?).map { Duration(clamping: $0) } }
    set { self.maxAge = newValue.map { Double(seconds: $0) } as Double? }
  }
}
