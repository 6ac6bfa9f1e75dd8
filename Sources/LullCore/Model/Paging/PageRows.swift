extension ContentFieldReader {
  /// Returns the path of the list of rows on a page; nil if it can't be determined. It is the first
  /// of these:
  /// - the page itself
  /// - its only list
  /// - its only list with a usual name
  /// - the list of the only inner object that has paging fields
  func rows(in content: Content) -> FieldPath? {
    if case .list = value(.root, in: content) { return .root }
    guard case .json(let document) = content else {
      let found = PageNames.lists.filter { isList(FieldPath($0), in: content) }
      return found.count == 1 ? found.first.map { FieldPath($0) } : nil
    }
    if let path = JSONFields.list(in: document.root, below: []) { return path }
    for name in PageNames.wrappers {
      guard let inner = document.root[name], inner.kind == .object else { continue }
      if let path = JSONFields.list(in: inner, below: [name]) { return path }
    }
    let envelopes = JSONFields.envelopes(in: document.root, below: [])
    return envelopes.count == 1 ? envelopes[0] : nil
  }

  /// Returns the number of rows on a page; nil if it is unknown.
  func rowCount(in content: Content) -> Int? {
    guard let path = rows(in: content), case .list(let count) = value(path, in: content) else {
      return nil
    }
    return count
  }

  func isList(_ path: FieldPath, in content: Content) -> Bool {
    if case .list = value(path, in: content) { return true }
    return false
  }

  /// Returns the names of the members of the object at the path `way`; nil if they are unknown.
  func names(of way: [String], in content: Content) -> [String]? {
    guard case .json(let document) = content else { return nil }
    var element: JSONElement? = document.root
    for name in way { element = element?[name] }
    guard let element, element.kind == .object else { return nil }
    return element.pairs.map(\.key)
  }
}

extension JSONFields {
  /// The names of lists that do not contain rows.
  private static let others: Set<String> = ["errors", "warnings", "notices"]

  fileprivate static func list(in object: JSONElement, below names: [String]) -> FieldPath? {
    guard object.kind == .object else { return nil }
    let lists = object.pairs.filter { $0.value.kind == .array && !others.contains($0.key) }
      .map(\.key)
    let usual = lists.filter { PageNames.lists.contains($0) }
    let isGraph = Set(usual) == ["nodes", "edges"]
    guard
      let name = lists.count == 1
        ? lists[0] : usual.count == 1 ? usual[0] : isGraph ? "nodes" : nil
    else { return nil }
    return FieldPath(names: names + [name])
  }

  /// Returns the paths of lists whose object also has paging fields, such as
  /// `{"users":{"nodes":[…],"pageInfo":{…}}}`. The object may be a member of the page or of one of
  /// its wrappers. A GraphQL connection may also be nested more deeply.
  fileprivate static func envelopes(in object: JSONElement, below names: [String]) -> [FieldPath] {
    var found: [FieldPath] = []
    for (name, member) in object.pairs where member.kind == .object {
      let way = names + [name]
      if let list = list(in: member, below: way), saysHowItGoesOn(member, list, way) {
        found.append(list)
      } else if way.count < 4 {
        found += envelopes(in: member, below: way)
      }
    }
    return found
  }

  private static func saysHowItGoesOn(
    _ object: JSONElement, _ list: FieldPath, _ way: [String]
  ) -> Bool {
    let members = object.pairs
    let hasInfo = members.contains {
      ["pageInfo", "page_info"].contains($0.key) && $0.value.kind == .object
    }
    let isGraph = ["nodes", "edges"].contains(list.ways[0].last ?? "")
    if isGraph, hasInfo { return true }
    guard way.count == 1 || way.count == 2 && PageNames.wrappers.contains(way[0]) else {
      return false
    }
    let fields = Set(PageNames.more + PageNames.urls + PageNames.cursors + PageNames.totals)
    return hasInfo
      || members.contains { name, value in
        fields.contains(name)
          || ["pagination", "paging"].contains(name) && value.kind == .object
      }
  }
}
