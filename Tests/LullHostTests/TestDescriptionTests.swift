import LullHost
import LullSystem
import Testing

@testable import LullTestRunner

/// The description of `lull.test` against what a test has.
@Suite(.timeLimit(.minutes(20)))
struct TestDescriptionTests {
  /// What gives an object of that name in a test.
  private static let objects = [
    "TestModule": "test", "Test": "t", "TestClock": "t.clock", "TestNetwork": "t.network",
    "Expectation": "t.expect(1)",
  ]

  private func failures(of body: String) throws -> [String] {
    let folder = try #require(TemporaryFolder("lull-test"))
    defer { folder.remove() }
    let file = "\(folder.path)/a_test.lua"
    let text = "local test = require \"lull.test\"\ntest(\"a\", function(t)\n\(body)\nend)\n"
    #expect(AtomicFile.write(Array(text.utf8), to: Array(file.utf8), .usual) == nil)
    var settings = TestSettings()
    settings.folder = folder.path
    let run = TestRun(settings: settings) { [] }
    let reply = run.carryOut(TestOrder(file: file, number: 1, name: "a"))
    return reply.failures + (reply.unreadable.map { [$0] } ?? [])
  }

  @Test func `PRV-80 what is described of tests is there, and no other`() throws {
    for owner in TestCase.testTypes {
      guard case .object = owner.kind else { continue }
      let object = try #require(TestDescriptionTests.objects[owner.name], "\(owner.name)")
      for entry in owner.entries where entry.kind != .operation {
        let found = try failures(of: "local _ = \(object).\(entry.name)")
        // That no method is called on the expectation. (PRV-46)
        let other = found.filter { !$0.contains("t.expect(…) expects nothing") }
        #expect(other == [], "\(owner.name).\(entry.name)")
      }
      #expect(try failures(of: "local _ = \(object).no_such_member").count == 1)
    }
  }

  @Test func `PRV-80 the fields of its tables are those described`() throws {
    let answer = try #require(TestCase.testTypes.first { $0.name == "TestAnswer" })
    for field in answer.entries.map(\.name) + ["status", "headers", "body", "json", "text"] {
      let value = [
        "delay": "1", "fail": "'reset'", "status": "201", "headers": "{}", "json": "{}",
      ][field]
      let text = "t.network:on('GET', '/a', { \(field) = \(value ?? "'a'") })"
      let found = try failures(of: text)
      #expect(found == [], "\(field)")
    }
    for (table, taker) in [
      ("TestServiceOptions", "t:service('https://x.test', { %s = 7 })"),
      ("TestAPIOptions", "t:api('x', { %s = 7 })"),
    ] {
      let options = try #require(TestCase.testTypes.first { $0.name == table })
      for name in options.entries.map(\.name) + ["no_such_key"] {
        let failure = try failures(of: taker.replacing("%s", with: name)).first ?? ""
        #expect(failure.contains("'cassette' must be") == (name != "no_such_key"), "\(failure)")
      }
    }
    let exchange = try #require(TestCase.testTypes.first { $0.name == "TestExchange" })
    let names = exchange.entries.map { "\($0.name) = true" }.joined(separator: ", ")
    #expect(
      try failures(
        of: """
          local names = { \(names) }
          t.network:on("POST", "/a", { fail = "reset" }, {})
          for _ = 1, 2 do t:service("https://x.test")("/a"):request("POST", { text = "b" }):await() end
          for _, exchange in ipairs(t.exchanges) do
            for name in pairs(exchange) do t.expect(names[name]):to_be(true) end
            for name in pairs(names) do
              t.expect(t.exchanges[1][name] ~= nil or t.exchanges[2][name] ~= nil):to_be(true)
            end
          end
          """) == [])
  }
}
