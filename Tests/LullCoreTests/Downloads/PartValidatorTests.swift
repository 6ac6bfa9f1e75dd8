import Testing

@testable import LullCore

/// What a part may be gone on with by.
@Suite(.timeLimit(.minutes(20)))
struct PartValidatorTests {
  private static let now = 784_111_777.0
  private static let date = ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
  private static let minuteOld = "Sun, 06 Nov 1994 08:48:37 GMT"

  static let rows: [(headers: [(String, String)], validator: PartValidator?)] = [
    ([("ETag", "\"a\"")], .etag("\"a\"")),
    ([("ETag", "\"\"")], .etag("\"\"")),
    ([("ETag", "W/\"a\"")], nil),
    ([("ETag", "a")], nil),
    ([("ETag", "\"a")], nil),
    ([("ETag", "\"")], nil),
    ([("ETag", "\"a\"b\"")], nil),
    ([("ETag", "\"a b\"")], nil),
    ([("ETag", "\"a\""), ("ETag", "\"b\"")], nil),
    ([("Last-Modified", minuteOld), date], .date(ByteString(minuteOld))),
    ([("Last-Modified", "Sun, 06 Nov 1994 08:48:38 GMT"), date], nil),
    ([("Last-Modified", minuteOld)], nil),
    ([("Last-Modified", "yesterday"), date], nil),
    ([("Last-Modified", minuteOld), ("Date", "today")], nil),
    ([("ETag", "W/\"a\""), ("Last-Modified", minuteOld), date], nil),
    ([("ETag", "\"a\""), ("Last-Modified", minuteOld), date], .etag("\"a\"")),
    ([], nil),
  ]

  @Test(arguments: rows.indices)
  func `DWN-05 what will do of an answer`(_ index: Int) {
    let row = Self.rows[index]
    #expect(PartValidator(Headers(row.headers), now: Self.now) == row.validator, "\(row.headers)")
  }

  @Test func `DWN-07 an answer that names another one is of another file`() throws {
    let tag = PartValidator.etag("\"a\"")
    #expect(!tag.isContradicted(by: Headers()))
    #expect(!tag.isContradicted(by: Headers([("etag", "\"a\""), ("last-modified", "x")])))
    #expect(tag.isContradicted(by: Headers([("etag", "\"A\"")])))
    let date = PartValidator.date(ByteString(Self.minuteOld))
    #expect(!date.isContradicted(by: Headers([("last-modified", Self.minuteOld)])))
    #expect(date.isContradicted(by: Headers([Self.date, ("last-modified", Self.date.1)])))
  }

  @Test func `DWN-06 a note is read as it was written, and nothing else is one`() {
    var notes = [
      PartNote(mark: "0123456789abcdef", validator: .etag("\"a\""), total: 5),
      PartNote(mark: "0123456789abcdef", validator: .date(ByteString(Self.minuteOld)), total: nil),
      PartNote(mark: "x", validator: nil, total: 0),
    ]
    notes.append(
      PartNote(mark: "x", validator: .etag(ByteString(Array("\"\u{E9}\"".utf8))), total: 1))
    for note in notes { #expect(PartNote(note.bytes, now: Self.now) == note) }
    let good = "lull part 1\nof x\nbytes 5\nif-range \"a\"\n"
    #expect(PartNote(Array(good.utf8), now: Self.now) != nil)
    for bad in [
      "", "x", String(good.dropLast()), good + "\n", good.replacing("1", with: "2"),
      good.replacing("of x\n", with: ""), good.replacing("5", with: "-5"),
      good.replacing("5", with: "five"), good.replacing("if-range", with: "if-rang"),
    ] {
      #expect(PartNote(Array(bad.utf8), now: Self.now) == nil, "\(bad)")
    }
    let odd = PartNote(Array(good.replacing("\"a\"", with: "W/\"a\"").utf8), now: Self.now)
    #expect(odd?.validator == nil && odd != nil)
  }

  @Test func `DWN-10 what is asked for is known by its URL and what is accepted`() {
    func mark(_ url: String, _ headers: [(String, String)] = []) -> String {
      PartNote.mark(of: HTTPRequest(method: "GET", url: url, headers: RequestHeaders(headers)))
    }
    let url = "http://a/b"
    #expect(mark(url) == mark(url, [("Authorization", "x")]))
    #expect(mark(url).count == 16)
    #expect(Set([mark(url), mark(url + "?"), mark(url, [("Accept", "b")])]).count == 3)
    #expect(mark(url, [("Accept", "b")]) != mark(url, [("Accept-Language", "b")]))
  }
}
