import Testing

@testable import LullCore

/// What answers mean for what is there of a file.
@Suite(.timeLimit(.minutes(20)))
struct PartialFileTests {
  private static let part = PartialFile(size: 100, validator: .etag("\"a\""), total: 500)
  private static let open = PartialFile(size: 100, validator: .etag("\"a\""))
  private static let complete = PartialFile(size: 500, validator: .etag("\"a\""), total: 500)

  private static func head(_ status: Int, _ headers: [(String, String)]) -> HTTPResponse {
    HTTPResponse(status: status, headers: Headers(headers))
  }

  @Test func `DWN-04 DWN-05 from where on the rest is asked for`() {
    #expect(Self.part.offset == 100)
    #expect(Self.open.offset == 100)
    #expect(Self.complete.offset == 499, "the last byte again")
    #expect(PartialFile(size: 100, validator: nil, total: 500).offset == nil)
    #expect(PartialFile(size: 0, validator: .etag("\"a\""), total: 500).offset == nil)
    #expect(PartialFile(size: 501, validator: .etag("\"a\""), total: 500).offset == nil)
    #expect(PartialFile(size: 1, validator: .etag("\"a\""), total: 1).offset == 0)
  }

  private struct Row: Sendable {
    let file: PartialFile
    let status: Int
    let headers: [(String, String)]
    let reply: PartialFile.Reply

    init(
      _ file: PartialFile, _ status: Int, _ headers: [(String, String)], _ reply: PartialFile.Reply
    ) {
      (self.file, self.status, self.headers, self.reply) = (file, status, headers, reply)
    }
  }

  private static let rows: [Row] = [
    Row(part, 206, [("Content-Range", "bytes 100-499/500")], .part(100..<500, total: 500)),
    Row(part, 206, [("Content-Range", "BYTES 100-499/500")], .part(100..<500, total: 500)),
    Row(part, 206, [("Content-Range", "bytes 100-199/500")], .part(100..<200, total: 500)),
    Row(part, 206, [("Content-Range", "bytes 100-499/*")], .part(100..<500, total: 500)),
    Row(open, 206, [("Content-Range", "bytes 100-499/*")], .part(100..<500, total: nil)),
    Row(open, 206, [("Content-Range", "bytes 100-499/500")], .part(100..<500, total: 500)),
    Row(complete, 206, [("Content-Range", "bytes 499-499/500")], .part(499..<500, total: 500)),
    Row(
      part, 206, [("Content-Range", "bytes 100-499/500"), ("ETag", "\"a\"")],
      .part(100..<500, total: 500)),
    Row(
      part, 206, [("Content-Range", "bytes 100-499/500"), ("ETag", "\"b\"")],
      .startOver(reason: "it belongs to another file")),
    Row(
      part, 206, [("Content-Range", "bytes 100-499/500"), ("ETag", "W/\"a\"")],
      .startOver(reason: "it belongs to another file")),
    Row(
      part, 206, [("Content-Range", "bytes 100-599/600")],
      .startOver(reason: "the file has 600 bytes now, not 500")),
    Row(
      part, 206, [("Content-Range", "bytes 0-499/500")],
      .startOver(reason: "it begins at byte 0, not 100")),
    Row(
      part, 206, [("Content-Range", "bytes 101-499/500")],
      .startOver(reason: "it begins at byte 101, not 100")),
    Row(part, 206, [], .startOver(reason: "it has no valid Content-Range")),
    Row(
      part, 206, [("Content-Range", "bytes 100-500/500")],
      .startOver(reason: "it has no valid Content-Range")),
    Row(
      part, 206, [("Content-Range", "bytes */500")],
      .startOver(reason: "it has no valid Content-Range")),
    Row(
      part, 206, [("Content-Range", "bytes 100-499/500"), ("Content-Range", "bytes 100-499/500")],
      .startOver(reason: "it has no valid Content-Range")),
    Row(
      part, 206, [("Content-Type", "Multipart/ByteRanges; boundary=x")],
      .startOver(reason: "it comes in several parts")),
    Row(
      part, 206, [("Content-Range", "bytes 100-499/500"), ("Content-Encoding", "gzip")],
      .startOver(reason: "it has a Content-Encoding")),
    Row(
      part, 206, [("Content-Range", "bytes 100-499/500"), ("Content-Encoding", "identity")],
      .part(100..<500, total: 500)),
    Row(PartialFile(), 206, [("Content-Range", "bytes 0-499/500")], .unwanted),
    Row(part, 200, [("Content-Length", "500")], .whole(total: 500)),
    Row(part, 200, [], .whole(total: nil)),
    Row(part, 200, [("Content-Length", "50"), ("Content-Encoding", "gzip")], .whole(total: nil)),
    Row(part, 203, [("Content-Length", "9")], .whole(total: 9)),
    Row(part, 201, [], .whole(total: nil)), Row(part, 204, [], .other),
    Row(part, 205, [], .other), Row(part, 300, [], .other), Row(part, 301, [], .other),
    Row(part, 302, [("Content-Length", "9")], .other),
    Row(PartialFile(), 204, [], .whole(total: nil)), Row(PartialFile(), 301, [], .other),
    Row(open, 416, [("Content-Range", "bytes */100")], .complete),
    Row(open, 416, [("Content-Range", "bytes */100"), ("ETag", "\"a\"")], .complete),
    Row(
      open, 416, [("Content-Range", "bytes */100"), ("ETag", "\"b\"")],
      .startOver(reason: "the requested range no longer exists (416)")),
    Row(
      open, 416, [("Content-Range", "bytes */99")],
      .startOver(reason: "the requested range no longer exists (416)")),
    Row(open, 416, [], .startOver(reason: "the requested range no longer exists (416)")),
    Row(
      part, 416, [("Content-Range", "bytes */100")],
      .startOver(reason: "the requested range no longer exists (416)")),
    Row(complete, 416, [("Content-Range", "bytes */500")], .complete),
    Row(PartialFile(), 416, [("Content-Range", "bytes */0")], .other),
    Row(part, 304, [], .other), Row(part, 404, [], .other), Row(part, 503, [], .other),
  ]

