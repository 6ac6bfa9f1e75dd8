import LullClients
import LullCore
import LullTestSupport
import LullTesting
import Testing

@testable import LullHost

/// Which expressions need not have all pages, and that it makes no difference to what they give.
@Suite("Filters page by page", .timeLimit(.minutes(20)))
struct StreamedFilterTests {
  @Test(
    arguments: [
      ("x", StreamedFilter.elements), ("map(x, 'id')", .elements),
      ("map(filter(x, function(v) return v.n > 2 end), 'a.b')", .elements),
      ("pick(flatten(map(x, 'items')), 'id', \"name\")", .elements),
      ("map(x, tostring)", .elements), ("map(x, string.upper)", .elements),
      ("map(x, function(x) return x.id end)", .elements),
      ("map(x, function(v) return { x = v.id, y = #v.list } end)", .elements),
      (
        "map(x, function(v) local s = 0 for i, n in ipairs(v.l) do if n then print = s end end "
          + "return s end)", nil
      ),
      (
        "map(x, function(v) local s, t = v.a, v.b if s then return s elseif t then return t else "
          + "return 0 end end)", .elements
      ),
      ("first(x)", .one), ("first(map(x, 'id'), 3)", .first(3)), ("filter(x)", .elements),
      // What is of all of them.
      ("sort_by(x, 'id')", nil), ("sum(x, 'n')", nil), ("#x", nil), ("x[1]", nil), ("x.items", nil),
      ("map(x, y)", nil), ("map(x, function(v) return #x end)", nil), ("map(x, 'a')[1]", nil),
      ("map(x, function(v) n = (n or 0) + 1 return n end)", nil),
      ("map(x, function(v) for x = 1, 2 do end return #x end)", nil),
      (
        "filter(x, function(v) return count(filter(x, function(x) return x.n == v.n end)) > 2 end)",
        nil
      ),
      ("map(x, function(v) return n end)", nil), ("map(x, math.random)", nil),
      ("map(x, function() return math.random() end)", nil), ("map(x, 'id'), 1", nil),
      ("map(x, (function() return 'id' end)())", nil), ("map(x, 'a' .. 'b')", nil),
      ("first(x, n)", nil), ("first(sort_by(x, 'id'))", nil), ("map(reverse(x), 'id')", nil),
      ("map(x, function(v) return _G end)", nil), ("map(x, function(v) io.read() end)", nil),
      ("map(x, function(v) return v", nil), ("", nil), ("map(x", nil), ("pick(x)", nil),
    ] as [(String, StreamedFilter?)])
  func `FLT-13 only what is made of each element alone is made page by page`(
    expression: String, expected: StreamedFilter?
  ) {
    #expect(StreamedFilter(FilterText(expression)) == expected)
  }

  private static let expressions = [
    "x", "map(x, 'n')", "map(x, function(v) return { v.n, v.name } end)", "filter(x, 'n')",
    "filter(x, function(v) return type(v.n) == 'number' and v.n > 3 end)", "pick(x, 'name', 'n')",
    "flatten(map(x, 'l'))", "map(filter(x, 'l'), function(v) return #v.l end)",
    "first(x)", "first(map(x, 'n'), 3)", "first(flatten(x), 0)", "flatten(x, 2)",
  ]

  @Test func `FLT-13 what is made page by page is what is made of all`() throws {
    let harness = try HostHarness()
    var random = SeededGenerator(seed: 18)
    let service = Service(
      baseURL: "https://a.test", networking: harness.provider, pump: harness.host.pump)
    for text in Self.expressions {
      let whole = FilterText(text)
      let filter = try ContentFilter(harness.host, whole)
      let innerText: FilterText = try #require(StreamedFilter.inner(of: whole))
      let inner = try ContentFilter(harness.host, innerText)
      let wanted = try #require(StreamedFilter(whole))
      for _ in 0..<20 {
        let pages = (0..<random.below(4)).map { _ in
          (0..<random.below(5)).map { _ in element(&random) }
        }
        func made(_ filter: ContentFilter, _ elements: [String]) throws -> [UInt8] {
          let bytes = Array("[\(elements.joined(separator: ","))]".utf8)
          return try filter.json(
            of: .json(try JSONDocument(parsing: bytes)), service: service, spelledBy: bytes,
            isOfPages: true)
        }
        var parts: [String] = []
        for page in pages {
          for part in JSONText(valid: try made(inner, page)).lines { parts.append(spelled(part)) }
        }
        switch wanted {
        case .elements: break
        case .first(let count): parts = Array(parts.prefix(count))
        case .one: parts = [parts.first ?? "null"]
        }
        let joined = parts.joined(separator: ",")
        let all = JSONText(valid: try made(filter, pages.flatMap(\.self)))
        #expect(spelled(all) == (wanted == .one ? joined : "[\(joined)]"), "\(text): \(pages)")
      }
    }
  }

  private func spelled(_ text: JSONText) -> String {
    var bytes: [UInt8] = []
    text.write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func element(_ random: inout SeededGenerator) -> String {
    var fields = ["\"name\":\"a\(random.below(9))\""]
    if random.chance(2) { fields.append("\"n\":\(random.below(9))") }
    if random.chance(4) { fields.append("\"n\":null") }
    if random.chance(2) {
      let list = (0..<random.below(3)).map { "\($0).50" }
      fields.append("\"l\":[\(list.joined(separator: ","))]")
    }
    return "{\(fields.joined(separator: ","))}"
  }
}
