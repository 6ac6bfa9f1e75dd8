import CLullBridge
import LullCore

extension APIOwner {
  /// Content accessors common to resources, entities and errors. (TYP-10)
  static func contentAccessors(
    of swiftType: String, content: @escaping APIEntry.Body, assign: APIEntry.Body? = nil,
    text: @escaping APIEntry.Body, dictionary: @escaping APIEntry.Body,
    array: @escaping APIEntry.Body, document: @escaping APIEntry.Body,
    typed: @escaping APIEntry.Body
  ) -> [APIEntry] {
    [
      .property(
        "content", "any",
        "The content: JSON as plain tables, text and bytes as strings; nil if none.",
        """
        Tables of JSON are built when first asked for and shared by all readers after that: \
        edit a `lull.copy`. A change of shared tables is reported and taken back. `print` and \
        `tostring` show what they hold, as `lull.inspect` does: all of them have the same \
        metatable, which does nothing else. Encoded, their members are sorted; those of `document` \
        keep the server's order. What a transformer of yours returned is delivered as \
        it is.
        """,
        swift: assign == nil ? nil : "\(swiftType).content", get: content, set: assign),
      .property(
        "text", "string", "The content if it is text, else `\"\"`.",
        """
        Text is what has a type of `text/…`, XML, JavaScript, YAML and forms; of NDJSON it is its rows, each on a \
        line.
        """, swift: "\(swiftType).text", rules: "TYP-01 TXT-01 TXT-11 JSN-20", get: text),
      .property(
        "json_dict", "table", "The content if it is a JSON object or a table, else an empty table.",
        swift: "\(swiftType).jsonDict", rules: "TYP-02", get: dictionary),
      .property(
        "json_array", "table", "The content if it is a JSON array or a table, else an empty table.",
        swift: "\(swiftType).jsonArray", rules: "TYP-03", get: array),
      .property(
        "document", "Document?",
        "The same JSON as a read-only view that builds no tables; nil for other content.",
        """
        Encoded, its members keep the server's order. `lull.copy` makes tables of it that can be edited and \
        keep that order too.
        """, rules: "REQ-14", get: document),
      .method(
        "typed_content", "(default?: any): any",
        "The content if it has the default's Lua type, else the default; without one, the content.",
        swift: "\(swiftType).typedContent(ifNone:)", rules: "TYP-04 TYP-05 TYP-06 TYP-09",
        body: typed),
    ]
  }

  /// Returns content as a Lua value that self holds.
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

  /// The result of Lua's `type` for it.
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
