/// What an answer says about the page after it, in the fields and headers that APIs commonly use.
///
/// Only a URL is followed. A cursor, a number or a count shows that there is more, but not which
/// parameter asks for it: that is a problem, which names the field and the option to use. (PAG-73)
struct PageSigns<Fields: ContentFieldReader> {
  let resource: Resource
  let entity: Entity
  let fields: Fields
  let words: PageProgress.Words
  /// The number of pages so far, this one included.
  let count: Int
  /// Where the rows are; nil where they are not known.
  let rows: FieldPath?
  /// The objects of the page that may hold such fields, the page itself first, and those that
  /// hold the rows. (PAG-80)
  private let places: [[String]]
  /// Those of them that hold the rows, whatever they are called.
  private let holders: [[String]]
  /// Objects beside the rows, where only names count that have no other meaning.
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
      // A record that has a list besides.
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

  /// For names that have no other meaning.
  private func allPaths(_ names: [String]) -> [FieldPath] {
    PageSigns.paths(names, in: places + besides)
  }

  private static func paths(_ names: [String], in places: [[String]]) -> [FieldPath] {
    places.flatMap { place in names.map { FieldPath(names: place + [$0]) } }
  }

  // MARK: Fields

  /// Whether a well-known flag says so; nil if there is none. One that denies it wins.
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

  /// Whether a field is true or false, also as text or a number; null and `""` say nothing.
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

  /// The URL of the next page in a well-known field, or in `X-Next-Page`.
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

  /// Why there is a further page that nobody has said how to ask for; nil at the end.
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
      "'\(flag.name)' says that there is a further page, but not its URL: " + words.text(advice))
  }

  private func isText(_ path: FieldPath) -> Bool {
    if case .text(let text) = fields.value(path, in: entity.content) {
      return !PageNames.isEnd(text)
    }
    return false
  }

  /// Whether a field that would name the next page is there, and names none.
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
      "'\(name)'\(shown ?? " is a number"): there is a further page, but not its URL: "
        + words.text(advice))
  }

  var page: PageAdvice {
    .page(pageParameter, first: integer(paths(PageNames.current))?.value == 0 ? 0 : 1)
  }
}