  @Test(arguments: rows.indices)
  func `DWN-07 DWN-08 DWN-09 what an answer is of it`(_ index: Int) {
    let row = Self.rows[index]
    let reply = row.file.reply(Self.head(row.status, row.headers), to: row.file.offset)
    #expect(reply == row.reply, "\(row)")
  }

  @Test func `DWN-05 what can be gone on with`() {
    func beginning(_ headers: [(String, String)], status: Int = 200) -> PartialFile {
      PartialFile.beginning(Self.head(status, headers), now: 784_111_777)
    }
    let tag = ("ETag", "\"a\"")
    #expect(
      beginning([tag, ("Content-Length", "5")])
        == PartialFile(validator: .etag("\"a\""), total: 5))
    #expect(beginning([tag]).validator == .etag("\"a\""))
    #expect(beginning([tag, ("Accept-Ranges", "bytes")]).validator != nil)
    #expect(beginning([tag, ("Accept-Ranges", "none")]).validator == nil)
    #expect(beginning([tag, ("Content-Encoding", "gzip")]).validator == nil)
    #expect(beginning([tag], status: 203).validator == nil, "a proxy may have changed it")
    #expect(beginning([tag, ("Content-Length", "x")]).total == nil)
    #expect(beginning([tag, ("Content-Length", "5"), ("Content-Length", "6")]).total == nil)
  }

  @Test(
    arguments: [
      ("bytes 0-0/1", .part(0..<1, total: 1)), ("bytes */0", ContentRange.none(total: 0)),
      ("bytes  0-4/*", .part(0..<5, total: nil)), ("bytes 0-4", nil), ("bytes 4-0/9", nil),
      ("bytes 0-9/9", nil), ("bytes */*", nil), ("bytes -4/9", nil), ("bytes 0-/9", nil),
      ("items 0-4/9", nil), ("0-4/9", nil), ("", nil), ("bytes 0-4/9/9", nil),
      ("bytes 0-4,6-8/9", nil), ("bytes +0-4/9", nil), ("bytes 0x0-4/9", nil),
      ("bytes 0-99999999999999999999/*", nil), ("bytes 0-9223372036854775807/*", nil),
    ] as [(String, ContentRange?)])
  func `DWN-07 a Content-Range is read by the letter`(_ value: String, _ range: ContentRange?) {
    #expect(ContentRange(value) == range, "\(value)")
  }
}
