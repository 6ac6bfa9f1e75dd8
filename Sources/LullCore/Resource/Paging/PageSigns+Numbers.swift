// Numbers of pages and counts of rows, in fields, headers and the request's own query.
extension PageSigns {
  /// Whether a Link header tells where the list begins, ends or came from: then it is the end if it
  /// does not tell how it goes on.
  var hasPageLinks: Bool {
    entity.headers.byteValues(of: Array("link".utf8)).contains { value in
      let header = value.withUnsafeBufferPointer { LinkHeader(ResourceURL.text(ofBytes: $0)) }
      return header.links.contains { link in
        link.relations.contains { ["first", "prev", "previous", "last"].contains($0) }
      }
    }
  }

  func integer(_ paths: [FieldPath]) -> (name: String, value: Int)? {
    for path in paths {
      if case .text(let text) = fields.value(path, in: entity.content), let value = Int(text) {
        return (path.text, value)
      }
    }
    return nil
  }

  private func header(_ names: [String]) -> (name: String, value: Int)? {
    for name in names {
      if let text = header(name), let value = Int(text) {
        return (name, value)
      }
    }
    return nil
  }

  /// Parameters of the request's query, by their names.
  private func parameter(_ names: [String]) -> (name: String, value: String)? {
    let pairs = (resource.url.query ?? "").split(separator: "&").map { pair in
      pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    }
    for name in names {
      if let pair = pairs.first(where: { $0.first == name }) {
        return (name, pair.count > 1 ? pair[1] : "")
      }
    }
    return nil
  }

  var pageParameter: String { parameter(PageNames.pageParameters)?.name ?? "page" }

  /// The number of this page, from 1.
  private var current: Int? {
    if let found = integer(paths(PageNames.current)) {
      // From 0 where it is called so, or is 0.
      let isFromZero = found.name.hasSuffix("number") && !found.name.contains("_") && count == 1
      return found.value == 0 || isFromZero ? found.value + 1 : found.value
    }
    return header(["X-Page", "X-Current-Page", "X-Pagination-Current-Page"])?.value
      ?? parameter(PageNames.pageParameters).flatMap { Int($0.value) }
  }

  var numberProblem: PagingProblem? {
    let known = current
    let total =
      integer(paths(PageNames.totalPages))
      ?? (known == nil ? nil : integer(paths(PageNames.lastPage)))
      ?? header(["X-Total-Pages", "X-Pagination-Page-Count", "X-Page-Count"])
    guard let total, known ?? 1 < total.value, rowCount != 0 else {
      return nil
    }
    return more(total.name, String(total.value), page)
  }

  /// Whether the page of a number is the last one, by how many there are.
  func isLast(number: Int) -> Bool {
    let total =
      integer(paths(PageNames.totalPages))
      ?? header(["X-Total-Pages", "X-Pagination-Page-Count", "X-Page-Count"])
    return total.map { number >= $0.value } ?? false
  }

  /// Rows that are counted, and not all there: `offset + rows < count`. (PAG-82)
  var countProblem: PagingProblem? {
    guard let count = rowCount, count > 0 else { return nil }
    if let range = contentRange {
      guard range.end < range.total else { return nil }
      return PagingProblem(
        "'Content-Range' is '\(LogText.part(range.text, limit: 40))', and the list ends at "
          + "\(range.end): " + words.text(.unknown))
    }
    let start = integer(paths(PageNames.offsets))
    let size = integer(paths(PageNames.sizes))
    let asked = parameter(PageNames.sizeParameters).flatMap { found in
      Int(found.value).map { (name: found.name, value: $0) }
    }
    let named = parameter(PageNames.offsetParameters)
    let isStated = start != nil || size != nil || named != nil || asked != nil
    guard
      let total = integer(paths(PageNames.totals))
        ?? (isStated || isEnvelope ? integer(paths(PageNames.counts)) : nil)
        ?? header(["X-Total-Count", "X-Total"])
    else { return nil }
    var offset = start?.value ?? named.flatMap { Int($0.value) } ?? 0
    if start?.name.hasSuffix("startIndex") == true { offset -= 1 }
    let number = current
    if start == nil, named == nil, let number, number > 1 {
      guard let size = size ?? asked else { return nil }
      offset = (number - 1) * size.value
    } else if start == nil, named == nil, parameter(PageNames.otherParameters) != nil {
      // Where in the list it is, that does not tell.
      return nil
    }
    guard offset + count < total.value else { return nil }
    let name = start.map { $0.name.split(separator: ".").last.map(String.init) ?? $0.name }
    let isLimit = (size?.name ?? asked?.name)?.hasSuffix("limit") == true
    let advice: PageAdvice =
      if let name = named?.name ?? name {
        .offset(name)
      } else if number != nil || asked?.name.contains("page") == true {
        page
      } else if isLimit {
        .offset("offset")
      } else {
        .unknown
      }
    return PagingProblem(
      "'\(total.name)' is \(total.value), and the list ends at \(offset + count): "
        + words.text(advice))
  }

  private var rowCount: Int? {
    guard let rows, case .list(let count) = fields.value(rows, in: entity.content) else {
      return nil
    }
    return count
  }

  /// Where the rows end, and how many there are, as `Content-Range: items 0-1/5` says.
  private var contentRange: (text: String, end: Int, total: Int)? {
    guard let text = header("Content-Range"), !text.lowercased().hasPrefix("bytes") else {
      return nil
    }
    let parts = (text.split(separator: " ").last ?? "").split(separator: "/")
    guard parts.count == 2, let total = Int(parts[1]),
      let last = parts[0].split(separator: "-").last.flatMap({ Int($0) }), last < Int.max
    else { return nil }
    return (text, last + 1, total)
  }

  /// Whether `total` and `count` beside the rows can only be theirs: the list has a usual name and
  /// the object no ID, or there is nothing else that would make it a record.
  private var isEnvelope: Bool {
    guard let way = rows?.ways.last, let name = way.last,
      let names = fields.names(of: Array(way.dropLast()), in: entity.content), !names.contains("id")
    else { return false }
    return PageNames.lists.contains(name)
      || names.allSatisfy { $0 == name || PageNames.envelope.contains($0) }
  }
}
