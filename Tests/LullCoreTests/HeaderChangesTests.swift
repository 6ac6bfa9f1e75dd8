import LullCore
import LullTesting
import Testing

@Suite("Which headers have changed", .timeLimit(.minutes(20)))
struct HeaderChangesTests {
  @Test func `are those with other values`() {
    let before = Headers([("A", "1"), ("B", "2"), ("C", "3")])
    func changed(_ change: (inout Headers) -> Void) -> [String] {
      var after = before
      change(&after)
      let names = after.changedNames(since: before)
      #expect(before.changedNames(since: after) == names)
      return names.sorted()
    }
    #expect(changed { _ in } == [])
    #expect(changed { $0["b"] = "2" } == [])
    #expect(changed { $0["b"] = "22" } == ["b"])
    #expect(changed { $0["b"] = nil } == ["b"])
    #expect(changed { $0.add("A", "1") } == ["a"])
    #expect(changed { $0["BB"] = "2" } == ["bb"])
    #expect(changed { $0.removeAll() } == ["a", "b", "c"])
    #expect(
      changed {
        $0["A"] = "2"
        $0["D"] = ""
      } == ["a", "d"])
  }

  /// Against comparing every name.
  @Test func `are found wherever they stand`() {
    var state: UInt64 = 7
    func random(_ limit: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % limit)
    }
    for _ in 0..<3000 {
      var before = Headers()
      for _ in 0..<random(6) { before.add("h\(random(4))", "v\(random(3))") }
      var after = before
      for _ in 0..<random(4) {
        switch random(3) {
        case 0: after.add("h\(random(4))", "v\(random(3))")
        case 1: after["h\(random(4))"] = "v\(random(3))"
        default: after.remove("h\(random(4))")
        }
      }
      let expected = Set((0..<4).map { "h\($0)" }.filter { after.values($0) != before.values($0) })
      #expect(after.changedNames(since: before) == expected, "\(before.pairs) \(after.pairs)")
    }
  }

  /// Each is looked for among all the others.
  @Test func `are set once among thousands`() {
    var headers = Headers()
    for index in 0..<2000 { headers["X-Name-\(index)"] = "\(index)" }
    for index in stride(from: 0, to: 2000, by: 7) { headers["x-nAME-\(index)"] = "new" }
    for index in stride(from: 3, to: 2000, by: 7) { headers["X-Name-\(index)"] = nil }
    let received = Array("Late: 1\r\n".utf8)
    let isTaken = received.withUnsafeBufferPointer { headers.appendReceivedLine($0) }
    #expect(isTaken)
    headers["LATE"] = "2"
    headers["x-name-3"] = "3"
    #expect(headers.values("late") == ["2"])
    #expect(headers.values("X-Name-3") == ["3"])
    var plain = Headers()
    for (name, value) in headers.pairs { plain.add(name, value) }
    #expect(plain == headers)
    for index in 0..<2000 where index != 3 {
      let expected = index % 7 == 0 ? ["new"] : index % 7 == 3 ? [] : ["\(index)"]
      #expect(headers.values("x-name-\(index)") == expected)
    }
    headers.removeAll()
    headers["a"] = "1"
    #expect(headers == Headers([("a", "1")]))
  }
}
