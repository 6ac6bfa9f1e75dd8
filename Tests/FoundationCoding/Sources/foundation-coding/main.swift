// COD-19: reads and writes the same with Lull and with Foundation, and says where they differ, other than on purpose:
// in the value, in the kind of the error, or in its coding path.

import Foundation

let cases: [Case] = [
  Case(#"{"name": "Ada"}"#, as: User.self),
  Case(
    #"{"role": "admin", "x": [{}], "age": 36, "name": "Ada", "address": {"street": "S", "number": -128}, "tags": ["a", "\u00fc\n"]}"#,
    as: User.self),
  Case(#"{"name": "Ada", "age": null, "address": null}"#, as: User.self),
  Case("{}", as: User.self),
  Case("[]", as: User.self),
  Case("null", as: User.self),
  Case(#"{"name": null}"#, as: User.self),
  Case(#"{"name": 5}"#, as: User.self),
  Case(#"{"name": "Ada", "age": "36"}"#, as: User.self),
  Case(#"{"name": "Ada", "age": 1.5}"#, as: User.self),
  Case(#"{"name": "Ada", "age": 1.0}"#, as: User.self),
  Case(#"{"name": "Ada", "role": "king"}"#, as: User.self),
  Case(#"{"name": "Ada", "role": 1}"#, as: User.self),
  Case(#"{"name": "Ada", "address": {"street": "S", "number": 128}}"#, as: User.self),
  Case(#"{"name": "Ada", "address": {}}"#, as: User.self),
  Case(#"{"name": "Ada", "tags": ["a", null]}"#, as: User.self),
  Case(#"{"name": "Ada", "tags": {"0": "a"}}"#, as: User.self),
  Case(#"{"name": "a", "name": "b"}"#, as: User.self),
  Case(#"{"name": "Ada""#, as: User.self),
  Case("", as: User.self),

  Case(
    #"{"name": "a", "children": [{"name": "b", "children": []}, {"name": "c"}]}"#, as: Tree.self),
  Case(#"{"name": "a", "children": [{"name": "b", "children": [{}]}]}"#, as: Tree.self),
  Case(#"{"name": "a", "children": [{"name": "b"}, 7]}"#, as: Tree.self),

  Case(#"{"circle": {"radius": 2}}"#, as: Shape.self),
  Case(#"{"square": {"_0": 1, "side": null}}"#, as: Shape.self),
  Case(#"{"none": {}}"#, as: Shape.self),
  Case(#"{"circle": {}}"#, as: Shape.self),
  Case(#"{"circle": {"radius": "2"}}"#, as: Shape.self),
  Case(#"{"hexagon": {}}"#, as: Shape.self),
  Case(#"{"circle": {"radius": 2}, "none": {}}"#, as: Shape.self),
  Case("{}", as: Shape.self),
  Case(#""none""#, as: Shape.self),

  Case(#"{"first_name": "Ada"}"#, as: Renamed.self),
  Case(#"{"firstName": "Ada"}"#, as: Renamed.self),

  Case(#"{"1": "a"}"#, as: [Int: String].self),
  Case(#"{"x": "a"}"#, as: [Int: String].self),
  Case(#"{"1": 2}"#, as: [Int: String].self),
  Case(#"{"a b": [1, null]}"#, as: [String: [Int?]].self),
  Case(#"{"a b": [1, null]}"#, as: [String: [Int]].self),
  Case(#"{"a": [[1], ["x"]]}"#, as: [String: [[Int]]].self),

  Case("[9223372036854775807, -9223372036854775808]", as: [Int].self),
  Case("[9223372036854775808]", as: [Int].self),
  Case("[18446744073709551615]", as: [UInt64].self),
  Case("[18446744073709551616]", as: [UInt64].self),
  Case("[9007199254740993]", as: [Int].self),
  Case("[1e3, 2.0]", as: [Int].self),
  Case("[256]", as: [UInt8].self),
  Case("[-1]", as: [UInt].self),
  Case("[0.1, 1e300, 5e-324, -0.0]", as: [Double].self),
  Case("[1e400]", as: [Double].self),
  Case("[0.1]", as: [Float].self),
  Case("[1e300]", as: [Float].self),
  Case("[true, 1]", as: [Bool].self),
  Case("[1, true]", as: [Int].self),
  Case(#"["NaN"]"#, as: [Double].self),

  Case("5", as: Int.self),
  Case(#""x""#, as: String.self),
  Case("null", as: Int?.self),
  Case("null", as: Int.self),
  Case(#"["\ud83d\ude00", "\u0000"]"#, as: [String].self),

  Case(#"{"point": {"x": 1, "deep": "d"}, "list": [1, 2]}"#, as: Nested.self),
  Case(#"{"point": {"x": 1}, "list": []}"#, as: Nested.self),
  Case(#"{"point": [], "list": []}"#, as: Nested.self),
  Case(#"{"list": []}"#, as: Nested.self),
  Case(#"{"point": {"x": 1, "deep": "d"}, "list": [1, "2"]}"#, as: Nested.self),
  Case(#"{"point": {"x": 1, "deep": "d"}, "list": {}}"#, as: Nested.self),
  Case(#"{"point": {"x": 1, "deep": "d"}}"#, as: Nested.self),
  Case(#"{"point": null, "list": []}"#, as: Nested.self),

  Case(#"[1, "a", true]"#, as: Row.self),
  Case("[1, null, false]", as: Row.self),
  Case(#"[1, "a"]"#, as: Row.self),
  Case(#"[[1, "a", true], [2, 3, true]]"#, as: [Row].self),
  Case("[]", as: Row.self),
  Case("{}", as: Row.self),

  Case(#"{"age": 3, "super": {"name": "Rex"}}"#, as: Dog.self),
  Case(#"{"age": 3, "super": {}}"#, as: Dog.self),
  Case(#"{"age": 3, "super": null}"#, as: Dog.self),
  Case(#"{"age": 3}"#, as: Dog.self),
  Case(#"{"lives": 7, "name": "Tom"}"#, as: Cat.self),
  Case(#"{"lives": 7}"#, as: Cat.self),

  Case(#"[1, "x"]"#, as: [Either].self),
  Case("[true]", as: [Either].self),

  Case(#"["https://x.test/a?b#c", "rel/x", "https://x.test/ü", "a b", ":"]"#, as: [URL].self),
  Case(#"{"home": "https://x.test/", "data": "AQID", "price": 19.99}"#, as: Account.self),
  Case(#"{"home": null, "data": "", "price": -0.5}"#, as: Account.self),
  Case(#"{"data": "AQI=", "price": 1e2}"#, as: Account.self),
  Case(#"{"home": "", "data": "", "price": 0}"#, as: Account.self),
  Case(#"{"home": "http://[::1", "data": "", "price": 0}"#, as: Account.self),
  Case(#"{"home": 5, "data": "", "price": 0}"#, as: Account.self),
  Case(#"{"home": {"relative": "x"}, "data": "", "price": 0}"#, as: Account.self),
  Case(#"{"data": "AQI", "price": 0}"#, as: Account.self),
  Case(#"{"data": "A===", "price": 0}"#, as: Account.self),
  Case(#"{"data": "AQ ID", "price": 0}"#, as: Account.self),
  Case(#"{"data": "AQ-_", "price": 0}"#, as: Account.self),
  Case(#"{"data": "AQID\n", "price": 0}"#, as: Account.self),
  Case(#"{"data": [1, 2], "price": 0}"#, as: Account.self),
  Case(#"{"data": null, "price": 0}"#, as: Account.self),
  Case(#"{"data": "", "price": "1.5"}"#, as: Account.self),
  Case(#"{"data": "", "price": null}"#, as: Account.self),
  Case(#"{"data": ""}"#, as: Account.self),
  Case(
    "[0.1, 1.50, -7, 100, 1e2, 0.1e1, -0.0, 1e-128, 1e127, 3.4e38, 123456.789, 12345678901234.5]",
    as: [Decimal].self),
  Case("[9223372036854775807, -9223372036854775808, 18446744073709551615]", as: [Decimal].self),
  Case("[12345678901234567890123, -12345678901234567890]", as: [Decimal].self),
  Case("[340282366920938463463374607431768211456]", as: [Decimal].self),
  Case("[\(String(repeating: "9", count: 50))]", as: [Decimal].self),
  Case("[1e300]", as: [Decimal].self),
  Case("[1e128]", as: [Decimal].self),
  Case("[5e-324]", as: [Decimal].self),
  Case("[12345678901234567890.125]", as: [Decimal].self),
  Case("0.3", as: Decimal.self),
  Case(#""https://x.test""#, as: URL.self),
  Case(#""AQID""#, as: Data.self),
  Case(#"{"a": ["https://x.test", null]}"#, as: [String: [URL?]].self),
  Case(
    "[\(Array(repeating: #""AA==""#, count: 100).joined(separator: ", "))]", as: [Data].self),

  Case(
    writing: Account(
      home: URL(string: "https://x.test/ü?a=/"), data: Data([1, 2, 255]), price: 19.99),
    "types of Foundation"),
  Case(
    writing: [
      URL(string: "b?c", relativeTo: URL(string: "https://x.test/a/d")),
      URL(
        string: "../e", relativeTo: URL(string: "f", relativeTo: URL(string: "https://x.test/g/h/"))
      ),
      URL(string: "#x", relativeTo: URL(string: "https://x.test/a?b")), nil,
    ], "URLs with a base"),
  Case(writing: Data(), "no bytes"),
  Case(writing: Data(0...255)[100..<200], "a slice of bytes"),
  Case(
    writing: ["0.1", "-5", "1e100", "1e-100", "12345678901234567890.5", "0"].map {
      Decimal(string: $0)
    }, "decimals"),
  Case(writing: Decimal(string: "0.3"), "a decimal alone"),
  Case(writing: [URL(string: "https://x.test"): 1], "URLs as keys"),
  Case(
    writing: User(name: "Ada", age: nil, role: .guest, address: nil, tags: ["ü\n\u{0}/"]), "a user"),
  Case(writing: Tree(name: "a", children: [Tree(name: "b", children: [])]), "a tree"),
  Case(writing: [Shape.circle(radius: 0.1), .square(1, side: nil), .none], "cases with values"),
  Case(writing: Renamed(firstName: "Ada"), "a renamed key"),
  Case(writing: [1: "a"], "a dictionary with Int keys"),
  Case(writing: ["a b": [1, nil] as [Int?]], "null in a list"),
  Case(writing: [Int.max, .min], "the ends of Int"),
  Case(writing: [UInt64.max], "the end of UInt64"),
  Case(writing: [0.1, 1e300, Double.leastNonzeroMagnitude], "floating point numbers"),
  Case(writing: [Double.nan], "NaN"),
  Case(writing: ["a": [Double.infinity]], "infinity in a list"),
  Case(writing: Nested(x: 1, list: [1, 2], deep: "d"), "nested containers"),
  Case(writing: Row(id: 1, name: "a", isLast: true), "elements one by one"),
  Case(writing: Dog(name: "Rex", age: 3), "a class with super"),
  Case(writing: [Either.number(1), .text("x")], "either"),
  Case(writing: Int?.none, "nothing"),
  Case(writing: 5, "a number alone"),
]

/// Where ours is another on purpose: the name of the case, what ours is, and why.
let deliberate: [String: (ours: String, why: String)] = [
  "[12345678901234567890.125] as Array<Decimal>": (
    "[12345678901234567000]",
    "a fraction is a Double, whose digits count (COD-62)"
  ),
  "[1e300] as Array<Decimal>": ("dataCorrupted at [0]", "it has a path (COD-03)"),
  "[1e128] as Array<Decimal>": (
    "[100000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000]",
    "it fits, as 10 times the largest power of ten"
  ),
  "[5e-324] as Array<Decimal>": ("dataCorrupted at [0]", "it has a path (COD-03)"),
  #"{"name": "Ada", "age": 1.5} as User"#: (
    "typeMismatch at age", "a fraction is another type than a whole number, and has a path (COD-03)"
  ),
  #"{"name": "Ada", "address": {"street": "S", "number": 128}} as User"#: (
    "dataCorrupted at address.number",
    "of a number that does not fit, Foundation does not name the path (COD-03)"
  ),
  #"{"name": "a", "name": "b"} as User"#: (
    "User(name: \"b\", age: nil, role: nil, address: nil, tags: nil)",
    "of repeated keys the last counts, as in Lua (COD-04)"
  ),
  #"{"1": 2} as Dictionary<Int, String>"#: (
    "typeMismatch at 1", "keys in a document are texts, which is what its path shows"
  ),
  #"[9223372036854775808] as Array<Int>"#: (
    "dataCorrupted at [0]",
    "of a number that does not fit, Foundation does not name the path (COD-03)"
  ),
  #"[18446744073709551616] as Array<UInt64>"#: (
    "dataCorrupted at [0]",
    "of a number that does not fit, Foundation does not name the path (COD-03)"
  ),
  #"[256] as Array<UInt8>"#: (
    "dataCorrupted at [0]",
    "of a number that does not fit, Foundation does not name the path (COD-03)"
  ),
  #"[-1] as Array<UInt>"#: (
    "dataCorrupted at [0]",
    "of a number that does not fit, Foundation does not name the path (COD-03)"
  ),
  #"[1e300] as Array<Float>"#: (
    "dataCorrupted at [0]",
    "of a number that does not fit, Foundation does not name the path (COD-03)"
  ),
  #"{"age": 3} as Dog"#: (
    "keyNotFound super at ", "a key that is missing is missing, 'super' too (COD-05)"
  ),
]

var failures = 0
var seen: Set<String> = []
for one in cases {
  let expected = deliberate[one.name]
  if expected != nil { seen.insert(one.name) }
  if let expected, one.ours.description == expected.ours, one.ours != one.theirs { continue }
  if expected == nil, one.ours == one.theirs { continue }
  failures += 1
  print("\(one.name)\n  Lull:       \(one.ours)\n  Foundation: \(one.theirs)")
}
for name in deliberate.keys where !seen.contains(name) {
  failures += 1
  print("no case is called: \(name)")
}
print("\(cases.count) cases, \(deliberate.count) differ on purpose, \(failures) failed")
exit(failures == 0 ? 0 : 1)
