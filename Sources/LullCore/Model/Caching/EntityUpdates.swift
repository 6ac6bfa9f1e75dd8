/// Receives updates of one resource's cache entry at one stage: another host or process has written it. (NEWS-01 to
/// NEWS-12)
///
/// `CoordinatedEntityCache.follow` gets one for each resource and stage. It lives as long as the service remembers
/// the resource, so hold it weakly. The entry is read and passes the stages after its own as a hit does. If it is newer
/// than the data, it becomes the data. Home thread only.
public final class EntityUpdates {
  let stage: PipelineStageKey
  private weak var record: ResourceRecord?
  private weak var service: Service?
  /// Where a cache follows it now; for that cache.
  package var key = ""
  /// What waits until loads have ended, or what is being read.
  private var postponed: Hint?
  private var isReading = false
  private var run: CacheLookup?

  /// Something was written then.
  private struct Hint {
    var timestamp: Double
    /// Whether the server has only said that it holds still.
    var isRefresh: Bool

    /// What both say, of which one read makes one event. (NEWS-10)
    func merged(with other: Hint?) -> Hint {
      guard let other else { return self }
      return Hint(
        timestamp: max(timestamp, other.timestamp), isRefresh: isRefresh && other.isRefresh)
    }
  }

  init(of record: ResourceRecord, at stage: PipelineStageKey, _ service: Service) {
    self.record = record
    self.stage = stage
    self.service = service
  }

  /// Another has written an entity of that timestamp, seconds since 1970: it is read, if it may be newer than what
  /// is here and somebody has use for it (NEWS-02, NEWS-03). The hint need not be true.
  ///
  /// - Parameters:
  ///   - isRefresh: whether only its age and headers are new, by a 304. (NEWS-04)
  ///   - completion: called once, when nothing is read any more; inside this call if nothing is read.
  public func arrived(
    timestamp: Double, isRefresh: Bool = false, completion: @escaping () -> Void
  ) {
    take(Hint(timestamp: timestamp, isRefresh: isRefresh), completion)
  }

  private func take(_ hint: Hint, _ completion: @escaping () -> Void) {
    guard let record, let service, record.takesUpdate(of: hint.timestamp) else {
      return completion()
    }
    guard !isBusy, !record.holdsUpdatesBack else {
      postponed = hint.merged(with: postponed)
      return completion()
    }
    let resource = service.resource(of: record)
    let configuration = resource.resolvedConfiguration
    let entries = resource.cacheEntries(configuration)
    guard let index = entries.firstIndex(where: { $0.stage.stage == stage }) else {
      return completion()
    }
    let reading = Reading(
      hint: hint, token: record.state.updateToken, entry: entries[index],
      // Whoever has written it has written what its later stages have made of it, too. (NEWS-09)
      later: entries[(index + 1)...].filter { !$0.isFollowed }, configuration: configuration)
    isReading = true
    // What has gone is not kept by a cache that does not answer.
    reading.entry.read { [weak self] entity in
      if let self {
        isReading = false
        if let entity { found(entity, reading) } else { goOn() }
      }
      completion()
    }
  }

  /// What is asked for under way.
  private struct Reading {
    let hint: Hint
    let token: ResourceState.UpdateToken
    let entry: CacheEntry
    let later: [CacheEntry]
    let configuration: ResolvedConfiguration
  }

  private func found(_ entity: Entity, _ reading: Reading) {
    guard let resource = taker(of: entity, reading) else { return goOn() }
    if reading.hint.isRefresh,
      let event = resource.record.state.updateRefreshed(
        reading.token, by: entity, reading.configuration.settings.headers.lines)
    {
      resource.updateArrived(event)
      return goOn()
    }
    let run = CacheLookup(
      of: resource, found: entity, from: reading.entry, later: reading.later,
      conf: reading.configuration)
    self.run = run
    run.onCompletion { [weak self, unowned run] response in
      guard let self, self.run === run else { return }
      self.run = nil
      if let entity = response.entity, let resource = taker(of: entity, reading),
        let event = resource.record.state.updateArrived(reading.token, entity)
      {
        resource.updateArrived(event)
      }
      goOn()
    }
    run.start()
  }

  /// The resource, if it takes it now.
  private func taker(of entity: Entity, _ reading: Reading) -> Resource? {
    guard let record, let service, record.takesUpdate(of: entity.timestamp) else { return nil }
    guard !record.holdsUpdatesBack else {
      // A load has begun meanwhile.
      postponed = reading.hint.merged(with: postponed)
      return nil
    }
    return service.resource(of: record)
  }

  private var isBusy: Bool { isReading || run != nil }

  /// What came while something was read.
  private func goOn() {
    guard let record, !record.holdsUpdatesBack, !isBusy, let hint = postponed else { return }
    postponed = nil
    take(hint) {}
  }

  /// What waited for loads goes on, when what they have brought is the data.
  func loadsEnded() {
    guard postponed != nil else { return }
    service?.pump.enqueue { [weak self] in self?.goOn() }
  }

  /// Overridden or wiped: what is under way comes too late. (NEWS-05, NEWS-07)
  func drop() {
    postponed = nil
    let run = run
    self.run = nil
    run?.cancel()
  }
}

extension ResourceRecord {
  /// Whether an entity of that timestamp is newer than what is here, and of use to somebody. (NEWS-02, NEWS-03)
  fileprivate func takesUpdate(of timestamp: Double) -> Bool {
    isInUse && followerCount == 0 && (state.freshness.hasData || !observers.isEmpty)
      && state.isNewer(timestamp)
  }

  /// Whether what a load brings may be an answer about what is here now, such as a 304. (NEWS-06)
  fileprivate var holdsUpdatesBack: Bool { !loads.isEmpty }
}

extension Resource {
  /// By what caches tell of that stage.
  func updates(at stage: PipelineStageKey) -> EntityUpdates {
    if let updates = record.updates.first(where: { $0.stage == stage }) { return updates }
    let updates = EntityUpdates(of: record, at: stage, service)
    record.updates.append(updates)
    return updates
  }

  fileprivate func updateArrived(_ event: ResourceEvent) {
    pump.log(.stateChanges, "\(shortDescription): \(event)")
    endCacheCheck()
    stateChanged()
    notify(event)
  }
}
