import LullCore
import LullTestSupport
import LullTesting
import Testing

/// How the caches of several stages answer together.
@Suite(.timeLimit(.minutes(20)))
struct CacheLookupTests {
  /// What a cached entity becomes on its way through the later stages.
  private func stages(
    _ harness: Harness, _ journal: Journal, cached: [PipelineStageKey], _ texts: [String: String]
  ) -> SpyCache {
    let cache = SpyCache(journal, texts.mapValues { .text($0, at: 990) })
    harness.service.configure {
      $0.pipeline = Pipeline()
      $0.pipeline[.decoding].add(.appending(" dec"))
      $0.pipeline[.parsing].add(.appending(" par"))
      $0.pipeline[.model].add(.appending(" mod"))
      $0.pipeline[.cleanup].add(.appending(" cle"))
      for stage in cached { $0.pipeline[stage].cacheUsing(cache) }
    }
    return cache
  }

  struct Row: CustomTestStringConvertible {
    let id: String
    var cached: [PipelineStageKey] = [.rawData, .parsing, .cleanup]
    let texts: [String: String]
    let text: String
    let journal: [String]

    var testDescription: String { id }
  }

  static let rows = [
    Row(
      id: "CACHE-10, CACHE-30: the latest stage wins and is final",
      texts: ["raw_data a": "raw", "parsing a": "parsed", "cleanup a": "clean"], text: "clean",
      journal: ["read cleanup a"]),
    Row(
      id: "CACHE-11, CACHE-13: a hit passes the later stages, whose caches are written",
      texts: ["raw_data a": "raw", "parsing a": "parsed"], text: "parsed mod cle",
      journal: ["read cleanup a", "read parsing a", "write cleanup a: parsed mod cle"]),
    Row(
      id: "CACHE-11, CACHE-13: the earliest stage, all later ones written",
      texts: ["raw_data a": "raw"], text: "raw dec par mod cle",
      journal: [
        "read cleanup a", "read parsing a", "read raw_data a", "write parsing a: raw dec par",
        "write cleanup a: raw dec par mod cle",
      ]),
    Row(
      id: "CACHE-13: stages without a transformer in between share the value",
      cached: [.rawData, .decoding], texts: ["raw_data a": "raw"], text: "raw dec par mod cle",
      journal: ["read decoding a", "read raw_data a", "write decoding a: raw dec"]),
    Row(
      id: "CACHE-02: none has it", texts: [:], text: "",
      journal: ["read cleanup a", "read parsing a", "read raw_data a"]),
  ]

  @Test(arguments: rows)
  func `the last stage's cache is asked first; what it has passes the stages after it`(row: Row) {
    for answersLater in [false, true] {
      withHarness { harness in
        let journal = Journal()
        let cache = stages(harness, journal, cached: row.cached, row.texts)
        if answersLater { cache.answering = .whenReleased }
        let resource = harness.service.resource("/a")
        #expect(resource.latestData == nil)
        while cache.heldCount > 0 {
          harness.settle()
          cache.release()
        }
        harness.settle()
        #expect(resource.text == row.text)
        #expect(journal.take() == row.journal)
        if !row.text.isEmpty { #expect(resource.timestamp == 990, "CACHE-09, CACHE-31") }
      }
    }
  }

  @Test
  func `CACHE-12 CACHE-13 a hit whose later transformation fails gives way to the next earlier`() {
    withHarness { harness in
      let journal = Journal()
      let cache = stages(
        harness, journal, cached: [.rawData, .parsing, .cleanup],
        ["raw_data a": "good", "parsing a": "bad"])
      harness.service.configure {
        $0.pipeline[.model].add(
          FunctionTransformer(description: "picky") { response in
            guard response.entity?.text?.hasPrefix("bad") == true else { return response }
            return .failure(.failure("bad"))
          })
      }
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.loadIfNeeded()
      harness.settle()
      #expect(recorder.take() == ["newData(cache) L D", "notModified D"])
      #expect(load?.outcome == "good dec par mod cle")
      #expect(
        journal.take() == [
          "read cleanup a", "read parsing a", "read raw_data a",
          "write parsing a: good dec par", "write cleanup a: good dec par mod cle",
        ])
      #expect(cache.texts["parsing a"] == "good dec par", "the bad one is replaced")
    }
  }

