/// The rule by which the next page of a list is found.
package enum NextPage {
  /// The URL is in a `Link` header, or otherwise in one of the fields that APIs commonly use.
  case automatic
  case link
  /// The URL is in the field at that path.
  case field(FieldPath)
  /// A function of the program or script returns the next page.
  case asked
  /// A field of the page contains the value that a query parameter has for the next page.
  case cursor(PageCursor)
  /// A query parameter contains the page number. `items` is the path of the list; if the path is
  /// empty, Lull searches the page for the list.
  case numbered(parameter: String, first: Int, step: Int, items: FieldPath)
  /// A query parameter contains the number of rows before the page. `items` is the path of the
  /// list; if the path is empty, Lull searches the page for the list.
  case offset(parameter: String, first: Int, items: FieldPath)

  /// The fields in which APIs put the URL of the next page, in the order in which they are tried.
  static let commonFields = [
    "next", "links.next", "_links.next", "/@odata.nextLink", "nextLink", "paging.next",
  ].map(FieldPath.init)
}

/// A problem with finding the next page.
package struct PagingProblem: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension NextPage {
  /// Returns the page after the last page of `progress`; nil at the end of the list.
  func next(
    after entity: Entity, of progress: PageProgress, _ fields: some ContentFieldReader
  ) throws(PagingProblem) -> Resource? {
    let resource = progress.resource
    let signs = PageSigns(
      resource, entity, fields, progress.words, count: progress.count, rows: progress.list ?? items)
    switch self {
    case .automatic:
      if signs.hasMore == false { return nil }
      if let page = try NextPage.linked(resource, entity) { return page }
      if entity.looksLikeJSON {
        let type = entity.contentType.isEmpty ? "has no type" : "is \(entity.contentType)"
        throw PagingProblem(
          "The content \(type), but it is JSON, whose fields may name the next page: "
            + progress.words.jsonAdvice)
      }
      return try NextPage.commonPage(signs)
    case .link: return try NextPage.linked(resource, entity)
    case .field(let path):
      try NextPage.demandFields(of: entity, path)
      return try NextPage.page(at: path, signs)
    case .cursor(let cursor):
      try NextPage.demandFields(of: entity, cursor.more ?? cursor.field)
      guard
        let value = try cursor.next(
          in: entity.content, fields, of: resource, hasMore: signs.hasMore)
      else { return nil }
      if NextPage.isURL(value, for: resource) {
        return try NextPage.page(value, from: resource, entity)
      }
      // In JSON, a cursor that is a number is sent as a number.
      let number = cursor.number(value, in: entity.content, rows: fields.rows(in: entity.content))
      return try resource.page(cursor.parameter, number.map { .int($0) } ?? .string(value))
    case .numbered(let parameter, let first, let step, _):
      let number = first &+ step &* (progress.count &- 1)
      // `isLast` expects numbers that start at 1.
      let isLast = step == 1 && signs.isLast(number: first == 0 ? number + 1 : number)
      if isLast || signs.hasMore == false { return nil }
      return try resource.page(parameter, .int(number &+ step))
    case .offset(let parameter, let first, _):
      guard signs.hasMore != false else { return nil }
      return try resource.page(parameter, .int(first &+ progress.rowCount))
    case .asked: return nil
    }
  }

  /// The path of the list, if the rule contains it; otherwise nil.
  var items: FieldPath? {
    switch self {
    case .numbered(_, _, _, let items), .offset(_, _, let items): items.text.isEmpty ? nil : items
    case .cursor(let cursor): cursor.items
    default: nil
    }
  }

  /// Whether the rule counts pages or rows. With such a rule, a page without rows is the end of the
  /// list.
  var counts: Bool {
    switch self {
    case .numbered, .offset: true
    default: false
    }
  }

  /// Returns whether a loaded page is after the last page of the list. With rules that count, this
  /// is known only after the page has been loaded.
  ///
  /// - Parameter rows: The path of the list on the first page.
  func isEmpty(
    _ entity: Entity, rows: FieldPath?, _ fields: some ContentFieldReader,
    _ words: PageProgress.Words
  ) throws(PagingProblem) -> Bool {
    if case .cursor(let cursor) = self {
      // If a page has no list, the error is reported when its next page is requested.
      return (try? cursor.isBehindEnd(entity.content, fields)) ?? false
    }
    guard counts else { return false }
    if let items { try NextPage.demandFields(of: entity, items) }
    let path = items ?? rows
    switch path.map({ fields.value($0, in: entity.content) }) {
    case .list(let count)?: return count == 0
    case .nothing? where path?.text.isEmpty == false: return true
    default:
      let name = items.map { "'\($0.text)'" } ?? "The content"
      throw PagingProblem("\(name) is not a list: \(words.itemsAdvice(self))")
    }
  }

  /// Returns the page whose URL is in the first of the `commonFields` that has a usable value; nil
  /// if there is no next page.
  private static func commonPage(_ signs: PageSigns<some ContentFieldReader>)
    throws(PagingProblem) -> Resource?
  {
    var problem: PagingProblem?
    for path in commonFields {
      do throws(PagingProblem) {
        if let page = try page(at: path, signs) { return page }
      } catch {
        // Another field may have the URL.
        problem = problem ?? error
      }
    }
    if let page = try signs.linkedPage() { return page }
    if let problem = signs.problem ?? problem { throw problem }
    return nil
  }

  /// Throws an error if the content is text or bytes and not empty. Such content has no fields, so
  /// a missing field does not mean that there is no next page.
  private static func demandFields(of entity: Entity, _ path: FieldPath) throws(PagingProblem) {
    switch entity.content {
    case .bytes(let bytes) where !bytes.isEmpty: break
    case .text(let text) where !text.isEmpty: break
    default: return
    }
    let type = entity.contentType.isEmpty ? "no JSON" : entity.contentType
    throw PagingProblem("The content is \(type), which has no field '\(path.text)'")
  }

  private static func linked(_ resource: Resource, _ entity: Entity) throws(PagingProblem)
    -> Resource?
  {
    // The headers are parsed separately, so that an invalid header does not affect the others.
    let headers = entity.headers.byteValues(of: Array("link".utf8)).map { value in
      value.withUnsafeBufferPointer { LinkHeader(ResourceURL.text(ofBytes: $0)) }
    }
    let own = base(of: resource, entity).withoutFragment
    for link in headers.flatMap(\.links) where link.relations.contains("next") {
      // A link with another anchor than the page itself is not a link of this page.
      if let anchor = link.anchor, base(of: resource, entity).relative(anchor) != own { continue }
      return try page(link.target, from: resource, entity)
    }
    guard let odd = headers.first(where: { $0.mayHide("next") }) else { return nil }
    let text = LogText.part(odd.unreadable.joined(separator: ", "), limit: 80)
    throw PagingProblem(
      "The Link header has a next page that cannot be parsed: '\(text)'")
  }

  private static func page(at path: FieldPath, _ signs: PageSigns<some ContentFieldReader>)
    throws(PagingProblem) -> Resource?
  {
    let (resource, entity, fields) = (signs.resource, signs.entity, signs.fields)
    switch fields.value(path, in: entity.content) {
    case .nothing, .list(0): return nil
    case .text(let reference):
      guard !PageNames.isEnd(reference) else { return nil }
      guard looksLikeReference(reference) else {
        let shown = LogText.part(CredentialMask.malformedURL(reference), limit: 40)
        let advice = PageAdvice.cursor(
          field: path.text, parameter: PageNames.parameter(of: path))
        throw PagingProblem(
          "'\(path.text)' is '\(shown)', which is not a URL; if it is a cursor, "
            + signs.words.text(advice))
      }
      return try page(reference, from: resource, entity)
    case .object:
      // In HAL and JSON:API, a link is an object with the URL in `href`.
      let inner = path.appending("href")
      switch fields.value(inner, in: entity.content) {
      case .text(let reference): return try page(reference, from: resource, entity)
      case .nothing where fields.has(inner, in: entity.content): return nil
      default: throw PagingProblem("'\(path.text)' is an object without a URL in 'href'")
      }
    case .list, .inexact, .other: throw PagingProblem("'\(path.text)' is not a URL")
    }
  }

  /// Returns whether a text looks like a URL or a path. Otherwise it may be a cursor.
  private static func looksLikeReference(_ text: String) -> Bool {
    text.contains("/") || text.hasPrefix("?")
  }

  /// Returns whether a text can only be a URL and not a cursor: it is absolute, has a query, or is
  /// below the path of the resource. A slash alone is not sufficient, because base64 contains
  /// slashes too. (PAG-84)
  static func isURL(_ text: String, for resource: Resource) -> Bool {
    let text = trimmed(text)
    if text.hasPrefix("?") || hasQuery(text) || text.hasPrefix("/") && text.contains("?") {
      return true
    }
    if text.hasPrefix("//") { return !isBase64(text) }
    if text.hasPrefix("/") {
      var path = resource.url.path
      while path.hasSuffix("/") { path.removeLast() }
      guard !path.isEmpty, text.hasPrefix(path) else { return false }
      let next = text.dropFirst(path.count).first
      return next == nil || next == "/" || next == "#"
    }
    guard let colon = text.firstIndex(of: ":") else { return false }
    let scheme = text[..<colon].lowercased()
    let isScheme =
      scheme.first?.isLetter == true
      && scheme.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
      }
    // A colon alone is not sufficient, because cursors such as "id:17" have a colon too.
    let schemes: Set = [
      "http", "https", "ftp", "ws", "wss", "file", "mailto", "data", "javascript",
    ]
    return isScheme && (schemes.contains(scheme) || text[colon...].hasPrefix("://"))
  }

  /// Removes white space and control characters at both ends.
  private static func trimmed(_ text: String) -> String {
    let isBlank = { (scalar: Unicode.Scalar) in
      scalar.value <= 0x20 || scalar.properties.isWhitespace
    }
    let scalars = text.unicodeScalars.drop(while: isBlank)
    guard let last = scalars.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(scalars[...last])
  }

  /// Returns whether a text contains a query of the form `?name=`.
  private static func hasQuery(_ text: String) -> Bool {
    guard let mark = text.firstIndex(of: "?") else { return false }
    let query = text[text.index(after: mark)...]
    guard let end = query.firstIndex(of: "=") else { return false }
    return end != query.startIndex
      && query[..<end].allSatisfy { $0.isLetter || $0.isNumber || "_-.$%[]".contains($0) }
  }

  /// Returns whether a text is complete base64 and contains `=` or `+`, which a host name can't
  /// contain.
  private static func isBase64(_ text: String) -> Bool {
    let digits = text.prefix { $0 != "=" }
    return text.utf8.count % 4 == 0 && (digits.count < text.count || digits.contains("+"))
      && text.dropFirst(digits.count).allSatisfy { $0 == "=" } && text.count - digits.count < 3
      && digits.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+/".contains($0)) }
  }

  /// Returns the resource to which a reference on a page refers. The reference is resolved relative
  /// to the URL of the page after redirects.
  package static func page(_ reference: String, from resource: Resource, _ entity: Entity)
    throws(PagingProblem) -> Resource
  {
    guard let url = base(of: resource, entity).relative(trimmed(reference)) else {
      let shown = LogText.part(CredentialMask.malformedURL(reference), limit: 80)
      throw PagingProblem("The next page's URL '\(shown)' is not a URL")
    }
    return resource.linkedPage(url.withoutFragment)
  }

  private static func base(of resource: Resource, _ entity: Entity) -> ResourceURL {
    // If the URL contains masks, they are in the query, which is not needed for relative
    // references.
    entity.exchange?.url.flatMap { text in
      ResourceURL(absolute: text) ?? ResourceURL(shown: String(text.prefix { $0 != "?" }))
    } ?? resource.url
  }
}

extension ResourceURL {
  fileprivate var withoutFragment: ResourceURL {
    ResourceURL(absolute: String(text.prefix { $0 != "#" })) ?? self
  }
}

extension Entity {
  /// Whether the content was read as text or bytes, but is JSON. (PAG-87)
  fileprivate var looksLikeJSON: Bool {
    guard !isTextByDecision else { return false }
    let bytes: [UInt8]
    switch content {
    case .text(let text): bytes = Array(text.utf8)
    case .bytes(let raw): bytes = raw
    default: return false
    }
    return bytes.withUnsafeBufferPointer {
      if case .document = JSONRecognition($0) { true } else { false }
    }
  }
}
