import LullCore
import LullTestSupport
import LullTesting
import Testing

/// Caches that have the methods of `EntityCache` and nothing else.
@Suite(.timeLimit(.minutes(20)))
struct QueuedCacheTests {
  private final class PlainCache: EntityCache {
    private let journal: Journal
    private(set) var entries: [String: Entity] = [:]
    /// Whether operations wait for `release`.
    var holdsOperations = false
    private var held: [() -> Void] = []

    init(_ journal: Journal) { self.journal = journal }

    func release() { held.removeFirst()() }

    func key(for resource: Resource, at stage: PipelineStageKey) -> String? {
      "\(stage) \(resource.url.text.split(separator: "/").last ?? "")"
    }

    func readEntity(forKey key: String, completion: @escaping (Entity?) -> Void) {
      perform("read \(key)") { [self] in completion(entries[key]) }
    }

    func writeEntity(_ entity: Entity, forKey key: String, completion: @escaping () -> Void) {
      perform("write \(key)") { [self] in
        entries[key] = entity
        completion()
      }
    }

    func removeEntity(forKey key: String, completion: @escaping () -> Void) {
      perform("remove \(key)") { [self] in
        entries[key] = nil
        completion()
      }
    }

    private func perform(_ operation: String, _ body: @escaping () -> Void) {
      journal(operation)
      if holdsOperations { held.append(body) } else { body() }
    }
  }

  @Test
  func `CACHE-22 operations on one object are in order, at all stages and in all configurations`() {
    withHarness { harness, leakCheck in
      let journal = Journal()
      let cache = leakCheck.watch(PlainCache(journal))
      harness.service.configure {
        $0.pipeline[.rawData].cacheUsing(cache)
        $0.pipeline[.model].cacheUsing(cache)
      }
      let resource = harness.loaded("/a", .text("x"))
      _ = journal.take()
      cache.holdsOperations = true
      resource.overrideLocalContent(with: .text("local"))
      // A configuration that is made while an operation is under way.
      harness.service.configure("/b") { $0.pipeline[.parsing].cacheUsing(cache) }
      _ = harness.service.resource("/b").latestData
      for expected in [
        "remove raw_data a", "remove model a", "read model b", "read parsing b", "read raw_data b",
      ] {
        harness.settle()
        #expect(journal.take() == [expected])
        cache.release()
      }
      harness.settle()
      #expect(journal.take() == [])
    }
  }

  @Test func `CACHE-22 different objects do not wait for each other`() {
    withHarness { harness in
      let journal = Journal()
      let (slow, quick) = (PlainCache(journal), PlainCache(journal))
      harness.service.configure {
        $0.pipeline[.parsing].cacheUsing(slow)
        $0.pipeline[.model].cacheUsing(quick)
      }
      let resource = harness.loaded("/a", .text("x"))
      _ = journal.take()
      slow.holdsOperations = true
      resource.overrideLocalContent(with: .text("local"))
      resource.overrideLocalContent(with: .text("again"))
      #expect(journal.take() == ["remove parsing a", "remove model a", "remove model a"])
      slow.release()
      #expect(journal.take() == ["remove parsing a"])
      slow.release()
    }
  }

  @Test func `CACHE-26 INV-59 a 304 reads and writes an entry, and an invalidation removes it`() {
    withHarness { harness in
      let journal = Journal()
      let cache = PlainCache(journal)
      harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
      let resource = harness.loaded("/a", .text("x"))
      harness.stub("GET", "/a", .init(status: 304))
      harness.advance(by: 100)
      _ = journal.take()
      resource.load()
      harness.settle()
      #expect(journal.take() == ["read model a", "write model a"])
      #expect(cache.entries["model a"]?.timestamp == 1100)
      resource.invalidate()
      harness.settle()
      #expect(journal.take() == ["remove model a"])
    }
  }
}
