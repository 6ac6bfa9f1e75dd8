import LullTestSupport
import LullTesting
import Testing

@testable import LullClients
@testable import LullHost

/// Calls of API files that are read when they are used.
@Suite(.timeLimit(.minutes(20)))
struct CallEntryTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private static func entries(_ text: String) -> CallEntries? { CallEntries(Array(text.utf8)) }

  /// What a file says, or why it cannot: its calls by name, each as far as it can be told, or what is wrong with it.
  private func contents(_ text: [UInt8], readsAll: Bool = false) throws -> [String] {
    let path = folder.path + "/a.lua"
    try folder.write(text, to: path)
    let harness = try HostHarness()
    let files = harness.host.part(APIFiles.self)
    var lines: [String] = []
    do throws(APIFileProblem) {
      let api = try files.api(path)
      lines.append(api.description ?? "-")
      var wrong: String?
      for name in api.callNames {
        do throws(APIFileProblem) {
          let listed = try api.listedCall(name)
          guard let call = try api.call(name) else {
            lines.append("none")
            continue
          }
          #expect(listed?.path == call.path && listed?.method == call.method)
          #expect(listed?.description == call.description)
          #expect(listed?.openPlaces == call.openPlaces)
          lines.append(CallEntryTests.shown(call))
        } catch {
          lines.append(name + ": " + CallEntryTests.shown(files.describe(error)))
          wrong = wrong ?? "\(error)"
        }
      }
      if readsAll {
        do throws(APIFileProblem) {
          #expect(try api.calls.map(\.name) == api.callNames)
          #expect(wrong == nil)
        } catch {
          #expect("\(error)" == wrong)
        }
      }
    } catch {
      lines.append(files.describe(error))
    }
    harness.close()
    return lines
  }

  /// A report, but of what no JSON is made of in a table not which of several things it is.
  private static func shown(_ report: String) -> String {
    let mark = "cannot be encoded: "
    return report.split(separator: "\n").map { line in
      line.firstRange(of: mark).map { line[..<$0.upperBound] } ?? line
    }.joined(separator: "\n")
  }

  /// All of a call, but of functions and schemas only whether they are there.
  private static func shown(_ call: APICall) -> String {
    var call = call
    let traits = [call.mock.function != nil, call.pages?.function != nil, call.schema != nil]
    call.mock.function = nil
    call.pages?.function = nil
    call.schema = nil
    var text = ""
    dump(call, to: &text)
    return text.replacing("\n", with: ";") + "\(traits)"
  }

  /// The same text, which is read as a whole since something in it is called as the table of calls is.
  private static func whole(_ text: [UInt8]) -> [UInt8] {
    let mark = Array("colls".utf8)
    guard let range = text.firstRange(of: mark) else { return text }
    return Array(text[..<range.lowerBound]) + Array("calls".utf8) + text[range.upperBound...]
  }

  private func compare(_ text: [UInt8], readsAll: Bool = false) throws {
    let late = try contents(text, readsAll: readsAll).map { $0.replacing("colls", with: "calls") }
    // Of several mistakes in one call that is told which the interpreter comes to first.
    var known: [Set<String>] = []
    for _ in 0..<40 {
      let whole = try contents(CallEntryTests.whole(text))
      if known.isEmpty { known = whole.map { [$0] } }
      guard whole.count == known.count else { break }
      for place in whole.indices { known[place].insert(whole[place]) }
      if late.count == known.count, zip(late, known).allSatisfy({ $1.contains($0) }) { return }
    }
    let place = zip(late, known).enumerated().first { !$1.1.contains($1.0) }
    Issue.record(
      "\(late.count) of \(known.count): \(String(describing: place)) in \(String(decoding: text, as: UTF8.self))"
    )
  }

  @Test(arguments: 0..<8)
  func `APIF-10 a file says the same whether its calls are read late or at once`(part: Int) throws {
    var found = 0
    for seed in 0..<100 {
      var generator = GeneratedAPIFile(seed: UInt64(part * 1000 + seed))
      let text = Array(generator.text().utf8)
      if let entries = CallEntries(text) {
        found += 1
        #expect(entries.rest.count { $0 == 10 } == text.count { $0 == 10 })
      }
      try compare(text, readsAll: seed % 5 == 0)
    }
    #expect(found > 5)
  }

  @Test(arguments: 0..<4)
  func `APIF-10 a file that is damaged says the same, too`(part: Int) throws {
    var found = 0
    let sources = (0..<200).map { seed in
      var source = GeneratedAPIFile(seed: UInt64(part * 1000 + seed))
      return Array(source.text().utf8)
    }.filter { CallEntries($0) != nil }
    for seed in 0..<120 {
      var generator = SeededGenerator(seed: UInt64(part * 1000 + seed))
      let source = sources[seed % sources.count]
      let text = CallEntryTests.damaged(source, &generator, from: 60)
      if CallEntries(text) != nil { found += 1 }
      try compare(text)
    }
    #expect(found > 5)
  }

  @Test(arguments: ["github.lua", "sample.lua"])
  func `APIF-10 any bytes are looked through without harm`(name: String) throws {
    let text = try #require(GeneratedFile.read(GeneratedFile.root + "/Examples/apis/" + name))
    let bytes = Array(text.utf8)
    let entries = try #require(CallEntries(bytes))
    #expect(!entries.all.isEmpty)
    for length in bytes.indices { _ = CallEntries(Array(bytes[..<length])) }
    for seed in 0..<3000 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let damaged = CallEntryTests.damaged(bytes, &generator, from: 0)
      guard let entries = CallEntries(damaged) else { continue }
      for entry in entries.all { _ = entries.text(of: [entry]) }
    }
    try compare(Array(("local colls = 1 " + text).utf8))
  }

  /// - Parameter start: what stands before stays.
  private static func damaged(
    _ bytes: [UInt8], _ generator: inout SeededGenerator, from start: Int
  ) -> [UInt8] {
    var bytes = bytes
    for _ in 0...generator.below(3) where bytes.count > start + 1 {
      let place = start + generator.below(bytes.count - start)
      switch generator.below(5) {
      case 0: bytes.remove(at: place)
      case 1: bytes[place] = generator.pick(Array("{}[](),;=\"'\\-\n\r\0xé".utf8)) ?? 0
      case 2: bytes.insert(generator.pick(Array("{}[](),;=\"'\\-\n \r.".utf8)) ?? 0, at: place)
      case 3: bytes.removeSubrange(place..<min(bytes.count, place + generator.below(20)))
      default: bytes.removeLast(min(bytes.count - place, generator.below(10)))
      }
    }
    return bytes
  }

  @Test(arguments: [
    "return { service = s, calls = { a = { path = '/' } } }",
    "local lull = require 'lull' return { calls = { a = { params = { k = { default = lull.secret{ env = 'X' } } } } } }",
    "return { service = f(function() local a, b = 1, 2 end), calls = { ['a/b'] = { path = [[/]] }; }, };\n",
    "#\nlocal f = function() return { x = 1 } end\nreturn { calls = { b = f{}, a = { path = '/', pages = { 1, 2.5 } } } }",
  ])
  func `APIF-09 calls that stand in a file as data are known without being read`(text: String) {
    let text = text.replacing("#\n", with: "--\n")
    #expect(CallEntryTests.entries(text)?.all.count == 1, "\(text)")
  }

  @Test(arguments: [
    "", "return", "return {", "return { calls = {} }", "return { calls = { a = { path = p } } }",
    "return { calls = { a = { path = '/', mock = function() end } } }",
    "return { calls = { a = { path = '/' }, a = { path = '/x' } } }",
    "return { calls = { a = { path = '/' }, [n] = { path = '/x' } } }",
    "return { calls = { a = { path = '/' } }, calls = {} }",
    "return { calls = { a = { path = '/' } } }, 1", "return { calls = { a = { path = '/' } } } end",
    "return f{ calls = { a = { path = '/' } } }", "x = { calls = { a = { path = '/' } } }",
    "local t = { calls = 1 } return { calls = { a = { path = '/' } } }",
    "return { calls = { a = { path = '/' }, ['-x'] = f } }",
    "return { calls = { a = { k = lull.secret{ env = 'X' } } }, x = function(lull) end }",
    "return { x = f(function(lull) end), calls = { a = { k = lull.secret{ env = 'X' } } } }",
    "do local lull = require 'lull' end return { calls = { a = { k = lull.secret{ env = 'X' } } } }",
    "return { calls = { a = { path = '/'\r } } }",
    "return { calls = { a = { path = '/', end = 1 } } }",
    "\u{1B}return { calls = { a = { path = '/' } } }",
  ])
  func `APIF-09 where it is not plain which calls are data all are read at once`(text: String) {
    #expect(CallEntryTests.entries(text) == nil, "\(text)")
  }

  @Test func `APIF-09 hostile nesting is looked through in a walk`() {
    let count = 20_000
    let texts = [
      String(repeating: "return {a={", count: count),
      String(repeating: "return { calls = {", count: count),
      "return { calls = { a = " + String(repeating: "{", count: count),
      "return { calls = { a = f" + String(repeating: "([", count: count),
      String(repeating: "return { x = [=[", count: count), String(repeating: "--[[", count: count),
    ]
    for text in texts { #expect(CallEntryTests.entries(text) == nil) }
  }
}
