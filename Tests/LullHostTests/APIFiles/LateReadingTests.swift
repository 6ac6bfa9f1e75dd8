import LullLuaSource
import LullTestSupport
import LullTesting
import Testing

@testable import LullClients
@testable import LullHost

/// Calls of API files that are read when they are used.
@Suite(.timeLimit(.minutes(20)))
struct LateReadingTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// The description and the calls of a file, or the error that keeps it from being loaded: of each call what it
  /// says, or what is wrong with it.
  ///
  /// - Parameter atOnce: whether all calls are read before each is asked for by its name.
  private func contents(_ text: [UInt8], atOnce: Bool = false) throws -> [String] {
    let path = folder.path + "/a.lua"
    try folder.write(text, to: path)
    let harness = try HostHarness()
    let files = harness.host.part(APIFiles.self)
    var lines: [String] = []
    do throws(APIFileProblem) {
      let api = try files.api(path)
      lines.append(api.description ?? "-")
      var wrong: String?
      let all = atOnce ? Result { () throws(APIFileProblem) in try api.calls } : nil
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
          lines.append(LateReadingTests.shown(call))
        } catch {
          lines.append(name + ": " + LateReadingTests.shown(files.describe(error)))
          wrong = wrong ?? "\(error)"
        }
      }
      switch all {
      case .success(let calls)?:
        #expect(calls.map(\.name) == api.callNames)
        #expect(wrong == nil)
      case .failure(let problem)?: #expect("\(problem)" == wrong)
      case nil: break
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

  private func compare(_ text: [UInt8]) throws {
    let late = try contents(text)
    // Of several mistakes in one call that is told which the interpreter comes to first.
    var known: [Set<String>] = []
    for _ in 0..<40 {
      let whole = try contents(text, atOnce: true)
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
    for seed in 0..<100 {
      var generator = GeneratedAPIFile(seed: UInt64(part * 1000 + seed))
      try compare(Array(generator.text().utf8))
    }
  }

  @Test(arguments: 0..<4)
  func `APIF-10 a file that is damaged says the same, too`(part: Int) throws {
    for seed in 0..<120 {
      var source = GeneratedAPIFile(seed: UInt64(part * 1000 + seed))
      var generator = SeededGenerator(seed: UInt64(part * 1000 + seed))
      try compare(LateReadingTests.damaged(Array(source.text().utf8), &generator, from: 60))
    }
  }

  @Test(arguments: ["github.lua", "sample.lua"])
  func `APIF-10 any bytes are looked through without harm`(name: String) throws {
    let text = try #require(GeneratedFile.read(GeneratedFile.root + "/Examples/apis/" + name))
    let bytes = Array(text.utf8)
    let calls = try #require(TableLayout(resultOf: bytes)?["calls"]).fields
    #expect(!calls.isEmpty)
    for call in calls {
      let found = TableLayout(ofOnlyKey: call.name, in: bytes)
      #expect(found == nil || found?.positions == call.table?.positions)
    }
    for seed in 0..<300 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let damaged = LateReadingTests.damaged(bytes, &generator, from: 0)
      for call in calls { _ = TableLayout(ofOnlyKey: call.name, in: damaged) }
    }
    try compare(bytes)
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
    ("return { calls = { a = { path = '/', params = {} } } }", ["path", "params"]),
    ("return { calls = { ['a'] = { x = { y = 1 }, z = 2 } } }", ["x", "z"]),
    (
      "return { calls = { [ \"a\" --[[ it ]] ] = { [1] = 1, z = 2 } }, aa = { b = 1 } }", ["", "z"]
    ),
    ("local b = t.a return { calls = { a = { x = 1 }, ba = { y = 1 } } }", ["x"]),
  ])
  func `APIF-10 the table of a key is found without the rest of the text`(
    text: String, names: [String]
  ) {
    let layout = TableLayout(ofOnlyKey: "a", in: Array(text.utf8))
    #expect(layout?.fields.map(\.name) == names)
  }

  @Test(arguments: [
    "", "a", "a =", "a = {", "a = { b", "return { a = 1 }", "return { a = f{} }", "a == {}",
    "return { a = { x = 1 }, b = { a = { y = 1 } } }", "return { ['\\97'] = { x = 1 } }",
  ])
  func `APIF-10 where it is not plain which table that is none is found`(text: String) {
    #expect(TableLayout(ofOnlyKey: "a", in: Array(text.utf8)) == nil)
  }

  @Test func `APIF-09 hostile nesting is looked through in a walk`() {
    let count = 2_000
    let texts = [
      String(repeating: "return {a={", count: count),
      "return { calls = { a = " + String(repeating: "{", count: count),
      "return { calls = { a = f" + String(repeating: "([", count: count),
      String(repeating: "return { a = [=[", count: count), String(repeating: "--[[", count: count),
    ]
    for text in texts { #expect(TableLayout(ofOnlyKey: "a", in: Array(text.utf8)) == nil) }
  }
}
