/// The one-time lookup in the caches of a resource without data. (CACHE-04)
///
/// Order of events: the entries are read, the last stage's first (CACHE-10). A hit passes the
/// stages after its own (CACHE-11) and is then written to their caches (CACHE-13). If it fails
/// there, it counts as a miss, and the next earlier entry is tried (CACHE-12). The lookup completes
/// with the entity, or with a failure for a miss; hooks are called on a later turn. It is in no
/// list of the resource, and sends no event.
package final class CacheLookup: Request {
  /// Weak, so that a lookup does not keep a resource that is no longer needed (CACHE-36).
  private weak var record: ResourceRecord?
  private let address: String
  private let configuration: ResolvedConfiguration
  /// The entries that have not been read. The last is read next.
  private var untried: [CacheEntry]
  /// The cache entries of the stages after those that were read.
  private var later: [CacheEntry]
  private var run: PipelineRun?
  /// An entity that has been read already.
  private var found: (entity: Entity, entry: CacheEntry)?
  /// The queue of the cache that is being read.
  package private(set) var queue: CacheOperations?

  /// Whether some of the caches are on disk.
  let isOnDisk: Bool

  /// - Parameter later: Cache entries of the stages after those in `entries`, the latest stage
  ///   last. They are written, but not read.
  init(
    of resource: Resource, entries: [CacheEntry], later: [CacheEntry] = [],
    conf: ResolvedConfiguration
  ) {
    record = resource.record
    address = resource.url.text
    untried = entries
    self.later = later.reversed()
    isOnDisk = entries.contains { $0.stage.cache.outlivesProcess }
    configuration = conf
    super.init(pump: resource.pump)
  }

  /// Takes an entity that has already been read, and passes it through the stages that follow the
  /// stage of `entry`.
  ///
  /// - Parameter later: The entries of later stages to write to, in the order of their stages.
  ///   (NEWS-09)
  init(
    of resource: Resource, found entity: Entity, from entry: CacheEntry, later: [CacheEntry],
    conf: ResolvedConfiguration
  ) {
    record = resource.record
    address = resource.url.text
    untried = []
    isOnDisk = false
    self.later = later.reversed()
    configuration = conf
    found = (entity, entry)
    super.init(pump: resource.pump)
  }

  override package var resource: Resource? { record?.resource }
  override package var method: RequestMethod? { .get }
  override package var url: String? { address }
  override package var displayName: String { "cache check of \(LogText.url(address))" }

  override package func begin() {
    guard let (entity, entry) = found else { return tryNext() }
    found = nil
    examine(entity, from: entry)
  }

  /// Ends the lookup with a miss, because data has arrived another way. Nothing more is read or
  /// written. (CACHE-03)
  func giveUp() {
    stopWork()
    miss()
  }

  override package func stopWork() {
    untried = []
    found = nil
    run?.abandon()
    run = nil
  }

  private func tryNext() {
    guard !isCompleted else { return }
    guard let entry = untried.popLast() else { return miss() }
    queue = entry.stage.cache.operations
    entry.read { [self] entity in
      queue = nil
      guard !isCompleted else { return }
      guard let entity else { return goOn(after: entry) }
      examine(entity, from: entry)
    }
  }

  private func examine(_ entity: Entity, from entry: CacheEntry) {
    // The entity answers a request with other headers. (RFC 9111, section 4.1)
    if let variant = entity.exchange?.variant,
      !variant.answers(configuration.settings.headers.lines)
    {
      pump.log(.cache, "\(LogText.url(address)): another variant at \(entry.stage.stage)")
      return goOn(after: entry)
    }
    process(entity, from: entry)
  }

  private func goOn(after entry: CacheEntry) {
    later.append(entry)
    tryNext()
  }

  private func process(_ entity: Entity, from entry: CacheEntry) {
    pump.host?.hold(.success(entity), for: self)
    pump.log(.cache, "\(LogText.url(address)): hit at \(entry.stage.stage)")
    let later = Array(later.reversed())
    let isOutdated = entity.isOutdated
    let run = PipelineRun(
      configuration.steps, skipping: entry.stage.stepCount, isHit: true,
      marks: later.map(\.stage.stepCount), response: .success(entity), request: self, method: .get,
      now: pump.clock.now
    ) { [unowned self] response in
      guard let run = self.run else { return }
      self.run = nil
      guard case .success(let entity) = response.outcome else {
        pump.log(.cache, "\(LogText.url(address)): the hit at \(entry.stage.stage) cannot be used")
        return goOn(after: entry)
      }
      for output in run.outputs {
        let entry = later[output.mark]
        // A memory cache may have an entity that must not be written to disk.
        if entry.refusal(of: output.entity, from: run) == nil {
          entry.write(output.entity)
          if isOutdated { entry.expire(output.entity.timestamp) }
        } else {
          entry.remove()
        }
      }
      var made = entity
      made.isOutdated = isOutdated
      complete(with: .success(made))
    }
    self.run = run
    run.begin()
  }

  private func miss() {
    pump.log(.cache, "\(LogText.url(address)): not in the cache")
    complete(
      with: .failure(RequestError(userMessage: "Not in the cache", timestamp: pump.clock.now)))
  }
}
