import Testing

@testable import LullHost

/// The annotations for editors: readable, complete.
@Suite(.timeLimit(.minutes(20)))
struct APIAnnotationTests {
  @Test func `every annotation can be read and every name in it is declared`() {
    let checker = LuaCATSChecker(APIAnnotations(.whole).text)
    #expect(checker.problems == [])
    let called = APIDescription.whole.owners.filter { $0.name != "os" }.flatMap(\.entries)
      .count { $0.kind == .function || $0.kind == .method }
    #expect(checker.functions.count == called)
  }

  @Test func `the checker finds what is wrong`() {
    let cases: [(String, String)] = [
      ("---@class A\n---@class A", "declared twice"), ("---@param x Foo", "'Foo' is not declared"),
      ("---@return string|", "'' is not declared"), ("---@field a fun(x string)", "':' expected"),
      ("---@field a-b string", "no name of a field"), ("---@retrun string", "unknown tag"),
      ("---@field a string string", "what follows the type"),
      ("---@field a (string", "')' expected"),
      ("---@param a string\nfunction f(b) end", "annotated"),
      ("--- @param a string", "would be read"),
      ("---@overload string", "no function"), ("---| \"a\"", "no choice"),
      ("---@field a table<string, X>", "'X' is not declared"), ("---@operator foo: any", "unknown"),
    ]
    for (text, problem) in cases {
      let found = LuaCATSChecker(text).problems
      #expect(found.contains { $0.contains(problem) }, "\(text): \(found)")
    }
    let fine = """
      ---@class lull.A: table
      ---@field [string] string|string[]|nil
      ---@field f? fun(x: string, y?: any, ...: any): string?, lull.A[] # text
      ---@field t { a?: (string|number)[], b: table<string, fun()> }
      ---@operator len: integer
      ---@overload fun(): any
      local A = {}
      ---@param ... any
      ---@return any ...
      function A:f(...) end
      """
    #expect(LuaCATSChecker(fine).problems == [])
  }

  @Test func `the annotations are Lua and declare what the module has`() throws {
    let harness = try HostHarness()
    let end = harness.run(
      """
      local declared = assert(load([====[\(APIAnnotations(.whole).text)]====], "=lull.d.lua"))()
      local problems = {}
      local function compare(path, a, b, what)
        for name, value in pairs(a) do
          local other = rawget(b, name)
          if type(value) == "function" and type(other) ~= "function" then
            problems[#problems + 1] = path .. "." .. name .. what
          elseif type(value) == "table" and value ~= lull.null and type(other) == "table" then
            compare(path .. "." .. name, value, other, what)
          end
        end
      end
      compare("lull", lull, declared, " is not declared")
      compare("lull", declared, lull, " does not exist")
      table.sort(problems)
      return #problems == 0 and "fine" or table.concat(problems, "\\n")
      """)
    let missing = APIDescriptionGaps.notYetBuilt.filter { $0.hasPrefix("lull.") }.sorted()
    let expected =
      missing.isEmpty ? "fine" : missing.map { $0 + " does not exist" }.joined(separator: "\n")
    #expect(end == .finished(expected))
    harness.finish()
  }

  @Test func `every member that is called or read is declared`() {
    let text = APIAnnotations(.whole).text
    for owner in APIDescription.whole.owners where owner.name != "os" {
      for entry in owner.entries {
        let declaration =
          switch entry.kind {
          case .function: "\nfunction \(owner.name).\(entry.name)("
          case .method: "\nfunction \(owner.name):\(entry.name)("
          case .property: "\n---@field \(entry.name)"
          case .field: "\n---@field \(entry.name == "<stage>" ? "[string]" : entry.name)"
          case .word: "\n---| \"\(entry.name)\" # "
          case .operation: entry.name == "__call" ? "\n---@overload fun(" : ""
          }
        #expect(declaration.isEmpty || text.contains(declaration), "\(owner.name).\(entry.name)")
      }
    }
  }
}
