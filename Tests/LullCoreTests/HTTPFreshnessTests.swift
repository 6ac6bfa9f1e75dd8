import Testing

@testable import LullCore

/// How long answers are fresh by their own headers; they arrive at 784111777, Sun, 06 Nov 1994 08:49:37 GMT,
/// after half a second.
@Suite(.timeLimit(.minutes(20)))
struct HTTPFreshnessTests {
  static let rows: [(headers: [(String, String)], lifetime: Double, age: Double)] = [
    ([], 0, 0.5),
    ([("Cache-Control", "max-age=60")], 60, 0.5),
    ([("Cache-Control", "public, MAX-AGE=60 , must-revalidate")], 60, 0.5),
    ([("Cache-Control", "max-age=\"60\"")], 60, 0.5),
    ([("Cache-Control", "max-age=60"), ("Cache-Control", "max-age=5")], 60, 0.5),
    ([("Cache-Control", "x=\"max-age=60\"")], 0, 0.5),
    ([("Cache-Control", "x=\"no-cache, \", max-age=60")], 60, 0.5),
    ([("Cache-Control", "s-maxage=60")], 0, 0.5),
    ([("Cache-Control", "s-maxage=1, max-age=60")], 60, 0.5),
    ([("Cache-Control", "max-age=99999999999999999999")], 2_147_483_648, 0.5),
    ([("Cache-Control", "max-age=-1")], 0, 0.5),
    ([("Cache-Control", "max-age=1.5")], 0, 0.5),
    ([("Cache-Control", "max-age=a")], 0, 0.5),
    ([("Cache-Control", "max-age=")], 0, 0.5),
    ([("Cache-Control", "max-age")], 0, 0.5),
    ([("Cache-Control", "max-age 60")], 0, 0.5),
    ([("Cache-Control", "no-cache, max-age=60")], 0, 0.5),
    ([("Cache-Control", "max-age=60, no-cache=\"set-cookie\"")], 0, 0.5),
    ([("Cache-Control", "max-age=60, no-store")], 0, 0.5),
    ([("Cache-Control", "nothing")], 0, 0.5),
    ([("Cache-Control", "max-age=60"), ("Age", "10")], 60, 10.5),
    ([("Cache-Control", "max-age=60"), ("Age", "10, 20")], 60, 10.5),
    ([("Cache-Control", "max-age=60"), ("Age", "soon")], 60, 0.5),
    ([("Cache-Control", "max-age=60"), ("Age", "-10")], 60, 0.5),
    ([("Cache-Control", "max-age=60"), ("Date", "Sun, 06 Nov 1994 08:49:27 GMT")], 60, 10),
    ([("Cache-Control", "max-age=60"), ("Date", "Sun, 06 Nov 1994 08:49:57 GMT")], 60, 0.5),
    (
      [("Cache-Control", "max-age=60"), ("Age", "20"), ("Date", "Sun, 06 Nov 1994 08:49:27 GMT")],
      60, 20.5
    ),
    ([("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 60, 0.5),
    (
      [("Expires", "Sun, 06 Nov 1994 08:50:37 GMT"), ("Date", "Sun, 06 Nov 1994 08:49:27 GMT")],
      70, 10
    ),
    ([("Expires", "Sun, 06 Nov 1994 08:50:37 GMT"), ("Cache-Control", "max-age=5")], 5, 0.5),
    ([("Expires", "Sun, 06 Nov 1994 08:50:37 GMT"), ("Cache-Control", "max-age=x")], 0, 0.5),
    ([("Expires", "Sun, 06 Nov 1994 08:40:37 GMT")], 0, 0.5),
    ([("Expires", "SUN, 06 nov 1994 08:50:37 gmt")], 60, 0.5),
    ([("Expires", "Sunday, 06-Nov-94 08:50:37 GMT")], 60, 0.5),
    ([("Expires", "Sun Nov  6 08:50:37 1994")], 60, 0.5),
    ([("Expires", "Sun, 06 Nov 94 08:50:37 GMT")], 0, 0.5),
    ([("Expires", "Sun 06 Nov 1994 08:50:37 GMT")], 0, 0.5),
    ([("Expires", "Sun,  06 Nov 1994 08:50:37 GMT")], 0, 0.5),
    ([("Expires", "Sun, 06-Nov-1994 08:50:37 GMT")], 0, 0.5),
    ([("Expires", "Sun, 06 Nov 1994 8:50:37 GMT")], 0, 0.5),
    ([("Expires", "Sun, 06 Nov 1994 08:50:37 UTC")], 0, 0.5),
    ([("Expires", "Sun Nov 6 08:50:37 1994")], 0, 0.5),
    (
      [("Expires", "Sun, 06 Nov 1994 08:50:37 GMT"), ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")],
      0, 0.5
    ),
    ([("Expires", "0")], 0, 0.5),
    ([("Expires", "tomorrow")], 0, 0.5),
    ([("Last-Modified", "Sun, 06 Nov 1984 08:49:37 GMT")], 0, 0.5),
  ]

  @Test(arguments: rows.indices)
  func `AGE-01 AGE-02 what an answer says of its freshness`(_ row: Int) {
    let (headers, lifetime, age) = Self.rows[row]
    let freshness = HTTPFreshness(Headers(headers), arrival: 784_111_777, elapsed: 0.5)
    #expect(freshness.lifetime == lifetime, "\(headers)")
    #expect(freshness.initialAge == age, "\(headers)")
    #expect(freshness.remaining == max(0, lifetime - age))
  }

  @Test func `AGE-04 a 304 renews what is known of an answer, but not what tells of its content`() {
    let old = Headers([
      ("Content-Type", "text/plain"), ("Content-Length", "5"), ("ETag", "\"1\""), ("A", "1"),
      ("A", "2"), ("B", "kept"),
    ])
    let later = Headers([
      ("Content-Type", "text/html"), ("Content-Length", "0"), ("ETag", "\"2\""), ("a", "3"),
      ("C", "new"), ("Connection", "X-Hop"), ("X-Hop", "1"), ("Keep-Alive", "timeout=5"),
    ])
    let merged = old.refreshed(by: later)
    #expect(
      merged
        == Headers([
          ("Content-Type", "text/plain"), ("Content-Length", "5"), ("B", "kept"), ("ETag", "\"2\""),
          ("a", "3"), ("C", "new"),
        ]))
  }

  @Test func `AGE-04 a 304 without a date makes the data as of now`() {
    var entity = Entity(
      content: .text("x"),
      headers: Headers([
        ("Cache-Control", "max-age=60"), ("Age", "50"), ("Date", "Sun, 06 Nov 1984 08:49:37 GMT"),
      ]), timestamp: 784_111_777)
    #expect(entity.httpFreshness.remaining == 0)
    entity.refresh(by: Refreshment(Headers([("Cache-Control", "max-age=70")]), to: Headers()))
    #expect(entity.httpFreshness.remaining == 70)
  }
}
