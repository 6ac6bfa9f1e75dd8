extension APIOwner {
  static let list = APIOwner.module(
    "lull.list",
    "Functions over lists and records; expressions of `-f` have them by their names alone.",
    """
    They take a list or a record (a table, content, a document) and change neither. Of a record they take the \
    values, in the server's order; of tables in the order of their names. `map`, `filter` and `pick` of a record \
    return a record, the others a list or a value.

    `by` is a function of the element, which may wait, or the name of a field. `"owner.login"` is a field of a \
    field, `"tags.1"` the first element of a list; a field with that very name counts first. A missing field is \
    nil. An argument of a wrong type raises an error that names the type.
    """,
    groups: [shaping, ordering, grouping, counting])

  private static let shaping: [APIEntry] = [
    .function(
      "map", "(x: any, by: FieldOrFunction): table", "The result of `by` for each element.",
      "nil becomes `lull.null`, so that positions stay the same.",
      example: """
        local users = assert(api("/users"):load():await()).content
        print(lull.json.encode(lull.list.map(users, "name")))          --> ["Ann","Ben"]
        print(lull.list.map(lull.list.group_by(users, "name"), lull.list.count).Ann)  --> 1
        """, rules: "FLT-01 FLT-02 FLT-03"),
    .function(
      "filter", "(x: any, by?: FieldOrFunction): table",
      "The elements for which `by` is true.",
      "Without `by`, the elements that are true. nil, false and `lull.null` are not true.",
      example: """
        local list = lull.list.filter({ 1, 2, 3 }, function(n) return n > 1 end)
        print(lull.json.encode(list))              --> [2,3]
        """, rules: "FLT-01 FLT-02"),
    .function(
      "pick", "(x: any, ...: string): table",
      "These fields of a record, or of each record of a list.",
      "A missing field is `lull.null`. `\"owner.login\"` becomes a field of that name.",
      example: """
        local users = assert(api("/users"):load():await()).content
        print(lull.list.pick(users, "id")[2].id)   --> 8
        """, rules: "FLT-04"),
    .function(
      "keys", "(x: any): string[]", "The names of a record, or the positions of a list.",
      example: """
        print(table.concat(lull.list.keys{ b = 1, a = 2 }, " "))       --> a b
        """, rules: "FLT-02"),
    .function(
      "values", "(x: any): any[]", "The values of a record in the order of its names.",
      example: """
        print(table.concat(lull.list.values{ b = 1, a = 2 }, " "))     --> 2 1
        """, rules: "FLT-02"),
    .function(
      "entries", "(x: any): table[]", "The fields of a record, as `key` and `value`.",
      example: """
        local votes = lull.list.entries(lull.list.count_by{ "b", "a", "b" })
        print(lull.list.first(lull.list.sort_by(votes, "-value")).key) --> b
        """, rules: "FLT-02"),
    .function(
      "flatten", "(x: any, depth?: integer): any[]",
      "The elements, with nested lists opened.",
      "`depth` is the number of levels, 1 by default. Records are not opened.",
      example: """
        print(#lull.list.flatten{ { 1, 2 }, 3, {} })                   --> 3
        """, rules: "FLT-08"),
    .function(
      "join", "(x: any, separator?: string): string",
      "The elements as one string, with a separator.",
      "The separator is `\", \"` by default. nil and `lull.null` are empty strings.",
      example: """
        print(lull.list.join({ 1, "b", true }, "-"))                   --> 1-b-true
        """, rules: "FLT-08"),
  ]

  private static let ordering: [APIEntry] = [
    .function(
      "sort_by", "(x: any, ...: FieldOrFunction): any[]", "The elements in order.",
      """
      Numbers come before strings, strings before false and true. Missing values and `lull.null` come last, in \
      descending order too. A field with `-` before it sorts in descending order, `"-"` the elements \
      themselves. Further fields count where the fields before them are equal; otherwise the order stays the \
      same. Lists and records cannot be ordered.
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
      "The element with the least `by`.",
      "The order is that of `sort_by`; of equal elements the first. nil and `lull.null` do not count; nil without other elements.",
      example: """
        print(lull.list.min({ { n = 2 }, { n = 1 } }, "n").n)          --> 1
        """, rules: "FLT-06"),
    .function(
      "max", "(x: any, by?: FieldOrFunction): any",
      "The element with the greatest `by`.",
      example: """
        print(lull.list.max{ 3, lull.null, 10 })   --> 10
        """, rules: "FLT-06"),
  ]

  private static let grouping: [APIEntry] = [
    .function(
      "group_by", "(x: any, by?: FieldOrFunction): table<string, any[]>",
      "Lists of the elements, by the text of `by`.",
      "Missing values and `lull.null` are called `null`. A list or record as a name raises.",
      example: """
        local groups = lull.list.group_by({ { a = 1 }, { a = 2 }, { a = 1 } }, "a")
        print(#groups["1"])                        --> 2
        """, rules: "FLT-07"),
    .function(
      "count_by", "(x: any, by?: FieldOrFunction): table<string, integer>",
      "The number of elements, by the text of `by`.",
      example: """
        print(lull.list.count_by{ "a", "b", "a" }.a)                   --> 2
        """, rules: "FLT-07"),
    .function(
      "unique", "(x: any, by?: FieldOrFunction): any[]",
      "The first element for each value of `by`.",
      "Lists and records are equal if their JSON is equal. Missing values are one value.",
      example: """
        print(#lull.list.unique{ 1, 2, 1, { a = 1 }, { a = 1 } })      --> 3
        """, rules: "FLT-07"),
  ]

  private static let counting: [APIEntry] = [
    .function(
      "count", "(x: any, by?: FieldOrFunction): integer",
      "The number of elements; with `by`, those that are true.",
      example: """
        print(lull.list.count{ a = 1, b = 2 })     --> 2
        """),
    .function(
      "sum", "(x: any, by?: FieldOrFunction): number", "The sum of numbers; 0 without any.",
      """
      Missing values and `lull.null` are left out. Anything else but a number raises, a string of digits too. \
      Beyond 64 bits, a sum of integers becomes a float.
      """,
      example: """
        print(lull.list.sum({ { n = 1 }, {}, { n = 2 } }, "n"))        --> 3
        """, rules: "FLT-06"),
    .function(
      "average", "(x: any, by?: FieldOrFunction): number",
      "The mean of numbers; `lull.null` without any.",
      example: """
        print(lull.list.average{ 1, lull.null, 2 })                    --> 1.5
        """, rules: "FLT-06"),
  ]

  static let fieldOrFunction = APIOwner.alias(
    "FieldOrFunction", "string|fun(value: any): any",
    "A field of an element by name or path, or a function of the element.",
    "`\"owner.login\"` goes deeper, `\"tags.1\"` is the first element. A function may wait.")
}
