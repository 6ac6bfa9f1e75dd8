import CLullBridge
import Testing

@testable import LullHost

/// The allocator of states the command and the tests make.
@Suite(.serialized, .timeLimit(.minutes(20))) struct MemoryTests {
  @Test func `what a script holds is counted, and no longer when it is collected`() throws {
    let harness = try HostHarness()
    let state = try #require(harness.state)
    harness.collect()
    let before = lull_memory_used(state)
    #expect(before > 10_000)
    harness.run("kept = string.rep('x', 1 << 20)")
    let during = lull_memory_used(state)
    #expect(during >= before + 1 << 20)
    harness.run("kept = nil")
    harness.collect()
    #expect(lull_memory_used(state) < before + 100_000)
    harness.finish()
  }

  @Test func `the allocator counts what Lua counts`() throws {
    let harness = try HostHarness()
    let state = try #require(harness.state)
    let end = harness.run("local t = {} for i = 1, 1000 do t[i] = { i } end kept = t")
    #expect(end == .finished(nil))
    harness.run("count = string.format('%d', collectgarbage('count') * 1024)")
    guard case .finished(let text?) = harness.run("return count") else {
      Issue.record("no count")
      return
    }
    let counted = Int(text) ?? 0
    #expect(abs(Int(lull_memory_used(state)) - counted) < 20_000)
    harness.run("kept = nil")
    harness.finish()
  }

  @Test
  func `the n-th allocation fails, with the second attempt after a collection, and then no more`()
    throws
  {
    let harness = try HostHarness()
    let state = try #require(harness.state)
    harness.run("function work() local t = {} for i = 1, 100 do t[i] = { i } end return #t end")
    var failures = 0
    for count in 1...10_000 {
      lull_memory_fail_after(state, Int64(count), 0)
      let end = harness.run(
        """
        local ok, problem = pcall(work)
        return ok and "fine" or problem
        """)
      let hasFailed = lull_memory_failure_count(state) > 0
      lull_memory_fail_after(state, 0, 0)
      guard hasFailed else { break }
      failures += 1
      switch end {
      case .finished("fine"), .finished("not enough memory"), .failed("not enough memory"): break
      default: Issue.record("allocation \(count): \(end)")
      }
    }
    #expect(failures > 100 && failures < 10_000)
    #expect(harness.run("return tostring(work())") == .finished("100"))
    harness.run("work = nil")
    harness.finish()
  }

  @Test func `where memory has run out for good, everything fails until there is some again`()
    throws
  {
    let harness = try HostHarness()
    let state = try #require(harness.state)
    lull_memory_fail_after(state, 1, 1)
    for _ in 1...3 {
      #expect(harness.run("return ('x'):rep(100)") == .failed("not enough memory"))
    }
    #expect(lull_memory_failure_count(state) >= 3)
    lull_memory_fail_after(state, 0, 0)
    #expect(harness.run("return ('x'):rep(3)") == .finished("xxx"))
    harness.finish()
  }
}
