import LullCore
import LullTestSupport
import LullTesting
import Testing

/// What becomes of a resource in memory when another has written to a cache that is shared.
@Suite(.timeLimit(.minutes(20)))
struct EntityUpdatesTests {
  private let key = "parsing a"
  /// A cache at the parsing stage that tells of what others write.
  private func shared(_ harness: Harness, _ journal: Journal = Journal()) -> SpyCache {
    let cache = SpyCache(journal)
    cache.tellsNews = true
    harness.service.configure { $0.pipeline[.parsing].cacheUsing(cache) }
    return cache
  }
  @Test
  func
    `NEWS-01 what another has written becomes the data, and observers hear new_data from shared`()
  {
    withHarness { harness in
      let journal = Journal()
      let cache = shared(harness, journal)
      let resource = harness.loaded("/a", .text("x"))
      let recorder = resource.recorded()
      harness.advance(by: 100)
      _ = journal.take()
      cache.othersWrite(.text("theirs", at: 1090), key)
      harness.settle()
      #expect(recorder.take() == ["newData(shared) D"])
      #expect(resource.text == "theirs")
      #expect(resource.timestamp == 1090, "its age is what it was written with")
      #expect(journal.take() == ["read parsing a", "told"], "nothing is written back")
      #expect(harness.sent.count == 1)
    }
  }

  @Test
  func `NEWS-02 only a resource takes it that has data or observers, and is held or observed`() {
    withHarness { harness in
      let journal = Journal()
      let cache = shared(harness, journal)
      // Empty and not observed.
      var empty: Resource? = harness.service.resource("/a")
      _ = empty?.latestData
      harness.settle()
      #expect(cache.isFollowed(key))
      _ = journal.take()
      cache.othersWrite(.text("1", at: 1001), key)
      harness.settle()
      #expect(journal.take() == ["told"])
      #expect(empty?.latestData == nil)
      // Observed.
      let recorder = EventRecorder()
      empty?.addObserver(recorder)
      _ = recorder.take()
      cache.othersWrite(.text("2", at: 1002), key)
      harness.settle()
      #expect(recorder.take() == ["newData(shared) D"])
      // With data, and held.
      empty?.removeObservers(ownedBy: recorder)
      cache.othersWrite(.text("3", at: 1003), key)
      harness.settle()
      #expect(empty?.text == "3")
      // Let go.
      empty = nil
      _ = journal.take()
      cache.othersWrite(.text("4", at: 1004), key)
      harness.settle()
      #expect(journal.take() == ["told"])
      #expect(harness.service.resource("/a").text == "3", "as old as it is")
    }
  }

  @Test func `NEWS-03 it must be newer; what holds the same is new data all the same`() {
    withHarness { harness in
      let journal = Journal()
      let cache = shared(harness, journal)
      let resource = harness.loaded("/a", .text("x"))
      let recorder = resource.recorded()
      _ = journal.take()
      for timestamp in [990, 1000, -Double.infinity, .nan] {
        cache.othersWrite(.text("old", at: timestamp), key)
      }
      harness.settle()
      #expect(journal.take() == ["told", "told", "told", "told"], "nothing is read")
      // The hint was not true.
      cache.othersWrite(.text("old", at: 1000), key, timestamp: .infinity)
      harness.settle()
      #expect(journal.take() == ["read parsing a", "told"])
      #expect(recorder.take() == [])
      cache.othersWrite(.text("x", at: 1001), key)
      harness.settle()
      #expect(recorder.take() == ["newData(shared) D"])
    }
  }

  @Test func `NEWS-03 an error goes, and an invalidation stays`() {
    withHarness { harness in
      let cache = shared(harness)
      let resource = harness.loaded("/a", .text("x"))
      harness.stub("GET", "/a", .init(status: 500))
      resource.load()
      harness.settle()
      resource.invalidate()
      #expect(resource.latestError != nil)
      cache.othersWrite(.text("theirs", at: 1001), key)
      harness.settle()
      #expect(resource.text == "theirs")
      #expect(resource.latestError == nil)
      #expect(!resource.isUpToDate)
    }
  }

  @Test(arguments: [false, true])
  func `NEWS-40 an error stays that came later than what another has written`(isRefresh: Bool) {
    withHarness { harness in
      let cache = shared(harness)
      let resource = harness.loaded("/a", .json("\"x\"", etag: "1"))
      harness.advance(by: 100)
      harness.stub("GET", "/a", .init(status: 410))
      resource.load()
      harness.settle()
      let recorder = resource.recorded()
      for (timestamp, mark) in [(1090.0, " E"), (1100, " E"), (1101, "")] {
        let theirs = Entity.text("theirs", headers: [("ETag", "1")], at: timestamp)
        cache.othersWrite(theirs, key, isRefresh: isRefresh)
        harness.settle()
        #expect(recorder.take() == [(isRefresh ? "notModified D" : "newData(shared) D") + mark])
        #expect((resource.text == "theirs") == !isRefresh)
      }
    }
  }

