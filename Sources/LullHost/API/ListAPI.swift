extension APIOwner {
  static let list = APIOwner.module(
    "lull.list",
    "Functions over lists and records; expressions of `-f` have them by their names alone.",
    """
    They take a list or a record (a table, content, a document) and change neither. Of a record its values are \
    meant, in the server's order, those of tables in the order of their names; `map`, `filter` and `pick` of a \
    record give a record again, the others a list or a value.

    `by` is a function of the element, which may wait, or the name of a field: `"owner.login"` goes deeper, \
    `"tags.1"` is the first element of a list, and a field that is really called so comes first. A field that is \
    missing is nothing, as `lull.null` is. What a function cannot do raises, and says what it got.
    """,
    groups: [shaping, ordering, grouping, counting])

  private static let shaping: [APIEntry] = [
    .function(
      "map", "(x: any, by: FieldOrFunction): table", "What `by` makes of each element.",
      "nil becomes `lull.null`, so that places stay what they are.",
      example: """
        local users = assert(api("/users"):load():await()).content
        print(lull.json.encode(lull.list.map(users, "name")))          --> ["Ann","Ben"]
        print(lull.list.map(lull.list.group_by(users, "name"), lull.list.count).Ann)  --> 1
        """, rules: "FLT-01 FLT-02 FLT-03"),
    .function(
      "filter", "(x: any, by?: FieldOrFunction): table",
      "The elements for which `by` gives neither nil, false nor `lull.null`.",
      "Without `by` those that are neither themselves.",
      example: """
        local list = lull.list.filter({ 1, 2, 3 }, function(n) return n > 1 end)
        print(lull.json.encode(list))              --> [2,3]
        """, rules: "FLT-01 FLT-02"),
    .function(
      "pick", "(x: any, ...: string): table",
      "A record with these fields alone; of a list, of each of its elements.",
      "A field that is missing is `lull.null`. It is called as it was asked for: `\"owner.login\"`.",
      example: """
        local users = assert(api("/users"):load():await()).content
        print(lull.list.pick(users, "id")[2].id)   --> 8
        """, rules: "FLT-04"),
    .function(
      "keys", "(x: any): string[]", "The names of a record; of a list 1 to its length.",
      example: """
        print(table.concat(lull.list.keys{ b = 1, a = 2 }, " "))       --> a b
        """, rules: "FLT-02"),
    .function(
      "values", "(x: any): any[]", "The values of a record in the order of its names.",
      example: """
        print(table.concat(lull.list.values{ b = 1, a = 2 }, " "))     --> 2 1
        """, rules: "FLT-02"),
    .function(
      "entries", "(x: any): table[]", "A record as a list of records with `key` and `value`.",
      example: """
        local votes = lull.list.entries(lull.list.count_by{ "b", "a", "b" })
        print(lull.list.first(lull.list.sort_by(votes, "-value")).key) --> b
        """, rules: "FLT-02"),
    .function(
      "flatten", "(x: any, depth?: integer): any[]",
      "The elements, with those that are lists opened.",
      "So many levels deep, one unless it is said. Records stay what they are.",
      example: """
        print(#lull.list.flatten{ { 1, 2 }, 3, {} })                   --> 3
        """, rules: "FLT-08"),
    .function(
      "join", "(x: any, separator?: string): string",
      "Numbers, texts and booleans as one text, with `\", \"` or the separator between them.",
      "Nothing and `lull.null` are empty texts.",
      example: """
        print(lull.list.join({ 1, "b", true }, "-"))                   --> 1-b-true
        """, rules: "FLT-08"),
  ]

  private static let ordering: [APIEntry] = [
    .function(
      "sort_by", "(x: any, ...: FieldOrFunction): any[]", "The elements in order.",
      """
      Numbers come before texts, these before false and true; what is missing and `lull.null` come last, in \
      descending order too. A field with `-` before it sorts in descending order, `"-"` the elements \
      themselves; further fields count where those before are equal, and then the order there was. Lists and \
      records have no order.
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
      """, "The first element, nil if there is none; or a list of the first ones.",
      example: """
        print(lull.list.first{ 7, 8 }, #lull.list.first({ 7, 8 }, 5))  --> 7 2
        """),
    .function(
      "last",
      """
      (x: any): any
      (x: any, count: integer): any[]
      """, "The last element, nil if there is none; or a list of the last ones.",
      example: """
        print(lull.list.last{ 7, 8 })              --> 8
        """),
    .function(
      "min", "(x: any, by?: FieldOrFunction): any",
      "The element of which `by` gives least, in the order of `sort_by`; of several the first.",
      "Nothing and `lull.null` do not count; nil if there is nothing else.",
      example: """
        print(lull.list.min({ { n = 2 }, { n = 1 } }, "n").n)          --> 1
        """, rules: "FLT-06"),
    .function(
      "max", "(x: any, by?: FieldOrFunction): any",
      "The element of which `by` gives most, as `min`.",
      example: """
        print(lull.list.max{ 3, lull.null, 10 })   --> 10
        """, rules: "FLT-06"),
  ]

  private static let grouping: [APIEntry] = [
    .function(
      "group_by", "(x: any, by?: FieldOrFunction): table<string, any[]>",
      "Lists of the elements by what `by` gives, as text.",
      "What is missing and `lull.null` are called `null`. Lists and records are no names.",
      example: """
        local groups = lull.list.group_by({ { a = 1 }, { a = 2 }, { a = 1 } }, "a")
        print(#groups["1"])                        --> 2
        """, rules: "FLT-07"),
    .function(
      "count_by", "(x: any, by?: FieldOrFunction): table<string, integer>",
      "How many elements there are by what `by` gives, as text; otherwise as `group_by`.",
      example: """
        print(lull.list.count_by{ "a", "b", "a" }.a)                   --> 2
        """, rules: "FLT-07"),
    .function(
      "unique", "(x: any, by?: FieldOrFunction): any[]",
      "The elements without those for which `by` gives what it has given before.",
      "Lists and records are equal if they are the same JSON; all that is missing is one value.",
      example: """
        print(#lull.list.unique{ 1, 2, 1, { a = 1 }, { a = 1 } })      --> 3
        """, rules: "FLT-07"),
  ]

  private static let counting: [APIEntry] = [
    .function(
      "count", "(x: any, by?: FieldOrFunction): integer",
      "How many elements there are; or for how many `by` gives neither nil, false nor `lull.null`.",
      example: """
        print(lull.list.count{ a = 1, b = 2 })     --> 2
        """),
    .function(
      "sum", "(x: any, by?: FieldOrFunction): number", "The sum of numbers; 0 of none.",
      """
      What is missing and `lull.null` are left out; anything else but a number raises, a text of digits too. \
      Beyond 64 bits a sum of integers goes on as a float.
      """,
      example: """
        print(lull.list.sum({ { n = 1 }, {}, { n = 2 } }, "n"))        --> 3
        """, rules: "FLT-06"),
    .function(
      "average", "(x: any, by?: FieldOrFunction): number",
      "The sum by how many numbers there are; `lull.null` of none.",
      example: """
        print(lull.list.average{ 1, lull.null, 2 })                    --> 1.5
        """, rules: "FLT-06"),
  ]

  static let fieldOrFunction = APIOwner.alias(
    "FieldOrFunction", "string|fun(value: any): any",
    "What to take of an element: a field, by its name or the way to it, or what a function gives.",
    "`\"owner.login\"` goes deeper, `\"tags.1\"` is the first element. A function may wait.")
}
