import LullCore

/// Reads and changes one entity on the server, for one requester. Each answer comes once, on a
/// later turn or inside the call. Home thread only.
struct SharedEntityServer {
  enum Outcome {
    case found(Entity?)
    /// The server is unavailable. It is unknown whether the server has run the command.
    case unavailable
  }

  let client: ShareClient
  let pump: Pump
  let local: CacheKey
  let wanted: CacheVariant
  let form: SharedEntityForm
  /// The maximum size of the whole namespace, in bytes.
  let maxSize: Int
  /// The maximum age of entries in seconds; nil for no limit.
  let maxAge: Double?

  private var script: SharedEntityScript { SharedEntityScript(place: form.place) }

  /// The maximum number of seconds for which an unused entry is kept.
  private static let longestKeep = 30 * 86400.0
  /// The maximum size of one entity in bytes. Transferring a large entity delays other requests.
  private static let largest = 4 << 20
  /// The maximum size in bytes for encoding and decoding on the home thread. Larger entities are
  /// encoded and decoded in the pool.
  private static let largestOnHomeThread = 64 * 1024

  private var keep: Double { min(max(maxAge ?? .infinity, 1), SharedEntityServer.longestKeep) }
  /// How long an entry is kept after a use, in seconds. nil if there is a maximum age: then a use
  /// does not change the expiry.
  private var keepOfUsed: Double? { maxAge == nil ? SharedEntityServer.longestKeep : nil }

  /// The maximum size of each part of the namespace, in bytes.
  private var room: Int { maxSize / SharedCacheKey.parts }

  private func run(_ call: ScriptCall, _ finish: @escaping (RESPValue?) -> Void) {
    client.run(call, on: .entities) { outcome in
      if case .reply(let value) = outcome { finish(value) } else { finish(nil) }
    }
  }

  // MARK: Reading

  /// Reads the entity.
  ///
  /// - Parameter queue: Serialises the transfer of large entities.
  func read(_ queue: SharedEntityQueue, _ answer: @escaping (Outcome) -> Void) {
    run(script.look(keep: keepOfUsed)) { value in
      guard let value else { return answer(.unavailable) }
      guard let (found, head) = newest(value) else { return answer(.found(nil)) }
      if let body = found.body {
        return takeApart(found.variant, head, body, SharedEntityScript.staleAt(value), answer)
      }
      queue.performAlone(on: pump) { done in
        run(script.read(found.variant)) { value in
          done()
          guard let value else { return answer(.unavailable) }
          guard let (found, head) = newest(value), let body = found.body else {
            return answer(.found(nil))
          }
          takeApart(found.variant, head, body, SharedEntityScript.staleAt(value), answer)
        }
      }
    }
  }

  private func newest(_ value: RESPValue) -> (SharedEntityScript.Found, SharedEntityHead)? {
    SharedEntityScript.found(value)
      .compactMap { found in form.head(found.head, found.variant, wanted).map { (found, $0) } }
      .max { $0.1.timestamp < $1.1.timestamp }
  }

  private func takeApart(
    _ variant: String, _ head: SharedEntityHead, _ body: [UInt8], _ staleAt: Double?,
    _ answer: @escaping (Outcome) -> Void
  ) {
    let now = pump.clock.now
    let maxAge = maxAge
    let work: @Sendable () -> Entity? = { [form, local, wanted] in
      guard var entity = form.entity(head, body, variant, at: local, wanted) else { return nil }
      // The mark has a resolution of microseconds, so half a microsecond is added.
      if let staleAt, entity.timestamp <= staleAt + 5e-7 { entity.isOutdated = true }
      if entity.timestamp > StoredEntity.lastTime(now) { entity.timestamp = 0 }
      if let maxAge, now - entity.timestamp > maxAge { return nil }
      return entity
    }
    guard body.count > SharedEntityServer.largestOnHomeThread else {
      return answer(.found(work()))
    }
    JSONDocument.prepareForThreads()
    pump.offload(work) { answer(.found($0)) }
  }

  // MARK: Changing

