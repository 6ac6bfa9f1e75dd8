extension APIOwner {
  static let document = APIOwner.object(
    "Document", receiver: "document",
    "JSON as a read-only view: no Lua values are built before they are read.",
    """
    Use documents for large responses. Objects keep the order of their keys; nested objects and \
    arrays are views too. `next`, `rawlen` and `table.sort` do not work on a view; `ipairs`, \
    `table.unpack` and `table.concat` do. `lull.json.encode` writes a document unchanged, and \
    `lull.copy` turns it into plain tables.
    """,
    swift: "JSONDocument",
    entries: [
      .operation(
        "__index", "(key: string|integer): any", shown: "document[key]",
        """
        The value of a key, or the element at an index, counted from 1; nil if there is no such \
        key or element.
        """,
        "If a key is repeated, the last value counts.",
        example: """
          local users = assert(api("/users"):load():await()).document
          print(users[2].name)                     --> Ben
          """,
        swift: "JSONElement", rules: "JSN-13"),
      .operation(
        "__len", "(): integer", shown: "#document", "The number of elements of an array.",
        example: """
          print(#assert(api("/users"):load():await()).document)  --> 2
          """, swift: "JSONElement.count"),
      .operation(
        "__pairs", "(): fun(): any, any", shown: "pairs(document)",
        "Iterates over an object in the order of its keys, or over an array.",
        example: """
          for index, person in pairs(assert(api("/users"):load():await()).document) do
            print(index, person.name)
          end
          --> 1 Ann
          --> 2 Ben
          """, swift: "JSONElement.pairs", rules: "JSN-13"),
      .operation(
        "__eq", "(other: Document): boolean", shown: "document == other",
        """
        Whether two documents have the same content; to compare with a table, use \
        `lull.json.equal`.
        """,
        swift: "JSONElement.==(_:_:)"),
    ])
}
