import LullCore
import LullTestSupport
import LullTesting
import Testing

/// Large bodies are parsed elsewhere, with the same outcome. (PIPE-16)
@Suite(.timeLimit(.minutes(20)))
struct PipelineOffloadTests {
  private static let large = 64 * 1024 + 1

  private func withPool(_ body: (Harness, HeldWorkPool) -> Void) {
    withHarness { harness, leakCheck in
      let pool = leakCheck.watch(HeldWorkPool())
      harness.pump.workers = pool
      body(harness, pool)
    }
  }

  struct Body: CustomTestStringConvertible {
    let id: String
    let type: String
    var status = 200
    let bytes: [UInt8]

    var testDescription: String { id }
  }

  private static func utf8(_ text: String, filled: Character) -> [UInt8] {
    Array((text + String(repeating: filled, count: large)).utf8)
  }

  static let bodies = [
    Body(id: "JSON", type: "application/json", bytes: utf8("[1]", filled: " ")),
    Body(id: "malformed JSON", type: "application/json", bytes: utf8("[1", filled: " ")),
    Body(id: "text", type: "text/plain; charset=utf-8", bytes: utf8("ý", filled: "x")),
    Body(
      id: "undecodable text", type: "text/plain; charset=utf-8",
      bytes: utf8("", filled: "x") + [0xD8]),
    Body(id: "an unknown charset", type: "text/plain; charset=oink", bytes: utf8("", filled: "x")),
    Body(
      id: "an error's JSON", type: "application/json", status: 500,
      bytes: utf8("[1]", filled: " ")),
    Body(
      id: "an error's malformed JSON", type: "application/json", status: 500,
      bytes: utf8("[1", filled: " ")),
  ]

  private func describe(_ response: Response?) -> String {
    let entity = response?.entity ?? response?.error?.entity
    var text = "\(response?.error?.httpStatusCode ?? 0) \(response?.error?.userMessage ?? "-")"
    text += " \(response?.error?.cause?.message ?? "-") \(entity?.contentType ?? "-")"
    switch entity?.content {
    case .text(let string): return text + " text of \(string.utf8.count)"
    case .bytes(let bytes): return text + " \(bytes.count) bytes"
    case .json(let document):
      var bytes: [UInt8] = []
      document.root.encode(into: &bytes)
      return text + " " + String(decoding: bytes, as: UTF8.self)
    default: return text
    }
  }

  @Test(arguments: bodies)
  func `PIPE-16 PRG-27 parsed in the pool or where it arrives, the outcome is the same`(body: Body)
  {
    var outcomes: [String] = []
    let answer = StubProvider.Answer.bytes(body.bytes, type: body.type, status: body.status)
    withHarness { harness in
      harness.stub("GET", "/a", answer)
      let request = harness.service.resource("/a").request("GET")
      harness.settle()
      outcomes.append(describe(request.response))
    }
    withPool { harness, pool in
      harness.stub("GET", "/a", answer)
      let request = harness.service.resource("/a").request("GET")
      harness.settle()
      #expect(request.state == .inProgress)
      #expect(request.progress == 1)
      #expect(pool.count == 1)
      pool.work()
      #expect(request.state == .inProgress, "finished on the home thread, on a later turn")
      harness.settle()
      outcomes.append(describe(request.response))
    }
    #expect(outcomes.first == outcomes.last)
    #expect(outcomes.first?.hasPrefix("0 - - ") == ["JSON", "text"].contains(body.id))
  }

  @Test(arguments: [
    Body(
      id: "small", type: "text/plain", bytes: Array(repeating: 0x78, count: 64 * 1024)),
    Body(id: "other", type: "image/png", bytes: Array(repeating: 0x78, count: large)),
    Body(id: "empty", type: "application/json", status: 204, bytes: []),
  ])
  func `PIPE-16 bodies up to 64 KB, empty ones and other types stay on the home thread`(body: Body)
  {
    withPool { harness, pool in
      harness.stub("GET", "/a", .bytes(body.bytes, type: body.type, status: body.status))
      let request = harness.service.resource("/a").request("GET")
      harness.settle()
      #expect(request.response?.isSuccess == true)
      #expect(pool.count == 0)
    }
  }

  private func stubLarge(_ harness: Harness, _ texts: String...) {
    harness.provider.stub(
      "GET", "https://api.test/v1/a",
      answers: texts.map { .text($0 + String(repeating: "x", count: Self.large)) })
  }

