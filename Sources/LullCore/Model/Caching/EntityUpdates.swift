/// Receives updates of one resource's cache entry at one stage: another host or process has written
/// it. (NEWS-01 to NEWS-12)
///
/// `CoordinatedEntityCache.follow` gets one for each resource and stage. It lives as long as the
/// service remembers the resource, so hold it weakly. The entry is read and passes the stages after
/// its own, as a hit does. If it is newer than the data, it becomes the data. Home thread only.
public final class EntityUpdates {
  let stage: PipelineStageKey
  private weak var record: ResourceRecord?
  private weak var service: Service?
  /// The key that a cache follows now; for use by that cache.
  package var key = ""
  /// The update that waits until loads have ended, or until the entry being read has arrived.
  private var postponed: Hint?
  private var isReading = false
  private var run: CacheLookup?

  /// A write to the entry: its timestamp.
  private struct Hint {
    var timestamp: Double
    /// Whether it was only a 304.
    var isRefresh: Bool

    /// The combination of both, which leads to one read and one event. (NEWS-10)
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

  /// Reports that another host or process has written an entity of that timestamp, in Unix seconds.
  /// The entry is read if it may be newer than the data, and if the resource is in use (NEWS-02,
  /// NEWS-03). The report need not be exact.
  ///
  /// - Parameters:
  ///   - isRefresh: Whether only timestamp and headers have changed, by a 304. (NEWS-04)
  ///   - completion: Called once, when reading has ended; inside this call if nothing is read.
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
      // The process that wrote this entry has written the followed caches of later stages too.
      // (NEWS-09)
      later: entries[(index + 1)...].filter { !$0.isFollowed }, configuration: configuration)
    isReading = true
    // Weak, so that a cache that never responds does not keep the object alive.
    reading.entry.read { [weak self] entity in
      if let self {
        isReading = false
        if let entity { found(entity, reading) } else { goOn() }
      }
      completion()
    }
  }

  /// A read in progress.
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

  /// The resource, if it can use the entity now.
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

  /// Takes the update that arrived during a read.
  private func goOn() {
    guard let record, !record.holdsUpdatesBack, !isBusy, let hint = postponed else { return }
    postponed = nil
    take(hint) {}
  }

  /// Takes the update that waited for loads, after their outcome has become the data.
  func loadsEnded() {
    guard postponed != nil else { return }
    service?.pump.enqueue { [weak self] in self?.goOn() }
  }

  /// Drops everything in progress after an override or a wipe. (NEWS-05, NEWS-07)
  func drop() {
    postponed = nil
    let run = run
    self.run = nil
    run?.cancel()
  }
}

extension ResourceRecord {
  /// Whether an entity of that timestamp is newer than the data, and the resource is in use.
  /// (NEWS-02, NEWS-03)
  fileprivate func takesUpdate(of timestamp: Double) -> Bool {
    isInUse && followerCount == 0 && (state.freshness.hasData || !observers.isEmpty)
      && state.isNewer(timestamp)
  }

  /// Whether updates have to wait for loads, whose responses may refer to the present data, as a
  /// 304 does. (NEWS-06)
  fileprivate var holdsUpdatesBack: Bool { !loads.isEmpty }
}

extension Resource {
  /// The object that receives updates of the cache entry at that stage.
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
