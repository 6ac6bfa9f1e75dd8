import FlyingFox
import Foundation

/// The routes that stand alone.
struct OtherRoutes: Sendable {
  let state: DemoState

  var all: [Route] {
    [
      Route("GET", "/counter", "counts its own requests; Cache-Control: no-store") { call in
        let step = call.method == "GET" ? 1 : 0
        let count = await state.update { contents in
          contents.count += step
          return contents.count
        }
        return Reply.json(["count": .int(count)], headers: [("Cache-Control", "no-store")])
      },
      Route("GET", "/headers?name=value", "answers with those headers") { try headers($0) },
      Route("GET", "/feed?cursor=C", "four pages, each with the cursor of the next") { call in
        try feed(call)
      },
      Route("POST", "/reset", "everything as it was at the start") { _ in
        await state.update { $0 = Contents() }
        return Reply.json(["reset": true])
      },
    ]
  }

  private func headers(_ call: Call) throws -> HTTPResponse {
    var response = Reply.json(["headers": call.query.json])
    for name in Set(call.query.items.map(\.name)) {
      let values = call.query.items.filter { $0.name == name }.map(\.value)
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte),
        values.allSatisfy(RedirectRoutes.isHeaderValue)
      else { throw Problem.badRequest("'\(name)' is no header that can be sent") }
      guard !["content-length", "transfer-encoding"].contains(name.lowercased()) else {
        throw Problem.badRequest("\(name) says where the body ends and cannot be chosen")
      }
      response.headers.setValues(values, for: HTTPHeader(name))
    }
    return response
  }

  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private func feed(_ call: Call) throws -> HTTPResponse {
    let cursors = ["", "c2Vjb25k", "dGhpcmQ", "Zm91cnRo"]
    guard let page = cursors.firstIndex(of: call.query["cursor"] ?? "") else {
      throw Problem.badRequest("that cursor is unknown; start without one")
    }
    let items = (page * 5 + 1...page * 5 + 5).map { id -> JSON in
      ["id": .int(id), "title": "Story \(id)"]
    }
    let next = page + 1 < cursors.count ? JSON.string(cursors[page + 1]) : .null
    return Reply.json(["items": .array(items), "next": next])
  }
}