  @Test func `PIPE-16 the steps around the pool run in order, once, on the home thread`() {
    withPool { harness, pool in
      let journal = Journal()
      for stage in [PipelineStageKey.decoding, .parsing, .model] {
        harness.service.configure {
          $0.pipeline[stage].add(
            FunctionTransformer(description: "spy") { response in
              journal("\(stage) \(response.entity?.content.typeName ?? "?")")
              return response
            })
        }
      }
      stubLarge(harness, "1")
      harness.service.resource("/a").request("GET").onSuccess { _ in journal("hook") }
      harness.settle()
      #expect(journal.take() == ["decoding data"])
      pool.work()
      #expect(journal.take() == [])
      harness.settle()
      #expect(journal.take() == ["parsing text", "model text", "hook"])
    }
  }

  @Test func `PIPE-16 STA-11 what is parsed out of order is applied in the order of the loads`() {
    withPool { harness, pool in
      let cache = SpyCache()
      harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
      stubLarge(harness, "1", "2")
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let loads = [resource.load(), resource.load()]
      harness.settle()
      #expect(pool.count == 2)
      pool.work(1)
      harness.settle()
      #expect(loads.map(\.state) == [.inProgress, .completed])
      pool.work()
      harness.settle()
      #expect(
        recorder.take() == ["requested L", "requested L", "newData(network) L D", "notModified D"])
      #expect(loads.map { $0.outcome.prefix(1) } == ["1", "2"])
      #expect(resource.text.prefix(1) == "2")
      #expect(cache.texts["model a"]?.prefix(1) == "2")
    }
  }

  @Test
  func `CXL-09 PIPE-16 cancelled while it is parsed, the result is dropped and nothing written`() {
    for parsed in [false, true] {
      withPool { harness, pool in
        let journal = Journal()
        let cache = SpyCache(journal)
        harness.service.configure { $0.pipeline[.model].cacheUsing(cache) }
        stubLarge(harness, "1", "2")
        let resource = harness.service.resource("/a")
        let recorder = resource.recorded()
        let load = resource.load()
        harness.settle()
        if parsed { pool.work() }
        load.cancel()
        #expect(!resource.isLoading)
        if !parsed { pool.work() }
        harness.settle()
        #expect(recorder.take() == ["requested L", "requestCancelled"])
        #expect(load.causeKind == "request_cancelled")
        #expect(cache.texts == [:])
        resource.load()
        harness.settle()
        pool.work()
        harness.settle()
        #expect(recorder.take() == ["requested L", "newData(network) D"])
      }
    }
  }

  @Test func `WIPE-03 PIPE-16 wiped while it is parsed, the resource stays blank`() {
    withPool { harness, pool in
      stubLarge(harness, "1")
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.load()
      harness.settle()
      resource.wipe()
      pool.work()
      harness.settle()
      #expect(recorder.take() == ["requested L", "newData(wipe)", "requestCancelled"])
      #expect(resource.latestData == nil)
    }
  }

  @Test func `CACHE-11 PIPE-16 a large body from a cache is parsed in the pool as well`() {
    withPool { harness, pool in
      let journal = Journal()
      let cache = SpyCache(journal)
      harness.service.configure {
        $0.pipeline[.rawData].cacheUsing(cache)
        $0.pipeline[.model].cacheUsing(cache)
      }
      var entity = Entity(
        content: .bytes(Self.utf8("[1]", filled: " ")), contentType: "application/json",
        timestamp: 990)
      entity.headers["etag"] = "e"
      cache.entries["raw_data a"] = entity
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let load = resource.loadIfNeeded()
      harness.settle()
      #expect(load?.state == .inProgress)
      pool.work()
      harness.settle()
      #expect(recorder.take() == ["newData(cache) L D", "notModified D"])
      #expect(resource.latestData?.content.typeName == "json")
      #expect(resource.latestData?.etag == "e")
      #expect(journal.take() == ["read model a", "read raw_data a", "write model a: json"])
    }
  }

  @Test func `CHN-11 PIPE-16 a chain whose part is being parsed is cancelled with it`() {
    withPool { harness, pool in
      stubLarge(harness, "1")
      let request = harness.service.resource("/a").request("GET")
      let chain = request.chained { _ in .useThisResponse }
      harness.settle()
      chain.cancel()
      #expect(request.causeKind == "request_cancelled")
      pool.work()
      harness.settle()
      #expect(chain.causeKind == "request_cancelled")
    }
  }

  @Test func `THR-02 after the pump has closed, work that ends is dropped`() {
    withPool { harness, pool in
      let journal = Journal()
      harness.pump.offload({ 1 }, then: { journal("\($0)") })
      harness.pump.offload({ 2 }, then: { journal("\($0)") })
      #expect(journal.take() == [])
      pool.work(1)
      harness.settle()
      #expect(journal.take() == ["2"])
      harness.pump.close()
      pool.work()
      harness.settle()
      #expect(journal.take() == [])
    }
  }
}
