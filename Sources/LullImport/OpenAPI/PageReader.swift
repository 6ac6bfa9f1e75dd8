import LullCore

/// Detects how responses are paged, if the document makes it clear.
struct PageReader {
  let document: OpenAPIDocument

  /// The fields that the setting `pages = true` finds automatically.
  private static let usualFields = [
    ["next"], ["links", "next"], ["_links", "next"], ["@odata.nextLink"], ["nextLink"],
    ["paging", "next"], ["next_url"], ["next_page_url"], ["nextPageUrl"], ["nextUrl"],
    ["next_page"], ["pagination", "next_url"], ["pagination", "next"], ["meta", "next"],
    ["meta", "next_url"], ["meta", "next_page_url"], ["pagination", "links", "next"],
  ]
  /// Names of parameters and of response fields that are typical of paged lists.
  private static let pageParameters: Set<String> = [
    "page", "pagenumber", "pagetoken", "cursor", "offset", "skip", "after", "startingafter",
    "marker", "nexttoken", "continuationtoken", "startat", "startindex", "pagecursor",
    "aftercursor",
  ]
  private static let pageFields: Set<String> = [
    "next", "nextcursor", "nextpagetoken", "nexttoken", "nextpage", "nexturl", "nextlink",
    "hasmore", "hasnext", "hasnextpage", "totalpages", "pagecount", "nextoffset", "nextmarker",
    "continuationtoken",
  ]
  private static let listNames: Set<String> = [
    "data", "items", "results", "result", "value", "values", "entries", "records", "rows", "list",
    "elements",
    "content", "objects",
  ]

  func read(_ operation: ImportNode, into call: inout ImportedCall) {
    guard call.method == "GET", let response = success(operation) else { return }
    let schema = jsonSchema(response)
    let shape = SchemaShape.of(schema, in: document)
    let object = shape.kind == .object ? schema.map { ObjectShape($0, in: document) } : nil
    let list = object.flatMap(list(in:))
    if let list, PageReader.listNames.contains(list) { call.rows = list }
    guard shape.kind == .array || list != nil else {
      let hasList =
        object?.properties.contains { SchemaShape.of($0.schema, in: document).kind == .array }
      call.lacksPages = hasList == true && seemsPaged(object, call)
      return
    }
    call.pages = pages(response, object, list, call)
    if call.pages != nil, let list { call.rows = list }
    call.lacksPages = call.pages == nil && seemsPaged(object, call)
  }

  private func success(_ operation: ImportNode) -> ImportNode? {
    let responses = operation["responses"]?.pairs ?? []
    let found =
      responses.first { $0.key == "200" } ?? responses.first { $0.key.uppercased() == "2XX" }
    return document.target(of: found?.value)
  }

  private func jsonSchema(_ response: ImportNode) -> ImportNode? {
    let content = document.contents(of: response).first {
      MediaType.isJSON($0.key) || $0.key == "*/*"
    }
    return content?.value["schema"]
  }

  /// Returns the list field that contains the records: the only list among the fields. `nil` if it
  /// is not clear which field that is.
  private func list(in object: ObjectShape) -> String? {
    let lists = object.properties.filter { SchemaShape.of($0.schema, in: document).kind == .array }
    guard lists.count == 1, !lists[0].name.contains("."), !lists[0].name.isEmpty else { return nil }
    return lists[0].name
  }

  private func pages(
    _ response: ImportNode, _ object: ObjectShape?, _ list: String?, _ call: ImportedCall
  ) -> ImportedCall.Pages? {
    let headers = response["headers"]?.pairs ?? []
    if headers.contains(where: { $0.key.lowercased() == "link" }) { return .linked }
    if let object {
      if PageReader.usualFields.contains(where: { isURL(at: $0, in: object) }) { return .linked }
      if let cursor = cursor(in: object, call) { return cursor }
      if let cursor = lastElement(in: object, list, call) { return cursor }
    }
    return counted(list, call)
  }

  private func seemsPaged(_ object: ObjectShape?, _ call: ImportedCall) -> Bool {
    let parameters = call.parameters.filter { $0.place == .query && !$0.isTime }
    if parameters.contains(where: { PageReader.pageParameters.contains(plain($0.name ?? $0.key)) })
    {
      return true
    }
    guard let object else { return false }
    return ([("", object)] + nested(in: object)).contains { _, object in
      object.properties.contains { PageReader.pageFields.contains(plain($0.name)) }
    }
  }

