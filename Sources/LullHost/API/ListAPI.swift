extension APIOwner {
  static let list = APIOwner.module(
    "lull.list",
    """
    Functions for lists and records. In expressions of the option `-f`, they are called without \
    `lull.list`.
    """,
    """
    Each function takes a list or a record (a table, content or a document) and does not change \
    it. The elements of a record are its values: in the server's order for a document, and sorted \
    by name for a table. For a record, `map`, `filter` and `pick` return a record; the other \
    functions return a list or a single value.

    The parameter `by` is a function that gets an element and may wait, or the name of a field. \
    `"owner.login"` is the field `login` of the field `owner`, and `"tags.1"` is the first element \
    of the list `tags`; a field whose name is exactly `owner.login` takes precedence. A missing \
    field counts as nil. An argument of a wrong type raises an error that names the type.
    """,
    groups: [shaping, ordering, grouping, counting])

  private static let shaping: [APIEntry] = [
    .function(
      "map", "(x: any, by: FieldOrFunction): table", "The result of `by` for each element.",
      "A result of nil becomes `lull.null`, so that positions stay the same.",
      example: """
        local users = assert(api("/users"):load():await()).content
        print(lull.json.encode(lull.list.map(users, "name")))          --> ["Ann","Ben"]
        print(lull.list.map(lull.list.group_by(users, "name"), lull.list.count).Ann)  --> 1
        """, rules: "FLT-01 FLT-02 FLT-03"),
    .function(
      "filter", "(x: any, by?: FieldOrFunction): table",
      "The elements for which `by` is true.",
      "Without `by`, the result has all elements except nil, false and `lull.null`.",
      example: """
        local list = lull.list.filter({ 1, 2, 3 }, function(n) return n > 1 end)
        print(lull.json.encode(list))              --> [2,3]
        """, rules: "FLT-01 FLT-02"),
    .function(
      "pick", "(x: any, ...: string): table",
      "The named fields of a record or of each record.",
      """
      A missing field becomes `lull.null`. `"owner.login"` picks the field `login` of the field \
      `owner`, and becomes a field whose name is `owner.login`.
      """,
      example: """
        local users = assert(api("/users"):load():await()).content
        print(lull.list.pick(users, "id")[2].id)   --> 8
        """, rules: "FLT-04"),
    .function(
      "keys", "(x: any): string[]", "The field names of a record, or positions of a list.",
      example: """
        print(table.concat(lull.list.keys{ b = 1, a = 2 }, " "))       --> a b
        """, rules: "FLT-02"),
    .function(
      "values", "(x: any): any[]",
      "The values of a record, in the order of `keys(x)`.",
      example: """
        print(table.concat(lull.list.values{ b = 1, a = 2 }, " "))     --> 2 1
        """, rules: "FLT-02"),
    .function(
      "entries", "(x: any): table[]",
      "The fields of a record, each as `{ key =, value = }`.",
      example: """
        local votes = lull.list.entries(lull.list.count_by{ "b", "a", "b" })
        print(lull.list.first(lull.list.sort_by(votes, "-value")).key) --> b
        """, rules: "FLT-02"),
    .function(
      "flatten", "(x: any, depth?: integer): any[]",
      "The elements of a list and of its nested lists.",
      "`depth` is the number of levels to flatten, 1 by default. Records are not flattened.",
      example: """
        print(#lull.list.flatten{ { 1, 2 }, 3, {} })                   --> 3
        """, rules: "FLT-08"),
    .function(
      "join", "(x: any, separator?: string): string",
      "The elements as one string, with a separator.",
      "The separator is `\", \"` by default. nil and `lull.null` become empty strings.",
      example: """
        print(lull.list.join({ 1, "b", true }, "-"))                   --> 1-b-true
        """, rules: "FLT-08"),
  ]

  private static let ordering: [APIEntry] = [
    .function(
      "sort_by", "(x: any, ...: FieldOrFunction): any[]",
      "The elements in ascending order, or by given fields.",
      """
      Numbers come before strings, strings before false and true. Missing values and `lull.null` \
      come last, in descending order too. A `-` before a field name sorts in descending order by \
      that field; `"-"` alone sorts the elements themselves in descending order. Further fields \
      decide between elements for which the earlier fields are equal. Elements that are equal in \
      all fields keep their order. Lists and records cannot be ordered.
      """,
      example: """
        local rows = { { n = 2 }, {}, { n = 10 } }
        print(lull.list.sort_by(rows, "-n")[1].n)  --> 10
        print(table.concat(lull.list.sort_by({ 3, 1, 2 }, "-"), " "))  --> 3 2 1
        """, rules: "FLT-05"),
    .function(
      "reverse", "(x: any): any[]", "The elements from the last to the first.",
      example: """
        print(table.concat(lull.list.reverse{ 1, 2, 3 }, " "))         --> 3 2 1
        """),
    .function(
      "first",
      """
      (x: any): any
      (x: any, count: integer): any[]
      """, "The first element, or a list of the first `count`.",
      example: """
        print(lull.list.first{ 7, 8 }, #lull.list.first({ 7, 8 }, 5))  --> 7 2
        """),
    .function(
      "last",
      """
      (x: any): any
      (x: any, count: integer): any[]
      """, "The last element, or a list of the last `count`.",
      example: """
        print(lull.list.last{ 7, 8 })              --> 8
        """),
    .function(
      "min", "(x: any, by?: FieldOrFunction): any",
      "The element for which `by` is smallest.",
      """
      The order is that of `sort_by`. Of several equal elements, the first is returned. Elements \
      for which `by` is nil or `lull.null` are ignored; if there are no other elements, the result \
      is nil.
      """,
      example: """
        print(lull.list.min({ { n = 2 }, { n = 1 } }, "n").n)          --> 1
        """, rules: "FLT-06"),
    .function(
      "max", "(x: any, by?: FieldOrFunction): any",
      "The element for which `by` is greatest.",
      example: """
        print(lull.list.max{ 3, lull.null, 10 })   --> 10
        """, rules: "FLT-06"),
  ]

  private static let grouping: [APIEntry] = [
    .function(
      "group_by", "(x: any, by?: FieldOrFunction): table<string, any[]>",
      "A table of lists: the elements by the value of `by`.",
      """
      The keys of the result are the values of `by` as text; for missing values and `lull.null`, \
      the key is `"null"`. A value that is a list or record raises an error.
      """,
      example: """
        local groups = lull.list.group_by({ { a = 1 }, { a = 2 }, { a = 1 } }, "a")
        print(#groups["1"])                        --> 2
        """, rules: "FLT-07"),
    .function(
      "count_by", "(x: any, by?: FieldOrFunction): table<string, integer>",
      "The number of elements for each value of `by`.",
      "The keys of the result are the same as those of `lull.list.group_by`.",
      example: """
        print(lull.list.count_by{ "a", "b", "a" }.a)                   --> 2
        """, rules: "FLT-07"),
    .function(
      "unique", "(x: any, by?: FieldOrFunction): any[]",
      "The first element for each value of `by`.",
      """
      Values of `by` that are lists or records are equal if their JSON is equal. All missing \
      values count as one value.
      """,
      example: """
        print(#lull.list.unique{ 1, 2, 1, { a = 1 }, { a = 1 } })      --> 3
        """, rules: "FLT-07"),
  ]

  private static let counting: [APIEntry] = [
    .function(
      "count", "(x: any, by?: FieldOrFunction): integer",
      "The number of elements, or of those that match `by`.",
      "An element matches if its field `by` or the result of the function `by` is a true value.",
      example: """
        print(lull.list.count{ a = 1, b = 2 })     --> 2
        """),
    .function(
      "sum", "(x: any, by?: FieldOrFunction): number",
      "The sum of numbers; 0 if there are no numbers.",
      """
      Missing values and `lull.null` are ignored. Any other value that is not a number raises an \
      error, even a string of digits. Beyond 64 bits, a sum of integers becomes a float.
      """,
      example: """
        print(lull.list.sum({ { n = 1 }, {}, { n = 2 } }, "n"))        --> 3
        """, rules: "FLT-06"),
    .function(
      "average", "(x: any, by?: FieldOrFunction): number",
      "The mean of numbers, or `lull.null` if there are none.",
      example: """
        print(lull.list.average{ 1, lull.null, 2 })                    --> 1.5
        """, rules: "FLT-06"),
  ]

  static let fieldOrFunction = APIOwner.alias(
    "FieldOrFunction", "string|fun(value: any): any",
    "The name or path of a field of an element, or a function that gets the element.",
    """
    `"owner.login"` is the field `login` of the field `owner`, and `"tags.1"` is the first element \
    of the list `tags`. A function may wait.
    """)
}
