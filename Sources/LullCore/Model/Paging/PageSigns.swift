/// The information about the next page that a response contains in the fields and headers that APIs
/// commonly use.
///
/// Only a URL is followed. A cursor, a number or a count shows that there is another page, but not
/// with which parameter to request it. In this case the result is a `PagingProblem`, whose message
/// names the field and the option to use. (PAG-73)
struct PageSigns<Fields: ContentFieldReader> {
  let resource: Resource
  let entity: Entity
  let fields: Fields
  let words: PageProgress.Words
  /// The number of pages so far, including this page.
  let count: Int
  /// The path of the rows; nil if it is unknown.
  let rows: FieldPath?
  /// The paths of objects that may contain fields about the next page: first the page itself, then
  /// the objects that contain the rows, then objects with usual names inside these objects.
  /// (PAG-80)
  private let places: [[String]]
  /// The paths of the page itself and of the objects that contain the rows, whatever the names of
  /// these objects.
  private let holders: [[String]]
  /// The paths of further objects, in which only fields with unambiguous names are used.
  private let besides: [[String]]

  init(
    _ resource: Resource, _ entity: Entity, _ fields: Fields, _ words: PageProgress.Words,
    count: Int, rows named: FieldPath?
  ) {
    self.resource = resource
    self.entity = entity
    self.fields = fields
    self.words = words
    self.count = count
    let named = named.flatMap { fields.isList($0, in: entity.content) ? $0 : nil }
    rows = named ?? fields.rows(in: entity.content)
    let isObject = { (names: [String]) in
      fields.value(FieldPath(names: names), in: entity.content) == .object
    }
    var places: [[String]] = [[]]
    var besides: [[String]] = []
    let holder = rows?.ways.last?.dropLast() ?? []
    for length in holder.indices {
      let names = Array(holder[...length])
      // An object with an `id` is a record that also contains the list.
      let isRecord = !fields.isMissing(FieldPath(names: names + ["id"]), in: entity.content)
      if isRecord { besides.append(names) } else { places.append(names) }
    }
    besides += PageNames.wrappers.map { [$0] }.filter { !places.contains($0) && isObject($0) }
    holders = places
    let ambiguous = [["links"], ["_links"], ["page"]]
    self.places =
      places
      + places.flatMap { place in
        PageNames.containers.map { place + $0 }.filter(isObject)
      }
    self.besides =
      besides
      + besides.flatMap { place in
        PageNames.containers.filter { !ambiguous.contains($0) }.map { place + $0 }.filter(isObject)
      }
  }

  func paths(_ names: [String]) -> [FieldPath] { PageSigns.paths(names, in: places) }

  /// Returns the paths of all fields with these names, which must be unambiguous. The objects in
  /// `besides` are searched too.
  private func allPaths(_ names: [String]) -> [FieldPath] {
    PageSigns.paths(names, in: places + besides)
  }

  private static func paths(_ names: [String], in places: [[String]]) -> [FieldPath] {
    places.flatMap { place in names.map { FieldPath(names: place + [$0]) } }
  }

  // MARK: Fields

  /// Whether a well-known flag shows that there is another page; nil if there is no flag. If flags
  /// contradict each other, the result is false.
  var hasMore: Bool? { flag?.hasMore }

  private var flag: (name: String, hasMore: Bool)? {
    var result: (name: String, hasMore: Bool)?
    let flags =
      allPaths(PageNames.more).map { ($0, true) } + paths(PageNames.last).map { ($0, false) }
    for (path, meaning) in flags {
      guard let value = truth(path, takesNumbers: meaning) else { continue }
      if value != meaning { return (path.text, false) }
      result = result ?? (path.text, true)
    }
    return result
  }

  /// Returns the value of a field that is true or false, even if the value is written as text or as
  /// a number; nil for null, `""` and other values.
  private func truth(_ path: FieldPath, takesNumbers: Bool) -> Bool? {
    switch fields.value(path, in: entity.content) {
    case .other("true"): true
    case .nothing: fields.isFalse(path, in: entity.content) ? false : nil
    case .text(let text):
      switch text.lowercased() {
      case "true": true
      case "false": false
      case "1" where takesNumbers: true
      case "0" where takesNumbers: false
      default: nil
      }
    default: nil
    }
  }

  /// Returns the next page whose URL is in a well-known field or header; nil if there is no URL.
  func linkedPage() throws(PagingProblem) -> Resource? {
    for path in allPaths(PageNames.urls) + paths(PageNames.nexts) + allPaths(PageNames.cursors) {
      let reference: String
      switch fields.value(path, in: entity.content) {
      case .text(let text): reference = text
      case .object:
        guard case .text(let text) = fields.value(path.appending("href"), in: entity.content) else {
          continue
        }
        reference = text
      default: continue
      }
      let name = path.ways[0].last ?? ""
      guard
        PageNames.urls.contains(name) || NextPage.isURL(reference, for: resource)
          || reference.hasPrefix("/") && PageNames.nexts.contains(name)
      else { continue }
      return try NextPage.page(reference, from: resource, entity)
    }
    for name in ["X-Next-Page"] + PageNames.cursorHeaders {
      guard let next = header(name) else { continue }
      if NextPage.isURL(next, for: resource) || name == "X-Next-Page" && next.hasPrefix("/") {
        return try NextPage.page(next, from: resource, entity)
      }
    }
    return nil
  }

  func header(_ name: String) -> String? {
    entity.headers[name].map { String($0.trimmingBlanks) }
  }

