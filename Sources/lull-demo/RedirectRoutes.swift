import FlyingFox
import Foundation

/// Redirects of every kind, and `/echo`, which shows what arrived in the end.
struct RedirectRoutes: Sendable {
  let state: DemoState

  var all: [Route] {
    [
      Route("ANY", "/echo", "what was sent: method, path, query, headers, body, json") { call in
        await echo(call)
      },
      Route("GET", "/received", "what /echo got lately, at either origin") { _ in
        let received = await state.update { $0.received }
        return Reply.json(["requests": .array(received)], headers: [("Cache-Control", "no-store")])
      },
      Route("ANY", "/redirect/{n}", "that many times 302, the last one to /echo") { call in
        let hops = try call.intParameter("n", in: 0...1_000)
        guard hops > 0 else { return await echo(call) }
        return Reply.redirect(to: hops == 1 ? "/echo" : "/redirect/\(hops - 1)")
      },
      Route("ANY", "/redirect-loop", "302 to itself, for ever") { _ in
        Reply.redirect(to: "/redirect-loop")
      },
      Route("ANY", "/redirect-to?url=U&status=302", "redirects to that URL") { call in
        guard let url = call.query["url"], !url.isEmpty, Self.isHeaderValue(url) else {
          throw Problem.badRequest("url must be given")
        }
        let status = try call.query.int("status", default: 302, in: 300...399)
        return Reply.redirect(to: url, status: status)
      },
      Route("ANY", "/redirect-other", "302 to /echo of the other origin") { call in
        Reply.redirect(to: "\(call.site.otherOrigin)/echo")
      },
    ]
  }

  /// Whether a text can be sent in a header without ending it.
  static func isHeaderValue(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
  }

  private func echo(_ call: Call) async -> HTTPResponse {
    let headers = call.headers.map { (name: $0.key.rawValue.lowercased(), value: $0.value) }
      .sorted { $0.name < $1.name }
    var members: [(name: String, value: JSON)] = [
      ("method", .string(call.method)),
      ("path", .string(call.path)),
      ("query", call.query.json),
      ("headers", .object(headers.map { ($0.name, .string($0.value)) })),
      ("body", .string(String(decoding: call.body, as: UTF8.self))),
    ]
    if let json = JSON(parsing: call.body) { members.append(("json", json)) }
    let record = JSON.object([(name: "origin", value: .string(call.site.origin))] + members)
    await state.update { contents in
      contents.received = contents.received.suffix(99) + [record]
    }
    return Reply.json(.object(members))
  }
}