  @Test func `NEWS-04 what another was told to hold still is not modified here, and as young`() {
    withHarness { harness in
      let cache = shared(harness)
      let resource = harness.loaded(
        "/a", .init(headers: [("Content-Type", "text/plain"), ("ETag", "1")], body: "x"))
      let recorder = resource.recorded()
      func refreshed(_ tag: String, _ text: String, at timestamp: Double) {
        cache.othersWrite(
          .text(text, headers: [("ETag", tag), ("X-New", "yes")], at: timestamp), key,
          isRefresh: true)
        harness.settle()
      }
      refreshed("1", "not looked at", at: 1050)
      #expect(recorder.take() == ["notModified D"])
      #expect(resource.text == "x")
      #expect(resource.timestamp == 1050)
      #expect(resource.latestData?.headers["x-new"] == "yes")
      // What it was told of is not what is here.
      refreshed("2", "theirs", at: 1060)
      #expect(recorder.take() == ["newData(shared) D"])
      #expect(resource.text == "theirs")
      // Content of the program's is not what the validator is of.
      resource.overrideLocalContent(with: .text("mine"))
      _ = recorder.take()
      refreshed("2", "theirs", at: 1070)
      #expect(recorder.take() == ["newData(shared) D"])
    }
  }

  @Test func `NEWS-05 after an override only what was made later counts`() {
    for whole in [false, true] {
      withHarness { harness in
        let journal = Journal()
        let cache = shared(harness, journal)
        let resource = harness.loaded("/a", .text("x"))
        let recorder = resource.recorded()
        harness.advance(by: 100)
        cache.answering = .whenReleased
        cache.othersWrite(.text("theirs", at: 1090), key)
        if whole {
          resource.overrideLocalData(with: .text("mine", at: 5))
        } else {
          resource.overrideLocalContent(with: .text("mine"))
        }
        cache.releaseAll()
        harness.settle()
        cache.othersWrite(.text("theirs", at: 1100), key)
        harness.settle()
        #expect(recorder.take() == ["newData(localOverride) D"])
        #expect(resource.text == "mine")
        cache.othersWrite(.text("theirs", at: 1101), key)
        harness.settle()
        #expect(recorder.take() == ["newData(shared) D"])
      }
    }
  }

  @Test func `NEWS-05 what was being read when the resource was overridden comes too late`() {
    withHarness { harness in
      let cache = shared(harness)
      let resource = harness.loaded("/a", .text("x"))
      let recorder = resource.recorded()
      cache.answering = .whenReleased
      // Newer by the clock of the other.
      cache.othersWrite(.text("theirs", at: 1500), key)
      resource.overrideLocalContent(with: .text("mine"))
      cache.entries[key] = .text("theirs", at: 1500)
      cache.answering = .atOnce
      cache.release()
      harness.settle()
      #expect(recorder.take() == ["newData(localOverride) D"])
    }
  }

  @Test func `NEWS-06 it waits for a load that may be answered about the data that is here`() {
    for (status, events, text) in [
      (200, ["requested L D", "newData(network) D"], "network"),
      (304, ["requested L D", "notModified D"], "x"),
      (500, ["requested L D", "error D E", "newData(shared) D E"], "theirs"),
    ] {
      withHarness { harness in
        let journal = Journal()
        let cache = shared(harness, journal)
        let resource = harness.loaded(
          "/a", .init(headers: [("Content-Type", "text/plain"), ("ETag", "1")], body: "x"))
        let recorder = resource.recorded()
        harness.provider.holdsAnswers = true
        harness.stub(
          "GET", "/a", status == 200 ? .text("network") : StubProvider.Answer(status: status))
        resource.load()
        harness.settle()
        harness.clock.advance(by: 100)
        _ = journal.take()
        for timestamp in [1010.0, 1090, 1050] {
          cache.othersWrite(.text("theirs", at: timestamp), key)
        }
        cache.entries[key] = .text("theirs", at: 1090)
        harness.settle()
        #expect(journal.take() == ["told", "told", "told"])
        harness.provider.release()
        harness.settle()
        #expect(recorder.take() == events)
        #expect(resource.text == text)
      }
    }
  }

  @Test
  func
    `NEWS-06 it waits for a load that began while it was read, and is taken if that is cancelled`()
  {
    withHarness { harness in
      let cache = shared(harness)
      let resource = harness.loaded("/a", .text("x"))
      let recorder = resource.recorded()
      cache.answering = .whenReleased
      cache.othersWrite(.text("theirs", at: 1001), key)
      harness.provider.holdsAnswers = true
      let load = resource.load()
      cache.releaseAll()
      harness.settle()
      #expect(recorder.take() == ["requested L D"])
      load.cancel()
      harness.settle()
      #expect(recorder.take() == ["requestCancelled D", "newData(shared) D"])
    }
  }

