import CLullBridge
import LullCore
import LullTestSupport
import LullTesting
import Testing

@testable import LullHost

/// Limits of a host that lives in a program of somebody else's: no signals, no watchdog.
@Suite(.serialized, .timeLimit(.minutes(20))) struct HostLimitTests {
  private let harness: HostHarness

  init() throws {
    harness = try HostHarness()
  }

  private func message(_ end: HostHarness.End) -> String {
    if case .failed(let message) = end { message } else { "ended with \(end)" }
  }

  @Test func `instructions are counted over all coroutines, and nothing runs after the last one`()
    throws
  {
    #expect(harness.host.loop.limits.set(ScriptLimits(instructions: 100_000)))
    #expect(harness.run("for i = 1, 1000 do end return 'fine'") == .finished("fine"))
    #expect(!harness.host.loop.limits.hasPassed)
    let end = harness.run(
      """
      for i = 1, math.huge do
        pcall(coroutine.wrap(function() for j = 1, 200 do end end))
      end
      """)
    #expect(
      message(end)
        == "test:2: the script ran more than 100000 instructions (--max-instructions)"
        || message(end)
          == "test:1: the script ran more than 100000 instructions (--max-instructions)"
    )
    #expect(harness.host.loop.limits.hasPassed && harness.host.loop.isInterrupted)
    #expect(message(harness.run("reached = true")).contains("--max-instructions"))
    #expect(message(harness.run("return 1")).contains("--max-instructions"))
    harness.close()
  }

  @Test func `callbacks of all kinds count, and end`() throws {
    #expect(harness.host.loop.limits.set(ScriptLimits(instructions: 100_000)))
    harness.run(
      """
      local r = lull.service("https://api.test")("/a")
      calls = 0
      r:observe(function(_, event)
        calls = calls + 1
        pcall(function() for i = 1, 2000 do end end)
      end)
      for i = 1, math.huge do r:override_local_content("x" .. i) end
      """)
    #expect(harness.host.loop.limits.hasPassed)
    harness.close()
  }

  @Test func `a limit of memory holds for what Swift keeps for a script, too`() throws {
    harness.provider.stub(
      "GET", "https://api.test/a",
      .json("[" + String(repeating: "1,", count: 100_000) + "1]"))
    #expect(harness.host.loop.limits.set(ScriptLimits(memory: Int64(HeldBytes.total) + 64 << 20)))
    let end = harness.run(
      """
      local api = lull.service("https://api.test")
      kept = {}
      for i = 1, math.huge do kept[i] = assert(api("/a"):load():await()) end
      """)
    #expect(message(end).contains("(--max-memory)") || message(end) == "not enough memory")
    #expect(harness.host.loop.limits.hasPassed)
    harness.close()
  }

  @Test func `an interruption that comes when nothing of the script runs is for nobody`() throws {
    lull_thread_interrupt(harness.host.bridge.pointer)
    #expect(harness.run("return 'not interrupted'") == .finished("not interrupted"))
    harness.finish()
  }
}
