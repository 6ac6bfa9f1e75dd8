import FlyingFox
import Foundation

/// Bodies that come item by item, and break off on demand.
struct StreamRoutes: Sendable {
  private let open = OpenStreams()

  var all: [Route] {
    [
      Route(
        "GET", "/events?count=10&per=0&every=0&retry=M&end=E",
        "numbered events (text/event-stream), behind Last-Event-ID: so many of them in all, and on one "
          + "connection, one every so many milliseconds; end: close, cut or silence; 204 behind the last"
      ) { call in try events(call) },
      Route("GET", "/events/open", "how many streams are being sent") { _ in
        Reply.json(["open": .int(open.count)], headers: [("Cache-Control", "no-store")])
      },
      Route("GET", "/rows?count=10&every=0&end=E", "numbered rows (NDJSON), in the same way") {
        call in try rows(call)
      },
    ]
  }

  private func events(_ call: Call) throws -> HTTPResponse {
    let count = try call.query.int("count", default: 10, in: 0...100_000_000)
    let per = try call.query.int("per", default: 0, in: 0...100_000_000)
    let retry = try call.query["retry"].map { _ in
      try call.query.int("retry", default: 0, in: 0...600_000)
    }
    let last = call.headers[HTTPHeader("Last-Event-ID")].flatMap { Int($0) } ?? 0
    let ending = try ending(call)
    guard last < count || ending == .silence else { return Reply.empty(status: 204) }
    let end = per > 0 ? min(count, last + per) : count
    return stream(
      try items(call, last < end ? last + 1...end : nil, ending, retry.map { "retry: \($0)\n\n" }) {
        "id: \($0)\ndata: {\"n\":\($0)}\n\n"
      }, type: "text/event-stream")
  }

  private func rows(_ call: Call) throws -> HTTPResponse {
    let count = try call.query.int("count", default: 10, in: 0...100_000_000)
    return stream(
      try items(call, count > 0 ? 1...count : nil, try ending(call), nil) { "{\"n\":\($0)}\n" },
      type: "application/x-ndjson")
  }

  private func items(
    _ call: Call, _ numbers: ClosedRange<Int>?, _ ending: NumberedItems.Ending, _ head: String?,
    text: @escaping @Sendable (Int) -> String
  ) throws -> NumberedItems {
    NumberedItems(
      numbers: numbers,
      milliseconds: try call.query.int("every", default: 0, in: 0...60_000),
      head: head ?? "", text: text, ending: ending, open: open)
  }

  private func ending(_ call: Call) throws -> NumberedItems.Ending {
    switch call.query["end"] ?? "close" {
    case "close": .end
    case "cut": .cut
    case "silence": .silence
    default: throw Problem.badRequest("end must be close, cut or silence")
    }
  }

  private func stream(_ items: NumberedItems, type: String) -> HTTPResponse {
    Reply.stream(
      HTTPBodySequence(from: items, suggestedBufferSize: Reply.pieceSize), type: type,
      headers: [("Cache-Control", "no-store")])
  }
}
