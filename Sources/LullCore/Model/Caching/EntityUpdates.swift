/// Receives the updates of one cache entry: the entry of one resource at one stage. An update means
/// that another host or process has written the entry. (NEWS-01 to NEWS-12)
///
/// `CoordinatedEntityCache.follow` gets one object for each resource and stage. The object exists
/// as long as the service has the resource in memory, so a cache should reference it weakly. After
/// an update, the entry is read and processed by the stages after the stage of the entry, like a
/// cache hit. If the read entity is newer than the data of the resource, the entity becomes the
/// data. Home thread only.
public final class EntityUpdates {
  let stage: PipelineStageKey
  private weak var record: ResourceRecord?
  private weak var service: Service?
  /// The key of the entry, in a form that the cache chooses. Only the cache uses it.
  package var key = ""
  /// The update that waits for loads to end, or for a read of the entry to end; nil if no update
  /// waits.
  private var postponed: Hint?
  private var isReading = false
  private var run: CacheLookup?

  /// A write to the entry by another host or process, and the timestamp of its entity.
  private struct Hint {
    var timestamp: Double
    /// Whether the write only applied a 304 to the entity, so that the content is unchanged.
    var isRefresh: Bool

    /// Combines this update with another one. The combined update causes only one read and one
    /// event. (NEWS-10)
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

  /// Reports that another host or process has written an entity with the given timestamp, in Unix
  /// seconds. If the entity may be newer than the data and the resource is in use, the entry is
  /// read (NEWS-02, NEWS-03). The report need not be exact, because the entity is checked again
  /// after it was read.
  ///
  /// - Parameters:
  ///   - isRefresh: Whether only timestamp and headers have changed, by a 304. (NEWS-04)
  ///   - completion: Called once, when reading the entry has ended. If the entry is not read,
  ///     `completion` is called before this method returns.
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
      // Later stages whose caches report writes are left out, because the process that wrote this
      // entry has written these caches too. (NEWS-09)
      later: entries[(index + 1)...].filter { !$0.isFollowed }, configuration: configuration)
    isReading = true
    // The reference is weak, so that a cache that never responds does not retain this object.
    reading.entry.read { [weak self] entity in
      if let self {
        isReading = false
        if let entity { found(entity, reading) } else { goOn() }
      }
      completion()
    }
  }

  /// A read of the entry that is in progress.
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
        reading.token, by: entity, resource.readHeaders.lines)
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

  /// Returns the resource if the entity can become its data now; otherwise nil.
  private func taker(of entity: Entity, _ reading: Reading) -> Resource? {
    guard let record, let service, record.takesUpdate(of: entity.timestamp) else { return nil }
    guard !record.holdsUpdatesBack else {
      // A load has begun during the read, so the update has to wait for it.
      postponed = reading.hint.merged(with: postponed)
      return nil
    }
    return service.resource(of: record)
  }

  private var isBusy: Bool { isReading || run != nil }

  /// Processes the postponed update if nothing prevents the processing any more.
  private func goOn() {
    guard let record, !record.holdsUpdatesBack, !isBusy, let hint = postponed else { return }
    postponed = nil
    take(hint) {}
  }

  /// Processes the update that has waited for loads. This happens on a later turn, after the
  /// outcome of the loads was applied.
  func loadsEnded() {
    guard postponed != nil else { return }
    service?.pump.enqueue { [weak self] in self?.goOn() }
  }

  /// Drops the update that waits and the update that is being processed. Called after an override
  /// or a wipe. (NEWS-05, NEWS-07)
  func drop() {
    postponed = nil
    let run = run
    self.run = nil
    run?.cancel()
  }
}

extension ResourceRecord {
  /// Returns whether an update with the given timestamp is used. The update must be newer than the
  /// data, and the resource must be in use and must not follow a stream. (NEWS-02, NEWS-03)
  fileprivate func takesUpdate(of timestamp: Double) -> Bool {
    isInUse && followerCount == 0 && (state.freshness.hasData || !observers.isEmpty)
      && state.isNewer(timestamp)
  }

  /// Whether updates have to wait because loads are in flight. If the response to a load is a 304,
  /// it may refer to the present data. (NEWS-06)
  fileprivate var holdsUpdatesBack: Bool { !loads.isEmpty }
}

extension Resource {
  /// Returns the object that receives updates of the cache entry at that stage.
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