  /// The problem to report if there is another page that can't be requested without an option; nil
  /// if there is no other page.
  var problem: PagingProblem? {
    if let problem = cursorProblem { return problem }
    if !isEnd, count == 1, !hasPageLinks, let problem = numberProblem ?? countProblem {
      return problem
    }
    guard let flag, flag.hasMore else { return nil }
    let advice: PageAdvice
    if let path = allPaths(PageNames.positions).first(where: { isText($0) }) {
      advice = .cursor(field: path.text, parameter: PageNames.parameter(of: path))
    } else if let rows,
      case .text = fields.value(FieldPath("id"), ofLastElementOf: rows, in: entity.content)
    {
      advice = .lastRow(field: "id", rows: rows.text, more: flag.name)
    } else {
      advice = .unknown
    }
    return PagingProblem(
      "'\(flag.name)' shows that there is another page, but not its URL: " + words.text(advice))
  }

  private func isText(_ path: FieldPath) -> Bool {
    if case .text(let text) = fields.value(path, in: entity.content) {
      return !PageNames.isEnd(text)
    }
    return false
  }

  /// Whether a field for the next page is present but empty.
  private var isEnd: Bool {
    for name in ["X-Next-Page"] + PageNames.cursorHeaders {
      if let next = header(name), PageNames.isEnd(next) { return true }
    }
    let paths = paths(PageNames.nexts) + allPaths(PageNames.urls + PageNames.cursors)
    return (NextPage.commonFields + paths).contains { path in
      switch fields.value(path, in: entity.content) {
      case .text(let text): PageNames.isEnd(text)
      case .nothing: !fields.isMissing(path, in: entity.content)
      default: false
      }
    }
  }

  private var cursorProblem: PagingProblem? {
    let paths =
      allPaths(PageNames.cursors) + paths(PageNames.nexts)
      + (rows == nil ? [] : PageSigns.paths(["cursor"], in: holders))
    for path in paths {
      switch fields.value(path, in: entity.content) {
      case .text(let text) where !PageNames.isEnd(text):
        let name = path.ways.last?.last ?? path.text
        if ["next_page", "nextPage"].contains(name), Int(text) != nil {
          return more(path.text, text, page)
        }
        let parameter =
          Int(text) != nil && name == "next" ? pageParameter : PageNames.parameter(of: path)
        return more(path.text, text, .cursor(field: path.text, parameter: parameter))
      case .inexact:
        return more(
          path.text, nil, .cursor(field: path.text, parameter: PageNames.parameter(of: path)))
      default: continue
      }
    }
    if let next = header("X-Next-Page"), !PageNames.isEnd(next) {
      return more("X-Next-Page", next, page)
    }
    for name in PageNames.cursorHeaders {
      guard let next = header(name), !PageNames.isEnd(next) else { continue }
      let parameter = PageNames.parameter(ofHeader: name)
      return more(name, next, .header(name, parameter: parameter))
    }
    return nil
  }

  func more(_ name: String, _ value: String?, _ advice: PageAdvice) -> PagingProblem {
    let shown = value.map { " is '\(LogText.part(CredentialMask.malformedURL($0), limit: 40))'" }
    return PagingProblem(
      "'\(name)'\(shown ?? " is a number"): there is another page, but its URL is not given: "
        + words.text(advice))
  }

  var page: PageAdvice {
    .page(pageParameter, first: integer(paths(PageNames.current))?.value == 0 ? 0 : 1)
  }
}

// Numbers of pages and counts of rows, in fields, headers and the query of the request.
extension PageSigns {
  /// Whether a Link header has links to the first, previous or last page. If such a header has no
  /// link to the next page, this page is the last one.
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

  /// Returns a parameter in the query of the request that has one of the given names. If several
  /// parameters have one of the names, the name that comes first in `names` is used.
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

  /// The number of this page, starting at 1; nil if it is unknown.
  private var current: Int? {
    if let found = integer(paths(PageNames.current)) {
      // The field starts at 0 if its name says so, or if its value is 0.
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

  /// Returns whether the page with that number, starting at 1, is the last one according to the
  /// total number of pages.
  func isLast(number: Int) -> Bool {
    let total =
      integer(paths(PageNames.totalPages))
      ?? header(["X-Total-Pages", "X-Pagination-Page-Count", "X-Page-Count"])
    return total.map { number >= $0.value } ?? false
  }

  /// The problem to report if the total number of rows is larger than the number of rows received
  /// so far: `offset + rows < count`; nil if it is not larger. (PAG-82)
  var countProblem: PagingProblem? {
    guard let count = rowCount, count > 0 else { return nil }
    if let range = contentRange {
      guard range.end < range.total else { return nil }
      return PagingProblem(
        "'Content-Range' is '\(LogText.part(range.text, limit: 40))', but the list ends at element "
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
      // The position in the list is unknown.
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
      "'\(total.name)' is \(total.value), but the list ends at element \(offset + count): "
        + words.text(advice))
  }

  private var rowCount: Int? {
    guard let rows, case .list(let count) = fields.value(rows, in: entity.content) else {
      return nil
    }
    return count
  }

  /// The contents of a header such as `Content-Range: items 0-1/5`: its text, the offset after the
  /// last row (`end`), and the total number of rows.
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

  /// Whether the fields `total` and `count` in the object that contains the rows certainly refer to
  /// the rows. The object must not have an `id`. In addition, the list must have a usual name, or
  /// all other members of the object must be usual for an object that only wraps a list.
  private var isEnvelope: Bool {
    guard let way = rows?.ways.last, let name = way.last,
      let names = fields.names(of: Array(way.dropLast()), in: entity.content), !names.contains("id")
    else { return false }
    return PageNames.lists.contains(name)
      || names.allSatisfy { $0 == name || PageNames.envelope.contains($0) }
  }
}
