/// How a list goes on: what tells the next page.
package enum NextPage {
  /// A `Link` header, else one of the fields that APIs commonly use.
  case automatic
  case link
  /// A field that holds the URL.
  case field(FieldPath)
  /// Whoever walks the pages is asked.
  case asked
  /// A field whose value goes into a parameter.
  case cursor(PageCursor)
  /// A parameter that counts.
  case numbered(parameter: String, first: Int, step: Int, items: FieldPath)

  /// Where APIs put the URL of the next page, in the order they are looked at.
  static let commonFields = [
    "next", "links.next", "_links.next", "/@odata.nextLink", "nextLink", "paging.next",
  ].map(FieldPath.init)
}

/// What is wrong with the way from one page to the next.
package struct PagingProblem: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension NextPage {
  /// The page after that one by what the server has said; nil at the end.
  func next(
    after resource: Resource, _ entity: Entity, count: Int, _ fields: some ContentFieldReader
  ) throws(PagingProblem) -> Resource? {
    switch self {
    case .automatic:
      if let page = try NextPage.linked(resource, entity) { return page }
      return try NextPage.commonPage(resource, entity, fields)
    case .link: return try NextPage.linked(resource, entity)
    case .field(let path):
      try NextPage.demandFields(of: entity, path)
      return try NextPage.page(at: path, resource, entity, fields)
    case .cursor(let cursor):
      try NextPage.demandFields(of: entity, cursor.more ?? cursor.field)
      let value = try cursor.next(in: entity.content, fields)
      return value.map { resource.settingParam(cursor.parameter, .text($0)) }
    case .numbered(let parameter, let first, let step, _):
      return resource.settingParam(parameter, .text(String(first &+ step &* count)))
    case .asked: return nil
    }
  }

  /// Whether a page is behind the last one, which can only be told once it is there.
  func isEmpty(_ entity: Entity, _ fields: some ContentFieldReader) throws(PagingProblem) -> Bool {
    if case .cursor(let cursor) = self {
      // What is no list has no next page either: that is told when it is asked for.
      return (try? cursor.isBehindEnd(entity.content, fields)) ?? false
    }
    guard case .numbered(_, _, _, let items) = self else { return false }
    if !items.text.isEmpty { try NextPage.demandFields(of: entity, items) }
    switch fields.value(items, in: entity.content) {
    case .list(let count): return count == 0
    case .nothing where !items.text.isEmpty: return true
    default:
      let what = items.text.isEmpty ? "The content" : "'\(items.text)'"
      throw PagingProblem("\(what) is no list: say with 'items' of 'page' which field holds it")
    }
  }

  /// By the first of the common fields that leads somewhere.
  private static func commonPage(
    _ resource: Resource, _ entity: Entity, _ fields: some ContentFieldReader
  )
    throws(PagingProblem) -> Resource?
  {
    var problem: PagingProblem?
    for path in commonFields {
      do throws(PagingProblem) {
        if let page = try page(at: path, resource, entity, fields) { return page }
      } catch {
        // Another field may be the one that is meant.
        problem = problem ?? error
      }
    }
    if let problem { throw problem }
    return nil
  }

  /// What has no fields cannot say that it is the end by not having one; an empty body can.
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
    // Each by itself: what is wrong with one is no part of another.
    let headers = entity.headers.byteValues(of: Array("link".utf8)).map { value in
      value.withUnsafeBufferPointer { LinkHeader(ResourceURL.text(ofBytes: $0)) }
    }
    let own = base(of: resource, entity).withoutFragment
    for link in headers.flatMap(\.links) where link.relations.contains("next") {
      // Some name the page itself as what the link is from.
      if let anchor = link.anchor, base(of: resource, entity).relative(anchor) != own { continue }
      return try page(link.target, from: resource, entity)
    }
    guard let odd = headers.first(where: { $0.mayHide("next") }) else { return nil }
    let text = LogText.part(odd.unreadable.joined(separator: ", "), limit: 80)
    throw PagingProblem(
      "The Link header speaks of a next page in a way that cannot be read: '\(text)'")
  }

  private static func page(
    at path: FieldPath, _ resource: Resource, _ entity: Entity, _ fields: some ContentFieldReader
  ) throws(PagingProblem) -> Resource? {
    switch fields.value(path, in: entity.content) {
    case .nothing, .list(0): return nil
    case .text(let reference):
      guard looksLikeReference(reference) else {
        let shown = LogText.part(CredentialMask.malformedURL(reference), limit: 40)
        throw PagingProblem(
          "'\(path.text)' is '\(shown)', which is no URL; if it is a "
            + "cursor, say cursor = { param = …, field = \"\(path.text)\" }")
      }
      return try page(reference, from: resource, entity)
    case .object:
      // As HAL and JSON:API have it.
      let inner = path.appending("href")
      switch fields.value(inner, in: entity.content) {
      case .text(let reference): return try page(reference, from: resource, entity)
      case .nothing where fields.has(inner, in: entity.content): return nil
      default: throw PagingProblem("'\(path.text)' is an object without a URL in 'href'")
      }
    case .list, .inexact, .other: throw PagingProblem("'\(path.text)' is no URL")
    }
  }

  /// A URL or a path, as opposed to a cursor.
  private static func looksLikeReference(_ text: String) -> Bool {
    text.contains("/") || text.hasPrefix("?")
  }

  /// What a reference on a page means, redirects of that page regarded.
  package static func page(_ reference: String, from resource: Resource, _ entity: Entity)
    throws(PagingProblem) -> Resource
  {
    guard let url = base(of: resource, entity).relative(reference) else {
      let shown = LogText.part(CredentialMask.malformedURL(reference), limit: 80)
      throw PagingProblem("The next page's URL '\(shown)' is no URL")
    }
    return resource.linkedPage(url.withoutFragment)
  }

  private static func base(of resource: Resource, _ entity: Entity) -> ResourceURL {
    // What masks stand in is no part of what is relative to it.
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