  @Test func `NEWS-06 a resource without data that loads takes it when that has failed`() {
    for answer in [StubProvider.Answer.text("network"), .init(status: 500)] {
      withHarness { harness in
        let cache = shared(harness)
        let resource = harness.service.resource("/a")
        let recorder = resource.recorded()
        harness.settle()
        harness.provider.holdsAnswers = true
        harness.stub("GET", "/a", answer)
        resource.load()
        harness.settle()
        harness.clock.advance(by: 100)
        cache.othersWrite(.text("theirs", at: 1001), key)
        harness.settle()
        #expect(recorder.take() == ["requested L"])
        harness.provider.release()
        harness.settle()
        #expect(
          recorder.take()
            == (answer.status == 500
              ? ["error E", "newData(shared) D E"] : ["newData(network) D"]))
      }
    }
  }

  @Test func `NEWS-07 what is being read when the resource is wiped comes too late`() {
    withHarness { harness in
      let cache = shared(harness)
      let resource = harness.loaded("/a", .text("x"))
      cache.answering = .whenReleased
      cache.othersWrite(.text("theirs", at: 1001), key)
      resource.wipe()
      cache.releaseAll()
      harness.settle()
      #expect(resource.record.state.latestData == nil)
      let recorder = resource.recorded()
      harness.settle()
      #expect(recorder.take() == ["newData(cache) D"], "WIPE-07")
      cache.othersWrite(.text("later", at: 1002), key)
      harness.settle()
      #expect(recorder.take() == ["newData(shared) D"])
    }
  }

  @Test func `NEWS-08 a load that began and succeeded while it was read wins`() {
    var state = ResourceState()
    _ = state.override(with: .text("x", at: 1))
    let token = state.updateToken
    let load = state.loadStarted()
    _ = state.loadEnded(load, .newData(.text("loaded", at: 2)), now: 2)
    #expect(state.updateArrived(token, .text("theirs", at: 3)) == nil)
    #expect(state.updateArrived(state.updateToken, .text("theirs", at: 2)) == nil)
    #expect(state.updateArrived(state.updateToken, .text("theirs", at: 3)) == .newData(.shared))
  }

  @Test func `NEWS-09 it passes the later stages, and is written to caches that are not shared`() {
    withHarness { harness in
      let (sharedJournal, localJournal) = (Journal(), Journal())
      let cache = shared(harness, sharedJournal)
      let (alsoShared, local) = (SpyCache(sharedJournal), SpyCache(localJournal))
      alsoShared.tellsNews = true
      harness.service.configure {
        $0.pipeline[.model].cacheUsing(alsoShared)
        $0.pipeline[.cleanup].cacheUsing(local)
        $0.pipeline[.model].add(
          ResponseContentTransformer { (text: String, _: Entity) in
            text == "bad" ? nil : "<\(text)>"
          })
      }
      let resource = harness.loaded("/a", .text("x"))
      let recorder = resource.recorded()
      _ = (sharedJournal.take(), localJournal.take())
      cache.othersWrite(.text("theirs", at: 1001), key)
      harness.settle()
      #expect(resource.text == "<theirs>")
      #expect(sharedJournal.take() == ["read parsing a", "told"])
      #expect(localJournal.take() == ["write cleanup a: <theirs>"])
      #expect(recorder.take() == ["newData(shared) D"])
      cache.othersWrite(.text("bad", at: 1002), key)
      harness.settle()
      #expect(recorder.take() == [])
      #expect(resource.text == "<theirs>")
    }
  }

  @Test func `NEWS-10 what comes while one is read is one read more`() {
    withHarness { harness in
      let journal = Journal()
      let cache = shared(harness, journal)
      let resource = harness.loaded("/a", .text("x"))
      let recorder = resource.recorded()
      _ = journal.take()
      cache.answering = .whenReleased
      for number in 1...100 {
        cache.othersWrite(.text("\(number)", at: 1000 + Double(number)), key)
      }
      #expect(journal.take().filter { $0 == "read parsing a" }.count == 1)
      cache.entries[key] = .text("1", at: 1001)
      cache.release()
      cache.entries[key] = .text("100", at: 1100)
      cache.releaseAll()
      harness.settle()
      #expect(journal.take().filter { $0 == "read parsing a" }.count == 1)
      #expect(recorder.take() == ["newData(shared) D", "newData(shared) D"])
      #expect(resource.text == "100")
    }
  }

  @Test func `NEWS-11 where there is nothing, or no cache any more, nothing changes`() {
    withHarness { harness in
      let cache = shared(harness)
      let resource = harness.loaded("/a", .text("x"))
      let recorder = resource.recorded()
      cache.othersWrite(nil, key, timestamp: 1001)
      harness.settle()
      harness.service.configure { $0.pipeline[.parsing].doNotCache() }
      cache.othersWrite(.text("theirs", at: 1001), key)
      harness.settle()
      #expect(recorder.take() == [])
      #expect(resource.text == "x")
    }
  }

  @Test func `NEWS-12 a cache that never answers keeps nothing`() {
    withHarness { harness in
      let cache = shared(harness)
      var resource: Resource? = harness.loaded("/a", .text("x"))
      cache.answering = .never
      cache.othersWrite(.text("theirs", at: 1001), key)
      weak let record = resource?.record
      resource = nil
      harness.service.flushUnusedResources()
      #expect(record == nil)
      #expect(!cache.isFollowed(key))
    }
  }
}
