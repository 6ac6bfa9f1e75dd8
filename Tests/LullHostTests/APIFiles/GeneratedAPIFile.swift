import LullTestSupport

/// The text of an API file, with whatever may stand in one: right and wrong, data and more.
struct GeneratedAPIFile {
  private var generator: SeededGenerator
  /// Of the calls of the file that is being made.
  private var names = 0

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private mutating func pick(_ texts: [String]) -> String { generator.pick(texts) ?? "" }

  mutating func text() -> String {
    names = 0
    var text = "do local calls end " + pick(["", "-- calls\n", "--[[ calls = {\n} ]]", "\r\n\n"])
    text += oddly(
      "local lull = require \"lull\"\n",
      [
        "local lull = require \"lull\"\n", "local lull = require('lull');", "local lull = lull\n",
        "local lull = require\n  \"lull\" -- it\n", "", "local lull, calls = require \"lull\", 1\n",
        "do local lull = require \"lull\" end\n", "local lull = require \"lull\" or 1\n",
      ])
    text += "local api = require(\"lull\").service(\"https://a.example/v1\")\n"
    text += "local function twice(t) return { path = t.path } end\n"
    text += oddly(
      "local s = '\\'}{'",
      [
        "", "local function twice(t) return { path = t.path } end\n",
        "local x = [==[\n]] return {]==]\n",
        "local calls = { a0 = 1 }\n", "if false then return { service = api, calls = {} } end\n",
        "local s = '\\'calls' -- \"\n", "local n = 0x1p-3 + 1e5\n", "_G.lull = _G.lull\n",
        "goto on ::on::\n",
      ])
    text += "return {" + blank() + "service = api," + blank()
    if generator.chance(3) { text += "description = " + string() + ";" + blank() }
    if generator.chance(6) { text += "['description'] = 'x'," }
    if generator.chance(8) { text += "schemas = 'x.schemas.json'," }
    text += "calls" + blank() + "=" + blank() + "{" + blank()
    for _ in 0..<generator.below(7) {
      text += entry() + blank() + pick([",", ";", ","]) + blank()
    }
    if generator.chance(2) { text += entry() + blank() }
    text += "}" + blank() + pick([",", "", ", service = api", ";"]) + blank() + "}"
    return text + oddly("\n", [";", " -- end", " --[[ end ]] ", "\n;\n", " x", "\0", " end"])
  }

  /// Most often the usual text.
  private mutating func oddly(_ usual: String, _ others: [String]) -> String {
    generator.chance(3) ? pick(others) : usual
  }

  private mutating func blank() -> String {
    pick([
      "", " ", "\n", "\n  ", "\t", "-- a, } comment\n", "--[[ one\n { ]]", "\r\n", " ", "\n    ",
      "--\n",
      "--[==[ ]] ]==]",
    ])
  }

  private mutating func string() -> String {
    pick([
      "\"x\"", "'}, b = {'", "[[a\nb]]", "[==[\n]]]==]", "\"\\\"}\\\\\"", "'\\z \n  x'",
      "\"\\u{48}\\x41\\065\"",
      "\"é\"", "'\\q'", "\"\\300\"", "'\\400'", "\"\"", "'calls'", "\"\\u{202E}\"", "'a\\nb'",
      "\"\\u{110000}\"",
    ])
  }

  private mutating func value(_ depth: Int = 0) -> String {
    switch generator.below(depth > 3 ? 8 : 14) {
    case 0: return string()
    case 1:
      return pick([
        "1", "-1", "- 2.5", "0x1F", "1e3", "3.", ".5", "9999999999999999999999", "1..2", "7x",
      ])
    case 2: return pick(["true", "false", "nil"])
    case 3: return pick(["lull.null", "print", "lull.secret", "a0", "lull.secret.env"])
    case 4: return "lull.secret{" + blank() + "env = 'HOME' }"
    case 5: return "lull.secret({ env = 'HOME' })"
    case 6:
      return pick([
        "function(a, b) return { a, b } end", "1 + 1", "'a' .. 'b'", "#'x'", "not nil", "('x')",
      ])
    case 7: return "-- c\n" + string()
    default:
      var text = "{" + blank()
      for _ in 0..<generator.below(4) {
        text += field(depth + 1) + blank() + pick([",", ";"]) + blank()
      }
      if generator.chance(3) { text += field(depth + 1) }
      return text + blank() + "}"
    }
  }

