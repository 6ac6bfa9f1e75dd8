import FlyingFox
import Foundation

/// Bodies of every kind, the broken ones included.
struct BodyRoutes: Sendable {
  let large = LargeDocument()

  var all: [Route] {
    [
      Route("GET", "/text", "plain text in UTF-8") { _ in
        Reply.data(Data("Hello, 世界! Grüße, café.\n".utf8), type: "text/plain; charset=utf-8")
      },
      Route("GET", "/latin1", "plain text in ISO-8859-1") { _ in
        let text = Data("Grüße, café, mañana, £5.\n".unicodeScalars.map { UInt8($0.value) })
        return Reply.data(text, type: "text/plain; charset=iso-8859-1")
      },
      Route("GET", "/html", "a page of HTML") { _ in
        let page = "<!doctype html>\n<title>lull-demo</title>\n<h1>Hello</h1>\n"
        return Reply.data(Data(page.utf8), type: "text/html; charset=utf-8")
      },
      Route("GET", "/bytes/{n}", "that many bytes, up to 200 million; byte i is i % 251") { call in
        let count = try call.intParameter("n", in: 0...200_000_000)
        let body = HTTPBodySequence(
          from: PatternBytes(count: count), count: count, suggestedBufferSize: Reply.pieceSize)
        return Reply.stream(body, type: "application/octet-stream")
      },
      Route("GET", "/large?items=20000", "a JSON array of that many objects") { call in
        let count = try call.query.int("items", default: 20_000, in: 0...500_000)
        return Reply.data(await large.data(items: count), type: "application/json")
      },
      Route("GET", "/gzip", "JSON, sent with Content-Encoding: gzip") { _ in
        let json: JSON = ["gzipped": true, "text": "The quick brown fox jumps over the lazy dog."]
        return Reply.data(
          StoredGzip.data(json.data), type: "application/json",
          headers: [("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")])
      },
      Route("GET", "/empty", "200 and application/json, but no body at all") { _ in
        Reply.data(Data(), type: "application/json")
      },
      Route("ANY", "/nocontent", "204") { _ in Reply.empty(status: 204) },
      Route("GET", "/malformed", "200 and application/json, but cut off") { _ in
        Reply.data(Data("{\"id\": 1, \"name\": \"Ada".utf8), type: "application/json")
      },
    ]
  }
}
