import FlyingFox
import Foundation

/// The routes of one collection: list, make, read, replace, change, remove.
struct CollectionRoutes: Sendable {
  let state: DemoState
  /// The first segment of the path, such as `users`.
  let name: String
  let collection: any WritableKeyPath<Contents, ItemCollection> & Sendable

  var all: [Route] {
    let list = "/\(name)"
    let one = "\(list)/{id}"
    return [
      Route("GET", "\(list)?page=1&per_page=10", "a page, with Link and X-Total-Count") {
        try await page($0)
      },
      Route("POST", list, "makes one: 201 and its Location") { try await insert($0) },
      Route("GET", one, "one, with ETag and Last-Modified; 304 when it is unchanged") {
        try await read($0)
      },
      Route("PUT", one, "puts another in its place") { call in
        let object = try call.jsonObject()
        return try await change(call) { try $0.replace($1, with: object) }
      },
      Route("PATCH", one, "changes the fields that are given (merge patch)") { call in
        let object = try call.jsonObject()
        return try await change(call) { try $0.merge($1, with: object) }
      },
      Route("DELETE", one, "removes it: 204") { try await remove($0) },
    ]
  }

  private func page(_ call: Call) async throws -> HTTPResponse {
    let page = try call.query.int("page", default: 1, in: 1...1_000_000)
    let size = try call.query.int("per_page", default: 10, in: 1...100)
    let (items, total) = await state.update { contents in
      (contents[keyPath: collection].page(page, of: size), contents[keyPath: collection].count)
    }
    let last = max(1, (total + size - 1) / size)
    var links = [("first", 1), ("last", last)]
    if page > 1 { links.insert(("prev", min(page - 1, last)), at: 0) }
    if page < last { links.insert(("next", page + 1), at: 0) }
    let link = links.map { relation, page in
      "<\(call.origin)/\(name)?page=\(page)&per_page=\(size)>; rel=\"\(relation)\""
    }
    return Reply.json(
      .array(items.map(\.json)),
      headers: [("Link", link.joined(separator: ", ")), ("X-Total-Count", String(total))])
  }

  private func insert(_ call: Call) async throws -> HTTPResponse {
    let object = try call.jsonObject()
    let item = try await state.update { try $0[keyPath: collection].insert(object) }
    return Reply.json(
      item.json, status: 201, headers: [("Location", "/\(name)/\(item.id)")] + item.validators)
  }

  private func read(_ call: Call) async throws -> HTTPResponse {
    let id = call.parameters["id"] ?? ""
    let item = try await state.update { try $0[keyPath: collection].item(id) }
    guard item.isCurrent(for: call.headers) else {
      return Reply.json(item.json, headers: item.validators)
    }
    // FlyingFox always sends a length; in a 304 it must be that of the full answer.
    let length = ("Content-Length", String(item.json.data.count))
    return Reply.empty(status: 304, headers: item.validators + [length])
  }

  private func change(
    _ call: Call, _ change: @Sendable (inout ItemCollection, String) throws -> Item
  ) async throws -> HTTPResponse {
    let id = call.parameters["id"] ?? ""
    let item = try await state.update { try change(&$0[keyPath: collection], id) }
    return Reply.json(item.json, headers: item.validators)
  }

  private func remove(_ call: Call) async throws -> HTTPResponse {
    let id = call.parameters["id"] ?? ""
    try await state.update { try $0[keyPath: collection].remove(id) }
    return Reply.empty(status: 204)
  }
}
