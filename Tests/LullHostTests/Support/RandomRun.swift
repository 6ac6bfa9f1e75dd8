import CLullBridge
import LullCore
import LullSystem
import LullTestSupport
import LullTesting
import Testing

@testable import LullHost

/// One random script in a state of its own: random answers of the network at random moments, then the
/// end at a random moment, with everything cancelled or with nothing.
struct RandomRun {
  /// Calls the script made.
  private(set) var callCount = 0
  /// What is wrong; nil if nothing.
  private(set) var problem: String?

  init(seed: UInt64) throws {
    var random = SeededGenerator(seed: ~seed)
    let written = WrittenReports()
    try StandardError.$sink.withValue({ written.add($0) }) {
      try run(RandomScript.text(seed: seed), &random)
    }
  }

  private mutating func run(_ text: String, _ random: inout SeededGenerator) throws {
    let harness = try HostHarness(refusingBytecode: true)
    RandomRun.stub(harness.provider, &random)
    harness.provider.holdsAnswers = random.chance(3)
    // Now and then memory runs out.
    if random.chance(12) {
      lull_memory_fail_after(
        harness.state, Int64(random.below(20_000) + 1),
        random.chance(2) ? Int32(LULL_FAIL_ONCE) : Int32(LULL_FAIL_FIRST_ATTEMPTS))
    }
    if case .failed(let message) = harness.run(text, settling: false), message.contains(" near ") {
      problem = "the script is no Lua: \(message)"
      return
    }
    RandomRun.turn(harness, random.chance(4) ? random.below(20) : 400, &random)
    let lacked = lull_memory_failure_count(harness.state) > 0
    lull_memory_fail_after(harness.state, 0, 0)
    callCount = harness.count("calls")
    if harness.count("taken") > 0 {
      problem = "a precompiled chunk was taken"
    } else if random.chance(4) {
      harness.close()
    } else {
      problem = RandomRun.finish(harness, lacked: lacked)
    }
  }

  /// Turns of the loop; in between, answers that were held and time that passes.
  private static func turn(_ harness: HostHarness, _ count: Int, _ random: inout SeededGenerator) {
    let provider = harness.provider
    for _ in 0..<count {
      harness.environment.turn()
      if provider.heldCount > 0, random.chance(2) {
        provider.release(random.below(provider.heldCount))
      }
      if random.chance(3) { provider.holdsAnswers = random.chance(3) }
      if random.chance(40) { lull_runtime_collect_all(harness.host.bridge.pointer) }
      guard !harness.environment.pump.hasWork, provider.heldCount == 0 else { continue }
      guard let due = harness.environment.clock.nextDue else { return }
      harness.environment.clock.advance(by: max(0, due - harness.environment.clock.now))
    }
  }

  /// Ends everything; nothing may be left then.
  private static func finish(_ harness: HostHarness, lacked: Bool) -> String? {
    harness.run("out_of_fuel()", settling: false)
    // What the stubs hold of a request that was cancelled would keep it alive.
    harness.provider.holdsAnswers = false
    while harness.provider.heldCount > 0 { harness.provider.release() }
    harness.host.loop.cancelEverything()
    for _ in 0..<3000 where harness.host.loop.hasStrongWork || harness.environment.pump.hasWork {
      var none = SeededGenerator(seed: 0)
      turn(harness, 1, &none)
      if harness.environment.pump.hasWork == false { harness.host.loop.cancelEverything() }
    }
    if harness.host.loop.hasStrongWork {
      let loop = harness.host.loop
      return "it never ends: \(harness.host.requests.descriptions), \(loop.taskCount) tasks, "
        + "\(loop.timerCount) timers"
    }
    let left = harness.leftovers()
    // A finaliser that could not be called for want of memory is not called again.
    return left.isEmpty || lacked ? nil : left.joined(separator: ", ")
  }

  private static func stub(_ provider: StubProvider, _ random: inout SeededGenerator) {
    let answers: [StubProvider.Answer] = [
      .json(#"{"n": 1, "list": [1, 2, {"k": "v"}], "null": null}"#, etag: "\"e\""),
      .json("[]"), .text("hello"), .json(#"{"message": "gone"}"#, status: 404), .json("{broken"),
      StubProvider.Answer(status: 304), StubProvider.Answer(status: 500),
      .failure(TransportError(.timeout, "too late")), .bytes([0xff, 0, 0xfe], type: "image/png"),
      .text("\u{e9}", type: "text/plain; charset=nope"),
    ]
    for path in 0..<8 {
      for method in [RequestMethod.get, .post, .put, .delete] {
        let chosen = (0..<3).compactMap { _ in random.pick(answers) }
        provider.stub(method, "https://api.test/\(path)", answers: chosen)
      }
    }
  }
}

extension HostHarness {
  /// A global of the script that is a number.
  fileprivate func count(_ name: String) -> Int {
    if case .finished(let text?) = run("return \(name)", settling: false) { return Int(text) ?? 0 }
    return 0
  }
}
