import CLullBridge
import LullCore

extension APIOwner {
  /// Returns the content accessors that resources, entities and errors have in common. (TYP-10)
  static func contentAccessors(
    of swiftType: String, content: @escaping APIEntry.Body, assign: APIEntry.Body? = nil,
    text: @escaping APIEntry.Body, dictionary: @escaping APIEntry.Body,
    array: @escaping APIEntry.Body, document: @escaping APIEntry.Body,
    typed: @escaping APIEntry.Body
  ) -> [APIEntry] {
    [
      .property(
        "content", "any",
        "The content: JSON as plain tables, text and bytes as strings; nil if there is no content.",
        """
        Tables of JSON are built at the first read and then shared by all readers: to edit a \
        table, edit a copy made by `lull.copy`. A change of a shared table is reported and \
        reverted. `print` and `tostring` show the contents of such tables, as `lull.inspect` does. \
        For this purpose, the tables share a metatable, which has no other effect. When the tables \
        are encoded, their members are sorted; the members of `document` keep the server's order. \
        The result of your own transformer is returned unchanged.
        """,
        swift: assign == nil ? nil : "\(swiftType).content", get: content, set: assign),
      .property(
        "text", "string", "The content if it is text, else `\"\"`.",
        """
        Content of the types `text/…`, XML, JavaScript, YAML and forms is text. For NDJSON, this \
        property has the rows, one per line.
        """, swift: "\(swiftType).text", rules: "TYP-01 TXT-01 TXT-11 JSN-20", get: text),
      .property(
        "json_dict", "table", "The content if it is a JSON object or a table, else an empty table.",
        swift: "\(swiftType).jsonDict", rules: "TYP-02", get: dictionary),
      .property(
        "json_array", "table", "The content if it is a JSON array or a table, else an empty table.",
        swift: "\(swiftType).jsonArray", rules: "TYP-03", get: array),
      .property(
        "document", "Document?",
        "JSON content as a read-only view that builds no tables; nil for other content.",
        """
        When the document is encoded, its members keep the server's order. `lull.copy` turns the \
        document into tables that can be edited and that also keep the server's order.
        """, rules: "REQ-14", get: document),
      .method(
        "typed_content", "(default?: any): any",
        """
        The content if it has the default's Lua type, else the default; without a default, the \
        content.
        """,
        swift: "\(swiftType).typedContent(ifNone:)", rules: "TYP-04 TYP-05 TYP-06 TYP-09",
        body: typed),
    ]
  }

  /// Returns content as a Lua value. The content's Lua tables are held by argument 0 of the call,
  /// which is the object whose member is called.
  static func shared(
    _ content: Content, _ exchange: Exchange?, _ service: Service?, _ call: Call,
    own tables: OwnTables?
  ) -> LuaValue {
    call.values.content(
      content, holder: call.raw(0).handle, omitsNulls: service?.omitsNulls ?? false, own: tables,
      from: exchange?.url)
  }
}

extension Content {
  var isDictionary: Bool {
    switch self {
    case .json(let document): document.root.kind == .object
    case .foreign(let foreign): foreign.typeName == "table"
    default: false
    }
  }

  var isArray: Bool {
    switch self {
    case .json(let document): document.root.kind == .array
    case .foreign(let foreign): foreign.typeName == "table"
    default: false
    }
  }

  /// The name that Lua's `type` function returns for the content.
  var luaTypeName: String {
    switch self {
    case .bytes, .text, .value: "string"
    case .foreign(let foreign): foreign.typeName
    case .json(let document):
      switch document.root.kind {
      case .null: "lull.null"
      case .bool: "boolean"
      case .int, .double: "number"
      case .string: "string"
      case .array, .object: "table"
      }
    }
  }
}
