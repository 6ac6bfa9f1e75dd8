/// The rule by which `Resource.pages` finds the next page of a list. Lua: the options `next`,
/// `cursor` and `page` of `resource:pages`.
public enum PageRule {
  /// The URL is in a `Link` header of relation `next`. Without such a header, the URL is in one of
  /// the fields that APIs commonly use: `next`, `links.next`, `_links.next`, `@odata.nextLink`,
  /// `nextLink`, `paging.next`, `next_url`, `pagination.next_url` and others. If a page shows that
  /// there is another page, but not how to request that page, requesting the next page is an error.
  case automatic
  /// The URL is in a `Link` header of relation `next`. Fields are ignored. (RFC 8288)
  case link
  /// The URL is in the given field: its name, names separated by dots, or a JSON Pointer.
  case field(String)
  /// A field of each page, the cursor, contains the value of a query parameter for the next page. A
  /// page without a cursor is the last one.
  ///
  /// `items` is the field of a list; "" if the content is the list. With `items`, `field` is read
  /// from the last element of this list, and a page with an empty list is the end. `more` is a
  /// field that is true or false. With `more`, this field decides whether there is another page.
  case cursor(parameter: String, field: String, items: String? = nil, more: String? = nil)
  /// A query parameter contains the page number, beginning with `first`. The end is a page whose
  /// list is empty. `items` is the field of the list; "" if the content is the list, or has only
  /// one list.
  case numbered(parameter: String, first: Int = 1, step: Int = 1, items: String = "")
  /// A query parameter contains the number of rows before the page, beginning with `first`. The end
  /// is a page whose list is empty. `items` is the field of the list; "" if the content is the
  /// list, or has only one list.
  case offset(parameter: String, first: Int = 0, items: String = "")
  /// A function gets the last page and returns the next one; nil ends the list.
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
  /// The resource of the page.
  public let resource: Resource
  /// The data of the page.
  public let entity: Entity
}

extension Page: TypedContentAccessors {
  public var entityForTypedContentAccessors: Entity? { entity }
}

/// The names that APIs commonly use for paging.
enum PageNames {
  static let containers = [
    ["meta"], ["pagination"], ["paging"], ["page_info"], ["pageInfo"], ["metadata"],
    ["response_metadata"], ["meta", "pagination"], ["_meta"], ["links"], ["_links"], ["page"],
  ]

  static let more = [
    "has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage",
  ]
  /// Fields that are true on the last page.
  static let last = ["is_last", "isLast", "last", "is_last_page", "isLastPage"]
  static let urls = [
    "next_url", "nextUrl", "nextURL", "next_uri", "nextUri", "next_page_url", "nextPageUrl",
    "next_link", "nextLink", "next_href", "nextHref", "nextRecordsUrl",
  ]
  /// Fields for the next page that contain a URL, a number or a cursor.
  static let nexts = ["next", "next_page", "nextPage"]
  static let cursors = [
    "next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next_token", "nextToken",
    "NextToken", "next_page_cursor", "nextPageCursor", "next_offset", "nextOffset", "next_start",
    "nextStart", "next_key", "nextKey", "next_marker", "nextMarker", "NextMarker",
    "next_continuation_token", "nextContinuationToken", "NextContinuationToken",
    "continuation_token", "continuationToken",
  ]
  /// Fields with the cursor of the last row. They are used only if a flag shows that there is
  /// another page.
  static let positions = [
    "end_cursor", "endCursor", "cursor", "last_id", "lastId", "after",
  ]

  static let current = [
    "page", "current_page", "currentPage", "page_number", "pageNumber", "number",
  ]
  static let totalPages = [
    "total_pages", "totalPages", "page_count", "pageCount", "num_pages", "numPages", "nbPages",
  ]
  /// Fields with the number of pages. They are used only if the number of the page is known too.
  static let lastPage = ["last_page", "lastPage", "pages"]
  static let offsets = ["offset", "skip", "start", "startAt", "start_at", "startIndex"]
  static let totals = [
    "total_count", "totalCount", "total_results", "totalResults", "total_items", "totalItems",
    "total_records", "totalRecords", "totalElements",
  ]
  /// Fields with the total number of rows. They are used only together with an offset or a size, or
  /// in an object that only wraps the list.
  static let counts = ["total", "count"]
  static let sizes = [
    "limit", "per_page", "perPage", "page_size", "pageSize", "size", "maxResults", "itemsPerPage",
    "resultsPerPage",
  ]
  /// Headers that contain a cursor.
  static let cursorHeaders = [
    "X-Next-Cursor", "X-Next-Token", "X-Next-Page-Token", "X-Continuation-Token",
    "X-MS-Continuation",
  ]

  static let pageParameters = [
    "page", "page_number", "pageNumber", "_page", "page%5Bnumber%5D", "page[number]", "p",
  ]
  static let sizeParameters = [
    "limit", "per_page", "perPage", "page_size", "pageSize", "size", "_limit", "max_results",
    "maxResults", "page%5Bsize%5D", "page[size]", "first", "$top", "%24top", "top",
  ]
  static let offsetParameters = [
    "offset", "skip", "start", "startAt", "start_at", "_start", "from",
  ]
  static let otherParameters = [
    "cursor", "after", "before", "page_token", "pageToken", "starting_after", "since", "marker",
  ]

  static let lists: Set<String> = [
    "data", "items", "results", "result", "value", "values", "entries", "records", "rows", "list",
    "elements", "content", "objects", "hits", "docs", "nodes", "edges",
  ]
  /// Names of members of a page that may be an object which contains the list.
  static let wrappers = ["data", "_embedded", "result", "results", "response"]
  /// Names of members, other than the list, of an object that only wraps the list.
  static let envelope = Set(
    [
      "status", "ok", "success", "code", "message", "msg", "kind", "object", "type", "error",
      "errors", "request_id", "requestId", "prev", "previous", "first", "self", "timestamp",
      "elapsed", "took", "version",
    ] + containers.flatMap { $0 } + more + last + urls + nexts + cursors + positions + current
      + totalPages + lastPage + offsets + totals + counts + sizes)

  /// Returns whether a cursor means that there is no next page: it is empty or 0.
  static func isEnd(_ text: String) -> Bool { text.isEmpty || text == "0" }

  /// Returns the name of the query parameter, derived from the name of a field: `cursor` for
  /// `next_cursor`, `pageToken` for `nextPageToken`.
  static func parameter(of path: FieldPath) -> String {
    parameter(named: path.ways.last?.last ?? path.text)
  }

  /// Returns the name of the query parameter, derived from the name of a header: `cursor` for
  /// `X-Next-Cursor`.
  static func parameter(ofHeader header: String) -> String {
    let name = header.split(separator: "-").dropFirst().joined(separator: "_").lowercased()
    return name.hasPrefix("ms_") ? String(name.dropFirst(3)) : parameter(named: name)
  }

  private static func parameter(named name: String) -> String {
    for prefix in ["next_", "next", "Next"] where name.hasPrefix(prefix) {
      let rest = name.dropFirst(prefix.count)
      guard let first = rest.first else { break }
      return prefix == "next_" ? String(rest) : first.lowercased() + rest.dropFirst()
    }
    switch name {
    case "next", "Next": return "cursor"
    case "end_cursor", "endCursor": return "after"
    case "last_id", "lastId": return "after_id"
    default: return name
    }
  }
}

extension PageCursor {
  /// Returns the name of the query parameter, derived from the name of a field, such as `cursor`
  /// for `meta.next_cursor`.
  package static func parameter(ofField field: String) -> String {
    PageNames.parameter(of: FieldPath(field))
  }
}
