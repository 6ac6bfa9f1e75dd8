/// A one-time lookup that searches the caches for the data of a resource without data. (CACHE-04)
///
/// Order of events: the cache entries are read, beginning with the entry of the last stage
/// (CACHE-10). A hit is processed by the stages after the stage of its cache (CACHE-11), and then
/// written to the caches of these stages (CACHE-13). If a later stage fails, the hit counts as a
/// miss, and the entry of the next earlier stage is tried (CACHE-12). The lookup completes with the
/// entity, or with a failure for a miss. Its hooks are called on a later turn. A lookup is not
/// listed in the resource's requests, and sends no event.
package final class CacheLookup: Request {
  /// A weak reference, so that a lookup does not retain a resource that is no longer needed
  /// (CACHE-36).
  private weak var record: ResourceRecord?
  private let address: String
  private let readMethod: RequestMethod
  /// The headers that a load would send.
  private let headers: Headers
  private let configuration: ResolvedConfiguration
  /// The entries that have not been read yet. The last element is read next.
  private var untried: [CacheEntry]
  /// The entries of the stages after the stage of the hit, the latest stage first. The hit is
  /// written to these entries.
  private var later: [CacheEntry]
  private var run: PipelineRun?
  /// An entity that was read before the lookup started, and the entry that contains it; nil if
  /// there is no such entity.
  private var found: (entity: Entity, entry: CacheEntry)?
  /// The queue of the cache that is being read now; nil if no cache is being read.
  package private(set) var queue: CacheOperations?

  /// Whether some of the caches are on disk.
  let isOnDisk: Bool

  /// - Parameter later: The entries of the stages after the stages of `entries`, in the order of
  ///   the stages. They are not read, but a hit is written to them.
  init(
    of resource: Resource, entries: [CacheEntry], later: [CacheEntry] = [],
    conf: ResolvedConfiguration
  ) {
    record = resource.record
    address = resource.url.text
    readMethod = resource.readMethod
    headers = resource.readHeaders.lines
    untried = entries
    self.later = later.reversed()
    isOnDisk = entries.contains { $0.stage.cache.outlivesProcess }
    configuration = conf
    super.init(pump: resource.pump)
  }

  /// Creates a lookup for an entity that has already been read. It is processed by the stages after
  /// the stage of `entry`.
  ///
  /// - Parameter later: The entries of later stages, in the order of the stages. The entity is
  ///   written to these entries. (NEWS-09)
  init(
    of resource: Resource, found entity: Entity, from entry: CacheEntry, later: [CacheEntry],
    conf: ResolvedConfiguration
  ) {
    record = resource.record
    address = resource.url.text
    readMethod = resource.readMethod
    headers = resource.readHeaders.lines
    untried = []
    isOnDisk = false
    self.later = later.reversed()
    configuration = conf
    found = (entity, entry)
    super.init(pump: resource.pump)
  }

  override package var resource: Resource? { record?.resource }
  override package var method: RequestMethod? { readMethod }
  override package var url: String? { address }
  override package var displayName: String { "cache check of \(LogText.url(address))" }

  override package func begin() {
    guard let (entity, entry) = found else { return tryNext() }
    found = nil
    examine(entity, from: entry)
  }

  /// Ends the lookup with a miss, because the resource has got data from another source. Nothing
  /// more is read or written. (CACHE-03)
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
    // The entity is the response to a request with other headers. (RFC 9111, section 4.1)
    if let variant = entity.exchange?.variant,
      !variant.answers(headers)
    {
      pump.log(
        .cache,
        "\(LogText.url(address)): the entry at \(entry.stage.stage) is another variant (Vary)")
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
      marks: later.map(\.stage.stepCount), response: .success(entity), request: self,
      method: readMethod,
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
        // The entity may come from a memory cache and must not be written to disk.
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
