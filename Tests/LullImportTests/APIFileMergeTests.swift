import LullImport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct APIFileMergeTests {
  private let base = """
    -- Imported
    local lull = require "lull"

    local api = lull.service{ base_url = "https://a.example" }

    return {
      service = api,
      calls = {
        one = { path = "/one", params = { a = "string", b = "integer" }, description = "One" },
        two = {
          path = "/two",
          params = {
            a = "string",
          },
        },
        three = { path = "/three" },
      },
    }

    """

  private func merged(_ user: String, _ new: String) -> String {
    switch APIFileMerge.merge(base: Array(base.utf8), user: Array(user.utf8), new: Array(new.utf8))
    {
    case .merged(let bytes): String(decoding: bytes, as: UTF8.self)
    case .conflicts(let conflicts):
      conflicts.map { "\($0.line): \($0.text)" }.joined(separator: "\n")
    }
  }

  @Test func `IMP-20 a second import keeps edits and takes what the document has changed`() {
    let user =
      base
      .replacing("description = \"One\"", with: "description = \"The first\"")
      .replacing("https://a.example\" }", with: "https://a.example\", timeout = 5 }")
      .replacing(
        "        a = \"string\",\n", with: "        -- of mine\n        a = \"string\", -- text\n"
      )
      .replacing(
        "    three = { path = \"/three\" },\n",
        with: "    mine = { path = \"/mine\" },\n    three = { path = \"/three\" },\n")
    let new =
      base
      .replacing("b = \"integer\"", with: "b = \"number\", c = \"json\"")
      .replacing(
        "        a = \"string\",\n", with: "        a = \"string\",\n        z = \"boolean\",\n"
      )
      .replacing(
        "    three = { path = \"/three\" },\n",
        with: "    four = {\n      path = \"/four\",\n    },\n"
      )
      .replacing("-- Imported", with: "-- Imported anew")
    #expect(
      merged(user, new) == """
        -- Imported anew
        local lull = require "lull"

        local api = lull.service{ base_url = "https://a.example", timeout = 5 }

        return {
          service = api,
          calls = {
            one = { path = "/one", params = { a = "string", b = "number", c = "json" }, description = "The first" },
            two = {
              path = "/two",
              params = {
                -- of mine
                a = "string", -- text
                z = "boolean",
              },
            },
            four = {
              path = "/four",
            },
            mine = { path = "/mine" },
          },
        }

        """)
    #expect(merged(base, new) == new)
    #expect(merged(user, base) == user)
    #expect(merged(new, new) == new)
  }

  @Test func `IMP-20 bytes of somebody's that are no UTF-8 stay what they are`() throws {
    func bytes(_ text: String) -> [UInt8] { Array(text.utf8).map { $0 == 0x7F ? 0xE9 : $0 } }
    let user =
      base.replacing("local api", with: "-- caf\u{7F}\nlocal api")
      .replacing("    three", with: "    -- caf\u{7F}\n    three") + "-- caf\u{7F}\n"
    let new = base.replacing("-- Imported", with: "-- Imported anew")
      .replacing("path = \"/two\"", with: "path = \"/2\"")
    guard
      case .merged(let merged) = APIFileMerge.merge(
        base: Array(base.utf8), user: bytes(user), new: Array(new.utf8))
    else {
      Issue.record("conflicts")
      return
    }
    let expected = user.replacing("-- Imported", with: "-- Imported anew")
      .replacing("path = \"/two\"", with: "path = \"/2\"")
    #expect(merged == bytes(expected))
  }

  @Test func `IMP-20 functions that somebody has written stay, whatever they return`() {
    let user = base.replacing(
      "three = { path = \"/three\" }",
      with: """
        three = { path = "/three", mock = function(request)
              if request.body then return { json = {}, calls = {} } end
              for _ = 1, 2 do local t = { 1, 2 } end
              repeat local done = true until done
              return { json = { calls = {} } }
            end }
        """)
    let new = base.replacing("path = \"/two\"", with: "path = \"/2\"")
    #expect(merged(user, new) == user.replacing("path = \"/two\"", with: "path = \"/2\""))
    #expect(merged(user + ";", new) == merged(user, new) + ";")
  }

  @Test func `IMP-21 what both have changed is a conflict with its line`() {
    let user = base.replacing("b = \"integer\"", with: "b = \"boolean\"")
      .replacing("path = \"/three\"", with: "path = \"/tree\"")
      .replacing("https://a.example", with: "https://b.example")
    let new = base.replacing("b = \"integer\"", with: "b = \"number\"")
      .replacing("    three = { path = \"/three\" },\n", with: "")
      .replacing("https://a.example", with: "https://c.example")
    #expect(
      merged(user, new) == """
        4: changed both here and in the document, which has: local api = lull.service{ base_url = "https://c.example" }
        9: 'one.params.b' is changed both here and in the document, which has "number"
        16: 'three' is changed here, but removed from the document
        """)
    #expect(
      merged("return lull.service{}", new).hasPrefix(
        "1: the file does not end with 'return { …, calls"))
  }

  @Test func `IMP-22 what was taken away stays so, and layout says nothing`() {
    let user = base.replacing("    three = { path = \"/three\" },\n", with: "")
      .replacing(
        "{ path = \"/one\", params = { a = \"string\", b = \"integer\" }, description = \"One\" }",
        with:
          "{\n      path = \"/one\", params = { a = \"string\", b = \"integer\", },\n      description = \"One\" }"
      )
    let new = base.replacing("path = \"/three\"", with: "path = \"/3\"")
      .replacing("description = \"One\"", with: "description = \"1\"")
    let text = merged(user, new)
    #expect(
      text.contains(
        "one = {\n      path = \"/one\", params = { a = \"string\", b = \"integer\", },\n      description = \"1\" },"
      ))
    #expect(!text.contains("three"))
    #expect(
      merged(
        base.replacing("{ a = \"string\", b = \"integer\" }", with: "{}"),
        new.replacing("b = \"integer\"", with: "b = \"integer\", c = \"json\"")
      ).contains("params = { c = \"json\" }"))
  }
}
