import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Testing

/// Text in a cache file, with the bytes that it was decoded from.
@Suite(.timeLimit(.minutes(20)))
struct CachedTextTests {
  /// Text in UTF-8 and Latin-1 by TXT-02, and XML in the charset that it declares.
  @Test func `TXT-14 text without a charset is kept as the bytes it came as`() throws {
    let fixture = try #require(CacheFolderFixture())
    let first = fixture.harness(stage: .model)
    let xml = Array("<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><a>".utf8) + [0xE9]
    let bodies: [(path: String, type: String, bytes: [UInt8], received: [UInt8]?)] = [
      // Written from its text, which has the same bytes.
      ("/utf8", "text/plain", [0xC3, 0xAB], nil),
      ("/latin", "text/plain", [0xEB], [0xEB]),
      ("/named", "text/plain; charset=iso-8859-1", [0xEB], nil),
      ("/xml", "application/xml", xml, xml),
      ("/mark", "text/xml", [0xEF, 0xBB, 0xBF, 0x3C], [0xEF, 0xBB, 0xBF, 0x3C]),
      ("/wide", "application/xml", [0xFF, 0xFE, 0x3C, 0], [0xFF, 0xFE, 0x3C, 0]),
    ]
    first.service.configure(.wildcard("/changed", base: first.service.baseURL)) {
      $0.pipeline[.model].add(CachedTextTests.change)
    }
    for body in bodies { _ = first.loaded(body.path, .bytes(body.bytes, type: body.type)) }
    _ = first.loaded("/changed", .bytes([0xEB], type: "text/plain"))
    let second = fixture.harness(stage: .model)
    for body in bodies {
      let text = first.service.resource(body.path).text
      #expect(second.content(body.path) == text)
      let data = second.service.resource(body.path).latestData
      #expect(data?.receivedBytes == body.received, "\(body.path)")
    }
    #expect(second.content("/utf8") == "\u{EB}")
    #expect(second.content("/changed") == first.service.resource("/changed").text)
    #expect(second.service.resource("/changed").latestData?.receivedBytes == nil)
    #expect(second.provider.requests.isEmpty)
  }

  @Test func `JSN-92 several values of a JSON type are several from the file too`() throws {
    let fixture = try #require(CacheFolderFixture())
    _ = fixture.harness().loaded("/rows", .text("[1]\n[2]\n", type: "application/json"))
    let second = fixture.harness()
    #expect(second.content("/rows") == "[[1],[2]]")
    #expect(second.service.resource("/rows").text == "[1]\n[2]\n")
    #expect(second.provider.requests.isEmpty)
  }

  private static var change: FunctionTransformer {
    FunctionTransformer(description: "change") { response in
      guard var entity = response.entity else { return response }
      entity.content = .text("changed \u{EB}")
      return .success(entity, isNew: response.isNew)
    }
  }
}