  private func plain(_ name: String) -> String {
    name.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// Whether a field contains a URL. A cursor may have a similar name.
  private func isURL(at path: [String], in object: ObjectShape) -> Bool {
    var object = object
    for name in path.dropLast() {
      guard let next = object.properties.first(where: { $0.name == name }) else { return false }
      object = ObjectShape(next.schema, in: document)
    }
    guard let field = object.properties.first(where: { $0.name == path.last }) else { return false }
    let shape = SchemaShape.of(field.schema, in: document)
    // In HAL and JSON:API, `links` contains only URLs.
    let isLink = path.dropLast().last.map { ["links", "_links"].contains($0) } ?? false
    if isLink, shape.kind == .object {
      return ObjectShape(field.schema, in: document).properties.contains { $0.name == "href" }
    }
    guard shape.kind == .string else { return false }
    return isLink || ["uri", "url", "uri-reference"].contains(shape.format)
      || ["Link", "_link", "Url", "_url"].contains { field.name.hasSuffix($0) }
  }

  /// Finds a cursor field and a matching parameter: `next_cursor` and `cursor`, or `nextPageToken`
  /// and `pageToken`. The names must match, or both be `cursor`.
  private func cursor(in object: ObjectShape, _ call: ImportedCall) -> ImportedCall.Pages? {
    for (prefix, object) in [("", object)] + nested(in: object) {
      for field in object.properties where !field.name.contains(".") {
        let name = plain(field.name)
        guard name.hasPrefix("next") && name.count > 4 || name == "cursor",
          SchemaShape.of(field.schema, in: document).kind == .string
        else { continue }
        let parameter = call.parameters.first { parameter in
          parameter.place == .query && !parameter.isList
            && [
              "next" + plain(parameter.name ?? parameter.key),
              plain(parameter.name ?? parameter.key),
            ]
            .contains(name)
        }
        if let parameter {
          return .cursor(parameter: parameter.name ?? parameter.key, field: prefix + field.name)
        }
      }
    }
    return nil
  }

  /// Finds a field such as `has_more` next to a list, and a parameter for the ID of the last
  /// element, such as `starting_after`.
  private func lastElement(in object: ObjectShape, _ list: String?, _ call: ImportedCall)
    -> ImportedCall.Pages?
  {
    let shape = { (property: ObjectShape.Property) in SchemaShape.of(property.schema, in: document)
    }
    func isID(_ property: ObjectShape.Property, of parameter: ImportedParameter) -> Bool {
      let found = shape(property)
      // A time is not an ID, and the parameter must accept the type.
      return found.format?.hasPrefix("date") != true
        && (found.kind == .string && parameter.kind == .string
          || found.kind == .integer && [.string, .integer].contains(parameter.kind))
    }
    let more = object.properties.first {
      ["has_more", "hasMore"].contains($0.name) && shape($0).kind == .boolean
    }
    let parameter = call.parameters.first { parameter in
      parameter.place == .query && !parameter.isList
        && ["starting_after", "startingAfter", "after_id", "afterId", "after"]
          .contains(parameter.name ?? parameter.key)
        && !parameter.isTime
    }
    guard let more, let parameter, let items = object.properties.first(where: { $0.name == list })
    else { return nil }
    let name = parameter.name ?? parameter.key
    if let last = object.properties.first(where: { ["last_id", "lastId"].contains($0.name) }),
      isID(last, of: parameter)
    {
      return .cursor(parameter: name, field: last.name, more: more.name)
    }
    // The name `after` alone is ambiguous.
    guard name != "after", let element = SchemaShape.of(items.schema, in: document).items,
      alternatives(of: element).allSatisfy({ record in
        ObjectShape(record, in: document).properties.contains {
          $0.name == "id" && isID($0, of: parameter)
        }
      })
    else { return nil }
    return .cursor(parameter: name, field: "id", items: items.name, more: more.name)
  }

  /// Returns the alternatives of a schema. Without alternatives, returns the schema itself.
  private func alternatives(of schema: ImportNode) -> [ImportNode] {
    let target = document.target(of: schema) ?? schema
    return target.alternatives.isEmpty ? [target] : target.alternatives
  }

  private func nested(in object: ObjectShape) -> [(String, ObjectShape)] {
    let names: Set<String> = [
      "meta", "pagination", "paging", "page", "response_metadata", "metadata", "links",
    ]
    return object.properties.filter { names.contains($0.name) }
      .map { ($0.name + ".", ObjectShape($0.schema, in: document)) }
  }

  /// Finds a parameter such as `page` or `offset`, next to a parameter for the page size.
  private func counted(_ list: String?, _ call: ImportedCall) -> ImportedCall.Pages? {
    let sizes: Set<String> = [
      "per_page", "perpage", "page_size", "pagesize", "limit", "size", "per-page", "count",
    ]
    let queries = call.parameters.filter { $0.place == .query }
    func name(_ parameter: ImportedParameter) -> String { parameter.name ?? parameter.key }
    func counter(_ names: [String]) -> ImportedParameter? {
      queries.first { names.contains(name($0)) && $0.kind == .integer && !$0.isList }
    }
    guard queries.contains(where: { sizes.contains(name($0).lowercased()) }) else { return nil }
    if let page = counter(["page", "page_number", "pageNumber"]) {
      return .counted(parameter: name(page), first: page.firstPage ?? 1, step: 1, items: list)
    }
    return counter(["offset", "skip"]).map { .offset(parameter: name($0), items: list) }
  }
}
