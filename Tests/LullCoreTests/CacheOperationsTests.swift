import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct CacheOperationsTests {
  @Test func `CACHE-22 operations on one cache run one after the other, in the order issued`() {
    withHarness { harness, leakCheck in
      let journal = Journal()
      let cache = leakCheck.watch(SpyCache(journal))
      cache.answering = .whenReleased
      harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
      harness.stub("GET", "/a", .text("network"))
      let resource = harness.service.resource("/a")
      resource.load()
      harness.settle()
      resource.overrideLocalContent(with: .text("local"))
      #expect(journal.take() == ["read model a"])
      for expected in [["write model a: network"], ["remove model a"], []] {
        cache.release()
        harness.settle()
        #expect(journal.take() == expected)
      }
      #expect(cache.texts == [:])
    }
  }

  @Test func `CACHE-22 different caches do not wait for each other`() {
    withHarness { harness in
      let journal = Journal()
      let (slow, quick) = (SpyCache(journal), SpyCache(journal))
      slow.answering = .whenReleased
      harness.service.configure {
        $0.pipeline[.parsing].cacheUsing(slow)
        $0.pipeline[.model].cacheUsing(quick)
      }
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      resource.load()
      harness.settle()
      #expect(journal.take() == ["read model a", "read parsing a", "write model a: x"])
      #expect(quick.texts == ["model a": "x"])
      slow.releaseAll()
      #expect(journal.take() == ["write parsing a: x"])
    }
  }

  @Test
  func `CACHE-22 however many wait for one, they run one after the other, not in one another`() {
    let cache = SpyCache()
    let pump = Pump(clock: ManualClock())
    var stacked = 0
    var deepest = 0
    var finished = 0
    var first: (() -> Void)?
    cache.operations.perform(on: pump) { first = $0 }
    for _ in 0..<100_000 {
      cache.operations.perform(on: pump) { done in
        stacked += 1
        deepest = max(deepest, stacked)
        finished += 1
        done()
        stacked -= 1
      }
    }
    #expect(finished == 0)
    first?()
    #expect(finished == 100_000)
    #expect(deepest == 1)
  }

  @Test
  func `CACHE-22 an operation issued by another runs after it, and being done twice counts once`() {
    let operations = CacheOperations()
    let pump = Pump(clock: ManualClock())
    let journal = Journal()
    operations.perform(on: pump) { done in
      journal("first begins")
      operations.perform(on: pump) { done in
        journal("second")
        done()
      }
      journal("first ends")
      done()
      done()
      operations.perform(on: pump) { _ in journal("third") }
    }
    #expect(journal.take() == ["first begins", "first ends", "second", "third"])
    operations.perform(on: pump) { _ in journal("never: the third is not done") }
    #expect(journal.take() == [])
  }

  @Test func `CACHE-22 what waits on a pump that closes is let go of, and others go on`() {
    final class Held {}
    let operations = CacheOperations()
    let (first, second) = (Pump(clock: ManualClock()), Pump(clock: ManualClock()))
    var done: (() -> Void)?
    weak var held: Held?
    var isSecondDone = false
    do {
      let kept = Held()
      held = kept
      operations.perform(on: first) { done = $0 }
      operations.perform(on: first) { _ in _ = (kept, operations) }
      operations.perform(on: second) {
        isSecondDone = true
        $0()
      }
    }
    #expect(held != nil)
    first.close()
    #expect(held == nil)
    #expect(isSecondDone)
    operations.perform(on: second) { _ in }
    done?()
    var runs = false
    operations.perform(on: second) { _ in runs = true }
    #expect(!runs, "the end of one that is gone ends no other")
    operations.perform(on: first) { _ in Issue.record("its pump is closed") }
    second.close()
  }

  @Test func `CACHE-26 without a timestamp update of its own a cache is read, changed and written`()
  {
    let journal = Journal()
    let cache = SpyCache(journal, ["k": .text("x", headers: [("etag", "1")], at: 5)])
    var completions = 0
    cache.updateEntityTimestamp(7, forKey: "k") { completions += 1 }
    #expect(journal.take() == ["read k", "write k: x"])
    #expect(cache.entries["k"]?.timestamp == 7)
    #expect(cache.entries["k"]?.etag == "1")
    cache.updateEntityTimestamp(7, forKey: "other") { completions += 1 }
    #expect(journal.take() == ["read other"])
    #expect(cache.entries.count == 1)
    #expect(completions == 2)
  }
}