  /// Replaces an older entity with `entity`. If `entity` cannot be stored, the older entity is
  /// removed.
  ///
  /// - Parameter answer: Called with true if the server has replied, or if no call was needed.
  func write(_ entity: Entity, _ answer: @escaping (Bool) -> Void) {
    let work: @Sendable () -> SharedEntityPack? = { [form, local] in
      form.packed(entity, at: local)
    }
    let limit = min(room / 8, SharedEntityServer.largest)
    func send(_ pack: SharedEntityPack?) {
      guard let pack, pack.size <= limit else { return remove(answer) }
      write(pack, isAgain: false, answer)
    }
    guard entity.size > SharedEntityServer.largestOnHomeThread else { return send(work()) }
    // The entity is far too large, so it is not even encoded.
    guard entity.size / 64 < limit else { return remove(answer) }
    pump.offload(work) { send($0) }
  }

  private func write(
    _ pack: SharedEntityPack, isAgain: Bool, _ answer: @escaping (Bool) -> Void
  ) {
    run(script.write(pack, room: room, keep: keep)) { value in
      guard let value else { return answer(false) }
      switch SharedEntityScript.written(value) {
      case nil: answer(false)
      case .isOlder: answer(true)
      case .done(let others):
        tellOthers(timestamp: pack.timestamp, isRefresh: false)
        evict(others)
        answer(true)
      case .isFull(let others) where !others.isEmpty && !isAgain:
        run(script.evict(others)) { _ in write(pack, isAgain: true, answer) }
      case .isFull: remove(answer)
      }
    }
  }

  private func evict(_ digests: [String]) {
    guard !digests.isEmpty else { return }
    client.run(script.evict(digests), on: .entities) { _ in }
  }

  /// Changes the metadata of an entity on the server, unless another entity has replaced the entity
  /// meanwhile.
  ///
  /// - Parameters:
  ///   - change: Changes the stored entity, which is passed without its content. Returns false if
  ///     the change does not concern that entity, which then stays unchanged.
  ///   - orWrite: Called to find the current entity if the server has no entity. The found entity
  ///     is written.
  func change(
    _ change: @escaping (inout Entity) -> Bool,
    orWrite find: @escaping (_ found: @escaping (Entity?) -> Void) -> Void,
    _ answer: @escaping (Bool) -> Void
  ) {
    run(script.heads) { value in
      guard let value else { return answer(false) }
      guard let (found, head) = newest(value) else {
        return find { entity in
          if let entity { write(entity, answer) } else { answer(true) }
        }
      }
      switch head.changed(at: local, wanted, change) {
      case .none: answer(true)
      case .unfit: remove(answer)
      case .changed(let changed): put(changed, in: found, answer)
      }
    }
  }

  private func put(
    _ head: SharedEntityHead, in found: SharedEntityScript.Found, _ answer: @escaping (Bool) -> Void
  ) {
    guard let bytes = form.packed(head, found.variant) else { return remove(answer) }
    let call = script.change(
      found.variant, timestamp: head.timestamp, from: found.head, to: bytes,
      keep: maxAge.map { _ in keep })
    run(call) { value in
      if value?.integer == 1 { tellOthers(timestamp: head.timestamp, isRefresh: true) }
      answer(value != nil)
    }
  }

  /// Announces a write. The message follows the write on the same connection. Removals are not
  /// announced, because they do not change the age of other hosts' entities. (NEWS-30, NEWS-33)
  private func tellOthers(timestamp: Double, isRefresh: Bool) {
    let message = client.updates.message(
      form.place.digest, timestamp: timestamp, isRefresh: isRefresh)
    if let message { client.publish(message, tag: script.remove.tag) }
  }

  /// Marks the entity as stale as of that time, unless the entity is newer. The change is not
  /// announced. (AGE-07, NEWS-33)
  func expire(asOf timestamp: Double, _ answer: @escaping (Bool) -> Void) {
    run(script.expire(asOf: timestamp)) { answer($0 != nil) }
  }

  /// Marks the queries of the URL as stale as of that time. The change is not announced. (QUERY-20)
  func expireQueries(asOf timestamp: Double, _ answer: @escaping (Bool) -> Void) {
    // A server without room for the mark gets it later.
    run(script.expireQueries(asOf: timestamp)) { answer($0?.integer == 1) }
  }

  /// Removes every variant of the entity.
  func remove(_ answer: @escaping (Bool) -> Void) {
    run(script.remove) { answer($0 != nil) }
  }
}