  @Test
  func
    `CACHE-12 when every hit fails later it is a miss; nothing is written, the network is asked`()
  {
    withHarness { harness in
      let journal = Journal()
      _ = stages(
        harness, journal, cached: [.rawData, .parsing],
        ["raw_data a": "1", "parsing a": "2"])
      var fails = true
      harness.service.configure {
        $0.pipeline[.cleanup].add(
          FunctionTransformer(description: "fail") { fails ? .failure(.failure("bad")) : $0 })
      }
      harness.stub("GET", "/a", .bytes([]))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.loadIfNeeded()
      #expect(journal.take() == ["read parsing a", "read raw_data a"])
      fails = false
      harness.settle()
      #expect(recorder.take() == ["requested L", "newData(network) D"])
      #expect(load?.outcome == " dec par mod cle")
      #expect(journal.take() == ["write raw_data a: data", "write parsing a:  dec par"])
    }
  }

  @Test func `CACHE-11 a later stage that waits keeps the hit waiting; cancelling drops it`() {
    for cancels in [false, true] {
      withHarness { harness in
        let journal = Journal()
        let cache = stages(harness, journal, cached: [.parsing, .cleanup], ["parsing a": "x"])
        let step = WaitingTransformer()
        harness.service.configure { $0.pipeline[.cleanup].add(step) }
        let resource = harness.service.resource("/a")
        let recorder = resource.recorded()
        let load = resource.loadIfNeeded()
        harness.settle()
        #expect(load?.state == .inProgress)
        if cancels { load?.cancel() }
        #expect(step.abandoned == (cancels ? 1 : 0))
        step.resume()
        harness.settle()
        #expect(recorder.take() == (cancels ? [] : ["newData(cache) L D", "notModified D"]))
        #expect(cache.texts["cleanup a"] == (cancels ? nil : "x mod cle"))
      }
    }
  }

  @Test func `CACHE-03 CXL-09 data that comes while a later stage waits stops the hit`() {
    withHarness { harness in
      let cache = stages(harness, Journal(), cached: [.parsing, .cleanup], ["parsing a": "x"])
      let step = WaitingTransformer()
      harness.service.configure { $0.pipeline[.cleanup].add(step) }
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.overrideLocalContent(with: .text("local"))
      #expect(step.abandoned == 1)
      step.resume()
      harness.settle()
      #expect(recorder.take() == ["newData(localOverride) D"])
      #expect(cache.texts == [:], "OVR-12")
    }
  }

  @Test
  func `CACHE-30 a cached entity counts as processed up to its stage, also for the order's sake`() {
    withHarness { harness in
      let journal = Journal()
      let cache = stages(harness, journal, cached: [.parsing], ["parsing a": "x"])
      harness.service.configure { $0.pipeline.order = [.cleanup, .parsing, .decoding] }
      let resource = harness.service.resource("/a")
      _ = resource.latestData
      harness.settle()
      #expect(resource.text == "x dec")
      #expect(cache.texts == ["parsing a": "x"])
    }
  }

  @Test func `PIPE-09 the cache of a stage that the order leaves out is not used`() {
    withHarness { harness in
      let journal = Journal()
      _ = stages(harness, journal, cached: [.parsing], ["parsing a": "x"])
      harness.service.configure { $0.pipeline.order = [.decoding] }
      harness.stub("GET", "/a", .bytes([]))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.loadIfNeeded()
      #expect(recorder.take() == ["requested L"])
      harness.settle()
      #expect(resource.text == " dec")
      #expect(journal.take() == [])
    }
  }
}
