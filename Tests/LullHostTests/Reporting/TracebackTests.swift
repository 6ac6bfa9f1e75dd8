import CLullBridge
import Testing

@testable import LullHost

@Suite("Tracebacks", .timeLimit(.minutes(20)))
struct TracebackTests {
  private let script = [
    TraceFrame(kind: .c, shortSource: "[C]", title: "function 'error'", name: "error"),
    TraceFrame(shortSource: "x.lua", line: 3, title: "upvalue 'f'", name: "f"),
    TraceFrame(kind: .host, shortSource: "[C]", title: "method 'await'", name: "await"),
    TraceFrame(kind: .c, shortSource: "[C]", title: "function 'lpeg.match'", name: "match"),
    TraceFrame(shortSource: "x.lua", line: 9, title: "function <x.lua:7>", isTailCall: true),
    TraceFrame(kind: .skipped, line: 12),
    TraceFrame(shortSource: "x.lua", line: 20, title: "main chunk"),
    TraceFrame(kind: .c, shortSource: "[C]", title: "?"),
  ]

  @Test func `leave out the host and what only raised`() {
    #expect(
      Traceback(stacks: [script]).text(showingHost: false) == """
        stack traceback:
        \tx.lua:3: in upvalue 'f'
        \t[C]: in function 'lpeg.match'
        \tx.lua:9: in function <x.lua:7>
        \t(...tail calls...)
        \t...\t(skipping 12 levels)
        \tx.lua:20: in main chunk
        """)
  }

  @Test func `show all if asked to`() {
    #expect(
      Traceback(stacks: [script]).text(showingHost: true) == """
        stack traceback:
        \t[C]: in function 'error'
        \tx.lua:3: in upvalue 'f'
        \t[C]: in method 'await'
        \t[C]: in function 'lpeg.match'
        \tx.lua:9: in function <x.lua:7>
        \t(...tail calls...)
        \t...\t(skipping 12 levels)
        \tx.lua:20: in main chunk
        \t[C]: in ?
        """)
  }

  @Test func `are joined to those of who awaited`() {
    let awaiting = [TraceFrame(shortSource: "y.lua", line: 1, title: "main chunk")]
    #expect(
      Traceback(stacks: [[script[1]], [script[2]], awaiting]).text(showingHost: false) == """
        stack traceback:
        \tx.lua:3: in upvalue 'f'
        awaited by:
        \ty.lua:1: in main chunk
        """)
  }

  @Test func `are nothing without frames`() {
    #expect(Traceback().text(showingHost: false) == "")
    #expect(Traceback(stacks: [[script[2], script[7]]]).text(showingHost: false) == "")
  }

  @Test func `show what raised if there is nothing else`() {
    #expect(
      Traceback(stacks: [[script[0]]]).text(showingHost: false)
        == "stack traceback:\n\t[C]: in function 'error'")
  }

  /// Each level of a hundred and fifty would look up the names of seventy frames again. (LUA-04)
  @Test(arguments: [
    "coroutine.wrap(g)()",
    "local t = coroutine.create(g) local ok, e = coroutine.resume(t) if not ok then error(e, 0) end",
  ])
  func `are taken once of an error through nested coroutines`(level: String) throws {
    let harness = try HostHarness()
    var counts: [Int64] = []
    for depth in [2, 150] {
      let before = lull_trace_count(harness.host.bridge.pointer)
      let end = harness.run(
        """
        local f = function() error("deep") end
        for _ = 1, \(depth) do
          local g = f
          f = function() \(level) end
        end
        f()
        """)
      guard case .failed(let message) = end else {
        Issue.record("it did not fail")
        return
      }
      #expect(message.hasSuffix("test:1: deep"))
      counts.append(lull_trace_count(harness.host.bridge.pointer) - before)
    }
    #expect(counts[0] > 0)
    #expect(counts[0] == counts[1])
    harness.finish()
  }
}
