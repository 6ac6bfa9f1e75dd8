import LullCore

/// A cache that writes down what it is asked, and answers when told. Its keys are stage and last path
/// component, unless the test makes others.
final class SpyCache: EntityCache {
  enum Answering {
    case atOnce
    case whenReleased
    case never
  }

  let operations = CacheOperations()
  var entries: [String: Entity]
  var answering = Answering.atOnce
  var declinesWrites = false
  /// As it would, if it were on a disk.
  var outlivesProcess = false
  var makeKey: (Resource, PipelineStageKey) -> String? = { resource, stage in
    "\(stage) \(resource.url.text.split(separator: "/").last ?? "")"
  }
  private let journal: Journal
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

  func readEntity(forKey key: String, completion: @escaping (Entity?) -> Void) {
    perform("read \(key)") { [self] in completion(entries[key]) }
  }

  func writeEntity(_ entity: Entity, forKey key: String, completion: @escaping () -> Void) {
    perform("write \(key): \(entity.text ?? entity.content.typeName)") { [self] in
      if !declinesWrites { entries[key] = entity }
      completion()
    }
  }

  func removeEntity(forKey key: String, completion: @escaping () -> Void) {
    perform("remove \(key)") { [self] in
      entries[key] = nil
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
