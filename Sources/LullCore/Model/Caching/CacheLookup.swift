/// The one-time look into the caches of a resource that has no data yet. (CACHE-04)
///
/// Order of events: the entries are read, the last stage's first (CACHE-10); a hit passes the stages
/// after its own (CACHE-11) and is then written to their caches (CACHE-13); one that fails there
/// counts as a miss, and the next earlier entry is tried (CACHE-12). Completes with the entity, or a
/// failure for a miss; never sooner than the next turn as far as hooks are concerned. It is in none
/// of the resource's lists and sends no event by itself.
package final class CacheLookup: Request {
  /// Not held: a resource that nobody needs any more is not kept by looking for its data (CACHE-36).
  private weak var record: ResourceRecord?
  private let address: String
  private let configuration: ResolvedConfiguration
  /// The last stage's last: they are taken from the end.
  private var untried: [CacheEntry]
  /// The caches of the stages after those tried.
  private var later: [CacheEntry]
  private var run: PipelineRun?
  /// What is there already, and need not be read.
  private var found: (entity: Entity, entry: CacheEntry)?
  /// The cache whose turn it is to answer.
  package private(set) var queue: CacheOperations?

  /// Whether some of what is asked is on a disk.
  let isOnDisk: Bool

  /// - Parameter later: caches of stages after those, latest last, which are not looked into.
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

  /// Has an entity that was read pass the stages after that of its entry.
  ///
  /// - Parameter later: of the stages after it, in their order, those that it is written to. (NEWS-09)
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

  /// Data has come another way: nothing more is looked for, and nothing written. (CACHE-03)
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
    // It answers other headers than requests have now. (RFC 9111, section 4.1)
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
        pump.log(.cache, "\(LogText.url(address)): the hit at \(entry.stage.stage) is of no use")
        return goOn(after: entry)
      }
      for output in run.outputs {
        let entry = later[output.mark]
        // What a cache in memory has, another must not put on a disk.
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
