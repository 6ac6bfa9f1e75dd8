import LullCassettes
import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20))) struct HARTests {
  private static let creator = HARFile.Creator(name: "lull", version: "1")

  @Test func `CAS-10 what is written is read again byte for byte, whatever the bytes are`() throws {
    var random = SeededGenerator(seed: 21)
    for _ in 0..<300 {
      let file = HARTests.randomFile(&random)
      let bytes = file.encoded()
      let read = try HARFile(reading: bytes)
      #expect(read.entries.count == file.entries.count)
      for (one, other) in zip(read.entries, file.entries) {
        #expect(one.request == other.request)
        #expect(one.response == other.response)
        #expect(one.failure == other.failure)
        #expect(one.milliseconds == other.milliseconds)
        #expect(abs(one.started - other.started) < 0.0006)
      }
      #expect(read.encoded() == bytes)
    }
  }

  @Test func `CAS-120 a body that cannot be read is noted with its exchange`() throws {
    let answered = HARTests.answered(
      #"{"status":200,"content":{"mimeType":"image/png","text":"?","encoding":"base64"}}"#)
    let response = try HARFile(reading: Array(answered.utf8)).entries.first?.response
    #expect(response?.body == nil && response?.lacksBody == true)
    #expect(response?.missingType == "image/png")
    #expect(
      response?.bodyProblem?.hasPrefix("at /log/entries/0/response/content/text: invalid base64")
        == true, "\(String(describing: response))")
    let posted = HARTests.posted(#"{"mimeType":"application/xml","params":[{"name":"a"}]}"#)
    let file = try HARFile(reading: Array(posted.utf8))
    #expect(
      file.entries.first?.request.bodyProblem?.hasPrefix(
        "at /log/entries/0/request/postData/params: a body of type 'application/xml"
      ) == true)
    // What is written again is not a request without a body.
    #expect(try HARFile(reading: file.encoded()).entries == file.entries)
  }

  @Test func `CAS-11 what cannot be read says where it stands in the file`() {
    let cases: [(String, String)] = [
      ("[", "invalid JSON"),
      ("{}", "'log' is missing"),
      ("[]", "expected an object with 'log'"),
      (#"{"log":{"entries":{}}}"#, "at /log/entries: expected an array"),
      (#"{"log":{"entries":[{}]}}"#, "at /log/entries/0: 'request' is missing"),
      (
        #"{"log":{"entries":[{"request":{"method":7,"url":"http://a/"}}]}}"#,
        "at /log/entries/0/request/method: expected a string"
      ),
      (
        #"{"log":{"entries":[{"startedDateTime":"yesterday","request":{}}]}}"#,
        "at /log/entries/0/startedDateTime: 'yesterday' is not a date"
      ),
      (
        HARTests.answered(#"{"status":2e9}"#),
        "at /log/entries/0/response: 2000000000.0 is not an HTTP status"
      ),
    ]
    for (text, expected) in cases {
      do {
        _ = try HARFile(reading: Array(text.utf8))
        Issue.record("read: \(text)")
      } catch {
        #expect(error.description.hasPrefix(expected), "\(error)")
      }
    }
  }

  @Test
  func
    `CAS-12 recordings of browsers are read, pseudo headers, forms without a text, failures, bodies left out`()
    throws
  {
    let text = #"""
      {"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"pages":[],"entries":[
      {"startedDateTime":"2026-01-02T03:04:05.678+01:00","time":12.5,
       "request":{"method":"POST","url":"https://a.test/x?b=1","httpVersion":"h2",
        "headers":[{"name":":authority","value":"a.test"},{"name":"accept","value":"*/*"}],
        "postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"q","value":"a b"},{"name":"r"}]}},
       "response":{"status":200,"headers":[],"content":{"size":4,"mimeType":"image/png","text":"iVBORw==","encoding":"base64"}}},
      {"startedDateTime":"2026-01-02T03:04:06Z","time":-1,"request":{"method":"GET","url":"https://a.test/y"},
       "response":{"status":0,"content":{"size":0}}},
      {"request":{"method":"GET","url":"https://a.test/z"},"response":{"status":200,"content":{"size":900}}}]}}
      """#
    let file = try HARFile(reading: Array(text.utf8))
    #expect(file.creator.name == "WebInspector")
    let first = try #require(file.entries.first)
    #expect(first.request.headers == [HARHeader("accept", "*/*")])
    #expect(first.request.body?.bytes == Array("q=a%20b&r=".utf8))
    #expect(first.response?.body?.bytes == [0x89, 0x50, 0x4e, 0x47])
    #expect(first.started == 1_767_319_445.678)
    #expect(file.entries[1].response == nil)
    #expect(file.entries[1].failure?.kind == "network")
    #expect(file.entries[1].milliseconds == 0)
    #expect(file.entries[2].response?.lacksBody == true)
  }

  @Test func `CAS-13 texts that are broken anywhere are read or refused, and nothing else`() {
    var random = SeededGenerator(seed: 22)
    for _ in 0..<2_000 {
      var bytes = HARTests.randomFile(&random).encoded()
      for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        default: bytes.removeLast(bytes.count - place)
        }
      }
      _ = try? HARFile(reading: bytes)
    }
  }

  private static func answered(_ response: String) -> String {
    #"{"log":{"entries":[{"request":{"method":"GET","url":"http://a/"},"response":"#
      + response + "}]}}"
  }

  private static func posted(_ data: String) -> String {
    #"{"log":{"entries":[{"request":{"method":"POST","url":"http://a/","postData":"#
      + data + "}}]}}"
  }

  static func randomFile(_ random: inout SeededGenerator) -> HARFile {
    let entries = (0..<Int.random(in: 0...3, using: &random)).map { _ in randomEntry(&random) }
    return HARFile(creator: creator, entries: entries)
  }

  private static func randomEntry(_ random: inout SeededGenerator) -> HAREntry {
    var entry = HAREntry(
      started: Double(Int.random(in: 0...4_000_000_000_000, using: &random)) / 1000,
      milliseconds: Double(Int.random(in: 0...100_000, using: &random)) / 8,
      request: HARRequest(
        method: ["GET", "POST", "DELETE"].randomElement(using: &random) ?? "GET",
        url: "https://a.test/p\(Int.random(in: 0...99, using: &random))?a=%20b&c",
        headers: randomHeaders(&random), body: randomBody(&random)))
    if Bool.random(using: &random) {
      entry.response = HARResponse(
        status: Int.random(in: 100...599, using: &random), headers: randomHeaders(&random),
        body: randomBody(&random),
        finalURL: Bool.random(using: &random) ? "https://b.test/" : nil)
    }
    if entry.response == nil || Int.random(in: 0..<5, using: &random) == 0 {
      entry.failure = HARFailure(kind: "timeout", message: "too \"late\"\n")
    }
    return entry
  }

  private static func randomHeaders(_ random: inout SeededGenerator) -> [HARHeader] {
    (0..<Int.random(in: 0...3, using: &random)).map { number in
      HARHeader("X-\(number)", randomBytes(&random))
    }
  }

  private static func randomBody(_ random: inout SeededGenerator) -> HARBody? {
    guard Bool.random(using: &random) else { return nil }
    return HARBody(randomBytes(&random), type: Bool.random(using: &random) ? "text/plain" : "")
  }

  private static func randomBytes(_ random: inout SeededGenerator) -> [UInt8] {
    let highest: UInt8 = Bool.random(using: &random) ? 127 : 255
    return (0..<Int.random(in: 0...40, using: &random)).map { _ in
      UInt8.random(in: 0...highest, using: &random)
    }
  }
}
