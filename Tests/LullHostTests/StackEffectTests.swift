import CStackEffects
import LullLibC
import Testing

/// Debug builds hold every function of the bridge to the stack effect that its comment states.
@Suite(.timeLimit(.minutes(20))) struct StackEffectTests {
  @Test func `a function that leaves the stack otherwise than it states ends the process`() async {
    let broken: [(way: Int32, text: String)] = [
      (Int32(STACK_EFFECTS_PUSHES_TOO_MANY), "push_two: stated [-0, +1], found +2"),
      (Int32(STACK_EFFECTS_POPS_TOO_FEW), "pop_one: stated [-2, +1], found +2"),
      (Int32(STACK_EFFECTS_FINDS_TOO_FEW), "pop_three: stated [-3, +0], found a stack of only 2"),
      (Int32(STACK_EFFECTS_NEITHER_OF_TWO), "push_one_of_two: stated [-1, +2 or +0], found +1"),
      (Int32(STACK_EFFECTS_COUNTS_WRONG), "count_wrong: stated [-0, +m], found +2, not +3"),
      (Int32(STACK_EFFECTS_COUNTS_NOTHING), "count_nothing: stated [-0, +m], found +1, not +0"),
      (Int32(STACK_EFFECTS_WRONG_ARGUMENTS), "take_one: stated [-1, +0], found 0 arguments"),
      (
        Int32(STACK_EFFECTS_TOO_FEW_RESULTS),
        "give_what_is_not_there: stated [-n, +2], found a stack of only 1"
      ),
      (Int32(STACK_EFFECTS_WRONG_RESULTS), "give_none: stated [-n, +2 or +1], found 0 results"),
      (Int32(STACK_EFFECTS_SECOND_STATE), "move: stated [-0, +0], found -1"),
    ]
    #expect(broken.count == Int(STACK_EFFECTS_COUNT))
    for (way, text) in broken {
      let result = await #expect(
        processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]
      ) { [way = way as Int32] in
        stack_effects_break(way)
      }
      let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
      #expect(said.contains("lull: stack effect of \(text)\n"), "\(said)")
    }
  }

  @Test func `effects that hold, errors and yields pass`() {
    #expect(stack_effects_keep() == 5)
  }
}
