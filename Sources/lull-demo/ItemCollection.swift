/// Items by number, in the order they were made.
struct ItemCollection: Sendable {
  let schema: Schema
  private var items: [Item] = []
  private var lastID = 0

  /// A collection with its first items, all made at the same moment of the past: what a server
  /// says about them is then the same in every run.
  init(_ schema: Schema, seeds: [[JSON]]) {
    self.schema = schema
    let names = schema.fields.map(\.name)
    for values in seeds {
      lastID += 1
      let members = zip(names, values).map { (name: $0, value: $1) }
      items.append(Item(id: lastID, members: members, modified: 1_735_689_600))
    }
  }

  var count: Int { items.count }

  /// The items of a page; the first page is 1.
  func page(_ page: Int, of size: Int) -> [Item] {
    Array(items.dropFirst((page - 1) * size).prefix(size))
  }

  func item(_ id: String) throws -> Item {
    items[try index(of: id)]
  }

  mutating func insert(_ object: JSON) throws -> Item {
    let members = try schema.members(of: object)
    lastID += 1
    let item = Item(id: lastID, members: members, modified: HTTPDate.now)
    items.append(item)
    return item
  }

  /// Puts other content in the place of an item's.
  mutating func replace(_ id: String, with object: JSON) throws -> Item {
    let index = try index(of: id)
    if let given = object["id"], given.int != items[index].id {
      throw Problem.badRequest("the id in the body is not the one in the path")
    }
    items[index].members = try schema.members(of: object)
    items[index].modified = HTTPDate.now
    return items[index]
  }

  /// Changes the fields that are given (RFC 7396; the fields are flat, so is the merge).
  mutating func merge(_ id: String, with patch: JSON) throws -> Item {
    let current = items[try index(of: id)].json
    guard case .object(let old) = current, case .object(let new) = patch else {
      throw Problem.badRequest("the body must be a JSON object")
    }
    return try replace(id, with: .object(old + new))
  }

  mutating func remove(_ id: String) throws {
    items.remove(at: try index(of: id))
  }

  private func index(of id: String) throws -> Int {
    guard let index = items.firstIndex(where: { String($0.id) == id }) else {
      throw Problem.notFound("there is no \(schema.item) with the id '\(id)'")
    }
    return index
  }
}
