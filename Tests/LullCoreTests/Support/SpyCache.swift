import LullCore

/// A cache that writes down what it is asked, and answers when told. Its keys are stage and last path
/// component, unless the test makes others.
final class SpyCache: CoordinatedEntityCache {
  enum Answering {
    case atOnce
    case whenReleased
    case never
  }

  let operations = CacheOperations()
  var entries: [String: Entity]
  /// As of when what is not newer is stale, by key.
  private(set) var marks: [String: Double] = [:]
  var answering = Answering.atOnce
  var declinesWrites = false
  /// As it would, if it were on a disk.
  var outlivesProcess = false
  var makeKey: (Resource, PipelineStageKey) -> String? = { resource, stage in
    "\(stage) \(resource.url.text.split(separator: "/").last ?? "")"
  }
  /// Whether it tells of what others write, as the test has it.
  var tellsNews = false
  private var followed: [String: Follower] = [:]
  private let journal: Journal

  private struct Follower {
    weak var news: EntityUpdates?
  }
  private var held: [() -> Void] = []
  private var isBusy = false

  init(_ journal: Journal = Journal(), _ entries: [String: Entity] = [:]) {
    self.journal = journal
    self.entries = entries
  }

  var heldCount: Int { held.count }

  /// What the entries hold, by key.
  var texts: [String: String] { entries.mapValues { $0.text ?? $0.content.typeName } }

  /// Lets the operation under way go on.
  func release() { held.removeFirst()() }

  /// Lets every operation go on, also those that come up meanwhile.
  func releaseAll() {
    answering = .atOnce
    while !held.isEmpty { release() }
  }

  func key(for resource: Resource, at stage: PipelineStageKey) -> String? {
    makeKey(resource, stage)
  }

  func follow(_ key: String, _ news: () -> EntityUpdates) {
    if tellsNews { followed[key] = Follower(news: news()) }
  }

  /// Whether somebody would hear of what another has written there.
  func isFollowed(_ key: String) -> Bool { followed[key]?.news != nil }

  /// As if another had written it there.
  func othersWrite(
    _ entity: Entity?, _ key: String, timestamp: Double? = nil, isRefresh: Bool = false
  ) {
    entries[key] = entity
    followed[key]?.news?.arrived(
      timestamp: timestamp ?? entity?.timestamp ?? 0, isRefresh: isRefresh
    ) { [journal] in journal("told") }
  }

  func readEntity(forKey key: String, completion: @escaping (Entity?) -> Void) {
    perform("read \(key)") { [self] in
      var entity = entries[key]
      if let mark = marks[key], let timestamp = entity?.timestamp {
        entity?.isOutdated = timestamp <= mark
      }
      completion(entity)
    }
  }

  func writeEntity(_ entity: Entity, forKey key: String, completion: @escaping () -> Void) {
    perform("write \(key): \(entity.text ?? entity.content.typeName)") { [self] in
      if !declinesWrites {
        entries[key] = entity
        entries[key]?.isOutdated = false
        if let mark = marks[key], mark <= entity.timestamp { marks[key] = nil }
      }
      completion()
    }
  }

  func expireEntity(
    asOf timestamp: Double, forKey key: String, completion: @escaping () -> Void
  ) {
    if entries[key] != nil { marks[key] = max(marks[key] ?? timestamp, timestamp) }
    completion()
  }

  func removeEntity(forKey key: String, completion: @escaping () -> Void) {
    perform("remove \(key)") { [self] in
      entries[key] = nil
      marks[key] = nil
      completion()
    }
  }

  private func perform(_ line: String, _ action: @escaping () -> Void) {
    journal(isBusy ? "\(line), while another is under way" : line)
    isBusy = true
    switch answering {
    case .atOnce: finish(action)
    case .whenReleased: held.append { [unowned self] in finish(action) }
    case .never: break
    }
  }

  private func finish(_ action: () -> Void) {
    isBusy = false
    action()
  }
}
