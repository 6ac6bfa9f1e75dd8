import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct PipelineTests {
  private static let custom = PipelineStageKey(description: "parsing")

  private var full: Pipeline {
    var pipeline = Pipeline()
    pipeline[.decoding].add(.appending("dec"))
    pipeline[.parsing].add(.appending("par"))
    pipeline[.model].add(.appending("mod"))
    pipeline[.cleanup].add(.appending("cle"))
    return pipeline
  }

  private func text(_ change: @escaping (inout Pipeline) -> Void) -> String {
    var text = ""
    withHarness { harness in
      harness.service.configure { configuration in
        configuration.pipeline = full
        change(&configuration.pipeline)
      }
      harness.stub("GET", "/a", .bytes([]))
      let resource = harness.service.resource("/a")
      resource.load()
      harness.settle()
      text = resource.latestData?.text ?? resource.latestData?.content.typeName ?? "-"
    }
    return text
  }

  struct Row: CustomTestStringConvertible {
    let id: String
    let expected: String
    let change: (inout Pipeline) -> Void

    var testDescription: String { id }
  }

  private var rows: [Row] {
    [
      Row(id: "PIPE-01: default order", expected: "decparmodcle") { _ in },
      Row(id: "PIPE-02, PIPE-03: another order", expected: "pardec") {
        $0.order = [.parsing, .decoding]
      },
      Row(id: "PIPE-04, PIPE-10: a stage of one's own", expected: "deccusparmodcle") {
        $0.order = [.rawData, .decoding, Self.custom, .parsing, .model, .cleanup]
        $0[Self.custom].add(.appending("cus"))
      },
      Row(id: "PIPE-04: an empty stage", expected: "decparmodcle") { $0.order.append(Self.custom) },
      Row(id: "PIPE-05: several in a stage", expected: "decpar12modcle") {
        $0[.parsing].add(.appending("1"))
        $0[.parsing].add(.appending("2"))
      },
      Row(id: "PIPE-06: removed and another added", expected: "dec1modcle") {
        $0[.parsing].removeTransformers()
        $0[.parsing].add(.appending("1"))
      },
      Row(id: "PIPE-07: cleared", expected: "data") { $0.clear() },
    ]
  }

  @Test func `stages and their transformers run in order`() {
    for row in rows { #expect(text(row.change) == row.expected, "\(row.id)") }
  }

  @Test func `PIPE-08 an order that names a stage twice is a programming error`() async {
    await #expect(processExitsWith: .failure) {
      var pipeline = Pipeline()
      pipeline.order = [.parsing, .parsing]
    }
  }

  @Test func `PIPE-09 a stage that has transformers and is left out is logged`() {
    withHarness { harness in
      let journal = Journal()
      harness.pump.log.enabled = [.pipeline]
      harness.pump.log.messageHandler = { journal($1) }
      harness.service.configure { $0.pipeline.order = [.rawData, .cleanup] }
      _ = harness.service.resource("/a").configuration
      let lines = journal.take()
      #expect(lines.count == 1)
      #expect(lines.first?.contains("'parsing'") == true)
    }
  }

  @Test func `PIPE-15 HOOK-10 the pipeline runs once per answer, whoever waits`() {
    withHarness { harness in
      let journal = Journal()
      harness.service.configure { configuration in
        configuration.pipeline[.model].add(
          FunctionTransformer(description: "spy") { response in
            journal("run")
            return response
          })
      }
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      let recorders = [resource.recorded(), resource.recorded()]
      let load = resource.load()
      for _ in 1...3 { load.onSuccess { _ in } }
      harness.settle()
      #expect(journal.take() == ["run"])
      #expect(recorders.map { $0.take().count } == [2, 2])
    }
  }

  @Test func `PIPE-17 PIPE-18 ERR-12 a transformer may turn success into failure and back`() {
    withHarness { harness in
      harness.service.configure { configuration in
        configuration.pipeline[.model].add(
          FunctionTransformer(description: "turn") { response in
            response.isSuccess ? .failure(.failure("refused")) : .success(.text("rescued"))
          })
      }
      harness.stub("GET", "/a", .text("x"), .init(status: 404))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      resource.load()
      harness.settle()
      resource.load()
      harness.settle()
      #expect(
        recorder.take() == ["requested L", "error E", "requested L E", "newData(network) D"])
      #expect(resource.text == "rescued")
    }
  }

  @Test func `CXL-09 cancelling while a step waits drops the result and tells the step`() {
    withHarness { harness in
      let step = WaitingTransformer()
      harness.service.configure { $0.pipeline[.model].add(step) }
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      let recorder = resource.recorded()
      let cancelled = resource.load()
      harness.settle()
      #expect(cancelled.state == .inProgress)
      #expect(cancelled.progress == 1, "PRG-27")
      cancelled.cancel()
      #expect(step.abandoned == 1)
      step.resume()
      harness.settle()
      #expect(recorder.take() == ["requested L", "requestCancelled"])
      resource.load()
      harness.settle()
      step.resume()
      harness.settle()
      #expect(recorder.take() == ["requested L", "newData(network) D"])
    }
  }

  // MARK: Standard parsers

  struct Parse: CustomTestStringConvertible {
    let id: String
    var type: String?
    var status = 200
    let body: [UInt8]
    let expected: String

    var testDescription: String { id }
  }

  private static func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

  static let parses = [
    Parse(id: "TRF-31: no type", body: utf8("{}"), expected: "data"),
    Parse(
      id: "TXT-09, TRF-32: another type", type: "application/monkey", body: utf8("{}"),
      expected: "data"),
    Parse(id: "TXT-01: text", type: "text/foo", body: utf8("x"), expected: "text x"),
    Parse(id: "TXT-02: UTF-8", type: "text/plain", body: [0xC3, 0xBD], expected: "text ý"),
    Parse(id: "TXT-02: no UTF-8", type: "text/plain", body: [0xFD], expected: "text ý"),
    Parse(
      id: "TXT-03: UTF-8", type: "text/plain; charset=UTF-8", body: [0xC3, 0xBD],
      expected: "text ý"),
    Parse(
      id: "TXT-04: EUC-JP", type: "text/plain; charset=euc-jp", body: [0xA4, 0xA2],
      expected: "text あ"),
    Parse(
      id: "TXT-05: unknown charset", type: "text/plain; charset=oink", body: [65],
      expected: "200 Cannot parse server response, invalid_text_encoding, data"),
    Parse(
      id: "TXT-06: undecodable", type: "text/plain; charset=utf-8", body: [0xD8],
      expected: "200 Cannot parse server response, undecodable_text, data"),
    Parse(
      id: "TXT-08: UTF-16 without BOM", type: "text/plain; charset=UTF-16", status: 500,
      body: [0, 65], expected: "500 Internal server error, -, text A"),
    Parse(id: "JSN-01: JSON", type: "application/json", body: utf8("[1]"), expected: "json [1]"),
    Parse(
      id: "JSN-01: JSON by suffix", type: "application/foo+json; charset=x",
      body: utf8("{}"), expected: "json {}"),
    Parse(id: "TRF-34: text/json", type: "text/json", body: utf8("1"), expected: "json 1"),
    Parse(id: "JSN-02: JSON as text", type: "text/plain", body: utf8("{}"), expected: "text {}"),
    Parse(
      id: "JSN-03, TRF-16: malformed", type: "application/json", body: utf8("{"),
      expected: "200 Cannot parse server response, malformed_json, data"),
    Parse(id: "JSN-04: an atom", type: "application/json", body: utf8("17"), expected: "json 17"),
    Parse(
      id: "JSN-06, TRF-35: an error's JSON", type: "application/json", status: 500,
      body: utf8("[1]"), expected: "500 Internal server error, -, json [1]"),
    Parse(
      id: "JSN-07: an error's malformed JSON", type: "application/json", status: 500,
      body: utf8("{"), expected: "500 Internal server error, -, data"),
    Parse(
      id: "JSN-10: an empty 200", type: "application/json", body: [],
      expected: "200 Cannot parse server response, malformed_json, data"),
    Parse(
      id: "REQ-04: an empty 204", type: "application/json", status: 204, body: [],
      expected: "data"),
    Parse(id: "REQ-04: an empty 205", type: "text/plain", status: 205, body: [], expected: "data"),
  ]

  @Test(arguments: parses)
  func `a body is parsed by its type`(row: Parse) {
    withHarness { harness in
      harness.stub("GET", "/a", .bytes(row.body, type: row.type, status: row.status))
      let resource = harness.service.resource("/a")
      resource.load()
      harness.settle()
      if let error = resource.latestError {
        let status = error.httpStatusCode.map { "\($0)" } ?? "-"
        let content = error.entity.map { describe($0.content) } ?? "no entity"
        let kind = error.cause?.kind ?? "-"
        let text = "\(status) \(error.userMessage), \(kind), \(content)"
        #expect(text == row.expected)
        #expect(error.entity?.contentType == row.type)
        #expect(resource.latestData == nil)
      } else {
        #expect(resource.latestData.map { describe($0.content) } == row.expected)
      }
    }
  }

  private func describe(_ content: Content) -> String {
    switch content {
    case .text(let text): return "text " + text
    case .json(let document):
      var bytes: [UInt8] = []
      document.root.encode(into: &bytes)
      return "json " + String(decoding: bytes, as: UTF8.self)
    default: return content.typeName
    }
  }

  @Test func `REQ-04 an empty answer to HEAD succeeds whatever its type`() {
    withHarness { harness in
      harness.stub("HEAD", "/a", .json(""))
      let request = harness.service.resource("/a").request("HEAD")
      harness.settle()
      #expect(request.response?.isSuccess == true)
    }
  }

  @Test func `TXT-07 TRF-09 a parser takes raw bytes only`() {
    withHarness { harness in
      harness.service.configure { $0.pipeline[.decoding].add(.appending("dec")) }
      harness.stub("GET", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      resource.load()
      harness.settle()
      guard
        case .wrongInputTypeInTransformerPipeline(let expected, let actual, let transformer) =
          resource.latestError?.cause
      else {
        Issue.record("cause \(resource.latestError?.cause?.kind ?? "nil")")
        return
      }
      #expect([expected, actual, transformer] == ["data", "text", "text parser"])
    }
  }

  @Test func `PIPE-14 each method has its own pipeline`() {
    withHarness { harness in
      harness.service.configure(requestMethods: ["POST"]) { $0.pipeline.clear() }
      harness.stub("GET", "/a", .text("x"))
      harness.stub("POST", "/a", .text("x"))
      let resource = harness.service.resource("/a")
      let requests = [resource.request("GET"), resource.request("POST")]
      harness.settle()
      #expect(requests.map { $0.response?.entity?.content.typeName } == ["text", "data"])
    }
  }
}
