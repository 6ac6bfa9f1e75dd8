public import LullCore
import LullSystem
import Synchronization

/// A cache in a file that several processes share and that outlives them. (CACHE-01 to CACHE-37)
///
/// Keeps bytes, text and JSON with their headers, age and validators, by URL, stage, identity and
/// version; declines other content (CACHE-28). Reading, writing and parsing happen in the pool of the
/// resource's home thread, in the order asked; reads come back on a later turn. A process that is killed
/// loses at most what it is writing. A file that makes no sense is renamed, one that cannot be used is
/// done without, each with one warning on standard error; the loads go on.
///
/// Credentials are not in the file: of those that requests are configured to carry, and of other headers
/// that may tell who asks, a digest is; headers of responses that are called like one are left out, and
/// so is whatever says `Cache-Control: no-store`. What mutations of requests add, commands print and
/// cookies hold is not seen: name whose it is with `Options.identity`. Lua: `lull.cache.file()`.
public final class FileEntityCache: CoordinatedEntityCache {
  /// What a file cache may be told.
  public struct Options: Sendable, Equatable {
    /// To be raised when transformers change: entries of other versions are not found.
    public var version = 1
    /// nil: `lull/cache.db` in `$XDG_CACHE_HOME`, or in `~/.cache`.
    public var path: String?
    /// Of the whole file, in bytes; what has not been used for longest goes. No entity may take more
    /// than an eighth of it.
    public var maxSize = 200 * 1024 * 1024
    /// What is older, in seconds, is not there, even for a service that is offline; nil: no limit.
    public var maxAge: Double?
    /// Whose entries these are, if requests do not tell by headers that are configured.
    public var identity: String?

    /// 200 MB at the usual place, of any age. With a negative version or age, or a size below 64 KB, requests that
    /// would use the cache fail unsent.
    public init() {}

    /// In bytes.
    package static let leastSize = 65_536
  }

  /// The place of an entity in the file, and who looks for it.
  public struct Key {
    package let place: CacheKey
    /// As requests are configured to have them.
    fileprivate let headers: Headers
    fileprivate let pump: Pump
  }

  /// The store keeps the order.
  public let operations = CacheOperations(isOrderedByCache: true)
  public let outlivesProcess = true
  /// As they were given; changing a copy of them changes nothing here.
  public let options: Options
  /// nil if there is no folder to put it in.
  public let path: String?
  private let store: FileJobs<CacheFile>?

  /// Touches no file before it is used.
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
      CacheStore.warn("there is no cache: \(error.message)")
    }
    self.init(options, path: path, store: store)
  }

  /// One that has nothing, keeps nothing and touches no file.
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
      let identity = CacheIdentity.digest(of: resource, name: options.identity)
    else { return nil }
    let place = CacheKey(
      url: LogText.withoutUser(resource.url.text), stage: stage.description,
      version: options.version,
      identity: identity)
    return key(place, resource.configuration(for: .get).headers.lines, resource.pump)
  }

  /// nil if there is no file.
  func key(_ place: CacheKey, _ headers: Headers, _ pump: Pump) -> Key? {
    store == nil ? nil : Key(place: place, headers: headers, pump: pump)
  }

  public func readEntity(forKey key: Key, completion: @escaping (Entity?) -> Void) {
    guard let store else { return completion(nil) }
    // JSON is parsed there, too.
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

  /// Only bytes, text and JSON.
  public func accepts(_ entity: Entity) -> Bool { StoredEntity.accepts(entity) }

  public func writeEntity(_ entity: Entity, forKey key: Key, completion: @escaping () -> Void) {
    // Later reads come after it; nobody else waits for it.
    defer { completion() }
    guard let store else { return }
    // A value of the script must not be held beyond this call.
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

  /// Between the steps, others have their turn. Called by a job, so that it is done where that one is.
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

  /// In one transaction, since other processes may write there meanwhile.
  public func confirmEntity(
    _ confirmation: EntityConfirmation, forKey key: Key, completion: @escaping () -> Void
  ) {
    let place = key.place
    let wanted = CacheVariant.answering(key.headers)
    let now = key.pump.clock.now
    store?.submit(to: key.pump.workers) { $0.confirm(confirmation, at: place, wanted, now: now) }
    completion()
  }

  /// Puts what others have loaded in the place of something older, if there is such.
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

  /// Of every stage, version and identity of that URL. (AGE-07)
  public func expireEntity(
    asOf timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    let place = key.place
    store?.submit(to: key.pump.workers) { $0.expire(place, asOf: timestamp) }
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

/// What is asked of one file by this process, one thing after the other, in the order asked, on one thread
/// at a time: of a pool, or whoever asks.
final class FileJobs<File>: Sendable {
  typealias Job = @Sendable (File) -> Void

  private struct Queue {
    var jobs: [Job] = []
    var isWorking = false
  }

  private let queue = Mutex(Queue())
  private let file: Mutex<File>
  /// After the jobs that were there.
  private let afterJobs: @Sendable (File) -> Void

  init(_ file: sending File, afterJobs: @escaping @Sendable (File) -> Void = { _ in }) {
    self.file = Mutex(file)
    self.afterJobs = afterJobs
  }

  /// Has the job done after those given before it; without a pool, at once.
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

  /// Does something at once if nothing is being done, and nothing waits; else nil, and nothing was done.
  ///
  /// - Parameter pool: does what others give meanwhile, which may take its time.
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
      // SQLite knows what to do about a file that cannot grow, but not about a signal.
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

/// What went wrong with a file that one looks at, in words. Any thread.
final class Troubles: Sendable {
  private let list = Mutex<[String]>([])

  func add(_ trouble: String) { list.withLock { $0.append(trouble) } }

  var first: String? { list.withLock { $0.first } }
}

extension FileEntityCache.Options: DurationSettable {}

extension DurationSettable where Self == FileEntityCache.Options {
  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var maxAge: Duration? {
    get { (self.maxAge as Double?).map { Duration(clamping: $0) } }
    set { self.maxAge = newValue.map { Double(seconds: $0) } as Double? }
  }
}
