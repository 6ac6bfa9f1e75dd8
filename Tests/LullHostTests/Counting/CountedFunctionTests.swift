import LullLibC
import LullCore
import LullTestSupport
import LullTesting
import Testing

@testable import LullHost

/// Functions of the interpreter's library that count their work where there are limits.
///
/// `LULL_FUZZ_SEED` and `LULL_FUZZ_SECONDS` make the comparisons long ones, of a million cases.
@Suite(.timeLimitOfFuzzing) struct CountedFunctionTests {
  private let harness: HostHarness

  init() throws {
    harness = try HostHarness()
    harness.run(
      """
      stock = {}
      for name, f in pairs(table) do stock[name] = f end
      for name, f in pairs(string) do stock[name] = f end
      """)
  }

  private static let isLong = getenv("LULL_FUZZ_SECONDS") != nil
  private static let seed = getenv("LULL_FUZZ_SEED").flatMap { Int64(String(cString: $0)) } ?? 1

  private func limit() {
    #expect(harness.host.loop.limits.set(ScriptLimits(instructions: .max)))
  }

  @Test func `EMB-50 patterns have the results that they have without limits`() throws {
    limit()
    let end = harness.run(
      "return (function(...) \(PatternComparison.text) end)(stock, ...)",
      [.int(Self.seed), .int(Self.isLong ? 1_000_000 : 10_000)])
    #expect(end == .finished("the same"), "LULL_FUZZ_SEED=\(Self.seed)")
    harness.finish()
  }

  @Test func `EMB-50 functions of tables have the results that they have without limits`()
    throws
  {
    limit()
    let end = harness.run(
      "return (function(...) \(PatternComparison.tables) end)(stock, ...)",
      [.int(Self.seed), .int(Self.isLong ? 1_000_000 : 20_000)])
    #expect(end == .finished("the same"), "LULL_FUZZ_SEED=\(Self.seed)")
    harness.finish()
  }

  @Test func `EMB-50 without limits the stock functions stay, with them methods count too`() throws
  {
    let names = """
      local changed = {}
      for name, f in pairs(stock) do
        if (string[name] or table[name]) ~= f then changed[#changed + 1] = name end
      end
      stock.sort(changed)
      return stock.concat(changed, " ") .. (("x").find == string.find and "" or " not the method")
      """
    #expect(harness.run(names) == .finished(""))
    #expect(harness.host.loop.limits.set(ScriptLimits(memory: 1 << 40)))
    #expect(harness.run(names) == .finished(""))
    limit()
    let all = "concat find gmatch gsub insert match move pack remove rep sort"
    #expect(harness.run(names) == .finished(all))
    // Twice is the same as once.
    limit()
    #expect(
      harness.run("return (('x'):rep(3)) .. string.pack('<i2', 513) .. #table.pack(1, 2)")
        == .finished("xxx\u{1}\u{2}2"))
    harness.finish()
  }

  @Test(arguments: ["table.sort({ 2, 1 }, f)", "string.gsub('a', 'a', f)"])
  func `EMB-50 a function that cannot be suspended is named as without limits`(call: String) throws
  {
    limit()
    let end = harness.run(
      """
      local function f() lull.sleep(0) end
      local _, message = pcall(function() \(call) end)
      return (message:match "inside ([%a.]+)")
      """)
    #expect(end == .finished(call.prefix { $0 != "(" } + ""))
    harness.finish()
  }

  @Test func `EMB-50 work counts as instructions, a little of it too`() throws {
    // Its limit is there before its first coroutine, which counts therefore.
    let harness = try HostHarness()
    #expect(harness.host.loop.limits.set(ScriptLimits(instructions: 100_000)))
    // Each turn of the loop is some 6 instructions and 900 steps.
    let end = harness.run("local s = ('a'):rep(900) for i = 1, 1000 do s:find('[b-d]+') end")
    let text = "test:1: the script ran more than 100000 instructions (--max-instructions)"
    #expect(end == .failed(text))
    harness.close()
  }
}