  private mutating func field(_ depth: Int) -> String {
    switch generator.below(6) {
    case 0: return value(depth)
    case 1: return "[" + blank() + string() + blank() + "] = " + value(depth)
    case 2: return pick(["[1]", "[ -1 ]", "[true]", "[1.5]", "[{}]"]) + " = " + value(depth)
    default:
      return pick(["id", "x", "type", "default", "end", "reserved", "calls", "a0", "per_page"])
        + blank() + "="
        + blank() + value(depth)
    }
  }

  private mutating func entry() -> String {
    let name = generator.chance(12) ? pick(["a0", "a1"]) : "a\(names)"
    names += 1
    let key: String
    switch generator.below(20) {
    case 0: key = "[\"\(name)/get\"]"
    case 1: key = "['\(name)']"
    case 2: key = "[" + blank() + "\"\(name)\\z \n x\"" + blank() + "]"
    case 3:
      key = pick([
        "[\(string())]", "[1]", "['-x']", "[\"\\u{61}\(name)\"]", "['\(name)\\9']", "[name]",
        "[[[\(name)]]]",
        "['größe: \(name)']",
      ])
    default: key = name
    }
    switch generator.below(30) {
    case 0: return key + " = " + value()
    case 1: return key + " = " + call() + pick([" or nil", "", ".x"])
    case 2: return key + " = twice" + call()
    case 3: return call()
    default: return key + blank() + "=" + blank() + call()
    }
  }

  private mutating func call() -> String {
    var fields = [
      "path" + blank() + "= "
        + pick(["'/a/{id}'", "\"/b\"", "[[/c]]", "'/d/{x}?q={y}'", "1", "'/{'"])
    ]
    if generator.chance(9) { fields = [] }
    if generator.chance(2) { fields.append("description = " + string()) }
    if generator.chance(3) {
      fields.append("method = " + pick(["'POST'", "'put'", "\"x y\"", "1"]))
    }
    if generator.chance(2) {
      fields.append(
        "params = {" + blank()
          + pick([
            "id = 'integer'", "id = { type = 'string', reserved = true }, y = { 'up', 'down' }",
            "y = { type = 'number', default = -1.5 }, x = 'string[]'",
            "key = { default = lull.secret{ env = 'HOME' } }",
            "z = 'strng'", "z = { required = true, default = 1 }",
            "['per_page'] = { type = 'integer', default = 30 }",
          ]) + blank() + "}")
    }
    if generator.chance(4) {
      fields.append("pages = " + pick(["true", "{ page = { param = 'page' } }", "1"]))
    }
    if generator.chance(5) {
      fields.append("schema = " + pick(["'x'", "{ type = 'object' }", "true", "1"]))
    }
    if generator.chance(5) { fields.append("columns = { 'a', 'b' }") }
    if generator.chance(6) { fields.append("headers = { ['X-A'] = " + string() + " }") }
    if generator.chance(6) { fields.append("mock = function() return { json = 1 } end") }
    if generator.chance(6) { fields.append("example = " + value(2)) }
    if generator.chance(6) {
      fields.append("examples = { { json = { 1, 2 }, when = { y = 'up' } } }")
    }
    if generator.chance(8) { fields.append(field(1)) }
    fields.shuffle(using: &generator)
    return "{" + blank() + fields.map { $0 + blank() + "," + blank() }.joined() + blank() + "}"
  }
}
