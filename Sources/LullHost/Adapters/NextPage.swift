import LullCore

/// How a list goes on: what tells the next page.
enum NextPage {
  /// A `Link` header, else one of the fields that APIs commonly use.
  case automatic
  case link
  /// A field that holds the URL.
  case field(FieldPath)
  /// A kept function of content and resource.
  case function(Int64)
  /// A field whose value goes into a parameter.
  case cursor(parameter: String, field: FieldPath)
  /// A parameter that counts.
  case numbered(parameter: String, first: Int, step: Int, items: FieldPath)

  /// Where APIs put the URL of the next page, in the order they are looked at.
  static let commonFields = [
    "next", "links.next", "_links.next", "/@odata.nextLink", "nextLink", "paging.next",
  ].map(FieldPath.init)
}

/// What is wrong with the way from one page to the next.
struct PagingProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension NextPage {
  /// The page after that one by what the server has said; nil at the end.
  func next(
    after resource: Resource, _ entity: Entity, count: Int, host: LuaHost
  ) throws(PagingProblem) -> Resource? {
    switch self {
    case .automatic:
      if let page = try NextPage.linked(resource, entity) { return page }
      for path in NextPage.commonFields {
        if let page = try NextPage.page(at: path, resource, entity, host) { return page }
      }
      return nil
    case .link: return try NextPage.linked(resource, entity)
    case .field(let path): return try NextPage.page(at: path, resource, entity, host)
    case .cursor(let parameter, let path):
      switch host.field(path, in: entity.content) {
      case .nothing: return nil
      case .text(let cursor): return resource.withParam(parameter, cursor)
      default: throw PagingProblem("The cursor '\(path.text)' is neither a string nor a number")
      }
    case .numbered(let parameter, let first, let step, _):
      return resource.withParam(parameter, String(first &+ step &* count))
    // What scripts answer is the caller's to ask for.
    case .function: return nil
    }
  }

  /// Whether a page is behind the last one, which can only be told once it is there.
  func isEmpty(_ entity: Entity, host: LuaHost) throws(PagingProblem) -> Bool {
    guard case .numbered(_, _, _, let items) = self else { return false }
    switch host.field(items, in: entity.content) {
    case .list(let count): return count == 0
    case .nothing where !items.text.isEmpty: return true
    default:
      let what = items.text.isEmpty ? "The content" : "'\(items.text)'"
      throw PagingProblem("\(what) is no list: say with 'items' of 'page' which field holds it")
    }
  }

  private static func linked(_ resource: Resource, _ entity: Entity) throws(PagingProblem)
    -> Resource?
  {
    guard let header = entity.header("link"), let target = LinkHeader.target("next", in: header)
    else { return nil }
    return try page(target, from: resource, entity)
  }

  private static func page(
    at path: FieldPath, _ resource: Resource, _ entity: Entity, _ host: LuaHost
  ) throws(PagingProblem) -> Resource? {
    switch host.field(path, in: entity.content) {
    case .nothing, .list(0): return nil
    case .text(let reference):
      guard looksLikeReference(reference) else {
        throw PagingProblem(
          "'\(path.text)' is '\(LogText.part(reference, limit: 40))', which is no URL; if it is a "
            + "cursor, say cursor = { param = …, field = \"\(path.text)\" }")
      }
      return try page(reference, from: resource, entity)
    case .object:
      // As HAL and JSON:API have it.
      guard case .text(let reference) = host.field(path.appending("href"), in: entity.content)
      else { return nil }
      return try page(reference, from: resource, entity)
    case .list, .other: throw PagingProblem("'\(path.text)' is no URL")
    }
  }

  /// A URL or a path, as opposed to a cursor.
  private static func looksLikeReference(_ text: String) -> Bool {
    text.contains("/") || text.hasPrefix("?")
  }

  /// What a reference on a page means, redirects of that page regarded.
  static func page(_ reference: String, from resource: Resource, _ entity: Entity)
    throws(PagingProblem) -> Resource
  {
    let base = entity.exchange?.url.flatMap { ResourceURL(absolute: $0) } ?? resource.url
    guard let url = base.relative(reference) else {
      throw PagingProblem("The next page's URL '\(LogText.part(reference, limit: 80))' is no URL")
    }
    guard let page = ResourceURL(absolute: String(url.text.prefix { $0 != "#" })) else {
      return resource.service.resource(absoluteURL: url.text)
    }
    return resource.linked(page)
  }
}
