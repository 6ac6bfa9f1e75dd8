import LullCassettes

/// Recordings for tests of what is made of them.
enum RecordedTraffic {
  static func entry(
    _ url: String, _ answer: String, method: String = "GET", status: Int = 200,
    type: String = "application/json", sent: String? = nil
  ) -> HAREntry {
    HAREntry(
      started: 1, milliseconds: 5,
      request: HARRequest(
        method: method, url: url,
        body: sent.map { HARBody(Array($0.utf8), type: "application/json") }),
      response: HARResponse(
        status: status, headers: [HARHeader("Content-Type", type)],
        body: HARBody(Array(answer.utf8), type: type)))
  }

  static func file(_ entries: HAREntry...) -> [UInt8] { file(entries) }

  static func file(_ entries: [HAREntry]) -> [UInt8] {
    HARFile(creator: .init(name: "test", version: "1"), entries: entries).encoded()
  }

  /// An API file with two calls.
  static let api = """
    local lull = require "lull"
    return {
      service = lull.service("https://api.shop.test/v2"),
      calls = {
        items = { path = "/items", description = "All items" },
        item = { path = "/items/{id}", params = { id = "integer" } },
        add = { path = "/items", method = "POST", params = { name = { type = "string", required = true } } },
      },
    }
    """

  static let base = "https://api.shop.test/v2"
}
