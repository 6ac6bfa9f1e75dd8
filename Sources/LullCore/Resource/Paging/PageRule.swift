/// How a list goes on, for `resource.pages(_:)`. Lua: the options `next`, `cursor` and `page` of
/// `resource:pages`.
public enum PageRule {
  /// By a `Link` header of relation `next`, else by the URL in one of the fields that APIs commonly use: `next`,
  /// `links.next`, `_links.next`, `@odata.nextLink`, `nextLink`, `paging.next`, `next_url`, `pagination.next_url` and
  /// others. If the page shows that there is more, but not how to request it, the next page is an error.
  case automatic
  /// By a `Link` header only. (RFC 8288)
  case link
  /// By the field that holds the URL: its name, names with dots between them, or a JSON Pointer.
  case field(String)
  /// By a field whose value goes into a parameter of the query; there is no further page without it.
  ///
  /// With `items`, the field of a list ("" if the content is the list), it is the field of the last element there, and
  /// an empty page is the end. With `more`, a field that is true or false, that says whether there is a further page.
  case cursor(parameter: String, field: String, items: String? = nil, more: String? = nil)
  /// By a parameter of the query that counts from `first` on, until `items`, the field of the list, is
  /// empty; "" if the content is the list.
  case numbered(parameter: String, first: Int = 1, step: Int = 1, items: String = "")
  /// By a parameter of the query that counts the rows before each page from `first` on, until `items`, the field of
  /// the list, is empty; "" if the content is the list, or its only list is meant.
  case offset(parameter: String, first: Int = 0, items: String = "")
  /// By a function of the page that was there last; nil ends it.
  case function((Page) throws(RequestError) -> Resource?)

  var next: NextPage {
    switch self {
    case .automatic: .automatic
    case .link: .link
    case .field(let text): .field(FieldPath(text))
    case .cursor(let parameter, let field, let items, let more):
      .cursor(
        PageCursor(
          parameter: parameter, field: FieldPath(field),
          items: items.map { $0.isEmpty ? .root : FieldPath($0) }, more: more.map { FieldPath($0) })
      )
    case .numbered(let parameter, let first, let step, let items):
      .numbered(
        parameter: parameter, first: first, step: step,
        items: items.isEmpty ? .root : FieldPath(items))
    case .offset(let parameter, let first, let items):
      .offset(
        parameter: parameter, first: first, items: items.isEmpty ? .root : FieldPath(items))
    case .function: .asked
    }
  }
}

/// One page of a list.
public struct Page {
  /// The resource that the page is.
  public let resource: Resource
  /// What it holds.
  public let entity: Entity
}

extension Page: TypedContentAccessors {
  public var entityForTypedContentAccessors: Entity? { entity }
}
