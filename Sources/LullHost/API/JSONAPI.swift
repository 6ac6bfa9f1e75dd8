extension APIOwner {
  static let json = APIOwner.module(
    "lull.json",
    """
    Functions that convert between JSON text and Lua values, and that compare and read JSON \
    values.
    """,
    """
    Only strict JSON is accepted (RFC 8259). Integers within 64 bits stay integers, larger \
    integers keep their digits (`tostring` returns the digits), and other numbers become floats. \
    JSON's null becomes `lull.null`. If a key is repeated in an object, the last value counts. At \
    most 1,000 levels of nesting are read.
    """,
    entries: [
      .function(
        "encode", "(value: any, options?: EncodeOptions): string",
        """
        Returns the JSON text of a value. The keys of documents keep the server's order; the keys \
        of tables, such as `content`, are sorted.
        """,
        """
        Raises an error with the path for a value without a JSON form (a function, a cycle, NaN, \
        invalid UTF-8, the keys `1` and `"1"` in one table), and for a text larger than 1 GB. An \
        empty table becomes an object unless it is marked with `lull.array`.
        """,
        example: """
          print(lull.json.encode{ 1, "two", lull.null })     --> [1,"two",null]
          print(lull.json.encode{ b = 1, a = 2 })            --> {"a":2,"b":1}
          """, rules: "REQ-12 REQ-14 JSN-113 DYN-02"),
      .function(
        "decode", "(text: string): any, string?",
        "Returns the Lua value of a JSON text, or nil and an error message.",
        "`print` shows the contents of the returned tables.",
        example: """
          local value, problem = lull.json.decode('{"a": [1, 2.0]}')
          print(value)                                         --> { a = { 1, 2.0 } }
          print(math.type(value.a[1]), math.type(value.a[2]))  --> integer float
          """, rules: "JSN-10 JSN-11 JSN-12 JSN-13 JSN-14 JSN-33"),
      .function(
        "at", "(value: Document|table, pointer: string): any",
        """
        Returns the value at a JSON Pointer in a document or table; nil if there is no such value.
        """,
        """
        In the pointer, write `~` as `~0`, and `/` inside a key as `~1`. Elements of arrays are \
        counted from 0, as in RFC 6901.
        """,
        example: """
          local users = assert(api("/users"):load():await()).document
          print(lull.json.at(users, "/1/name"))    --> Ben
          """),
      .function(
        "equal", "(a: any, b: any): boolean",
        "Whether two values are the same JSON: tables, documents, or one of each.",
        "The order of keys does not matter.",
        example: """
          local entity = assert(user:load():await())
          print(lull.json.equal(entity.document, { id = 7, name = "Ann" }))   --> true
          """),
      .function(
        "type", "(value: any): string?",
        """
        The JSON type of a value: `"array"`, `"object"`, `"string"`, `"number"`, `"boolean"` or \
        `"null"`; nil for a value without a JSON form.
        """,
        """
        Tables are classified as by `encode`, but their elements are not checked. An empty table \
        is an object unless it is marked with `lull.array`.
        """,
        example: """
          local entity = assert(api("/users"):load():await())
          print(lull.json.type(entity.content), lull.json.type(entity.document[1]))  --> array object
          print(lull.json.type(lull.null), lull.json.type(print))                    --> null nil
          """, rules: "FLT-09"),
    ])

  static let encodeOptions = APIOwner.table(
    "EncodeOptions", "Options of `lull.json.encode`.",
    entries: [
      .field(
        "pretty", "boolean?", "Whether to write line breaks and indentation; default false.")
    ])

  static let inspectOptions = APIOwner.table(
    "InspectOptions", "Options of `lull.inspect`.",
    entries: [
      .field(
        "depth", "integer?",
        "The number of levels of tables that are shown; default 8, at most 100.")
    ])

  static let mapOptions = APIOwner.table(
    "MapOptions", "Options of `lull.map`.",
    entries: [
      .field("concurrency", "integer?", "How many calls run at once; default 8."),
      .field(
        "progress", "boolean|string|nil",
        """
        Whether a terminal shows how many calls have ended: true, or a label to show beside the \
        number. Default false.
        """),
    ])

  static let waitOptions = APIOwner.table(
    "WaitOptions", "Options of `lull.wait_until`.",
    entries: [
      .field(
        "every", "number?",
        "Seconds between the end of one call of the function and the next call; default 0.5."),
      .field(
        "timeout", "number?",
        "The number of seconds after which to stop calling the function; default never."),
    ])
}
