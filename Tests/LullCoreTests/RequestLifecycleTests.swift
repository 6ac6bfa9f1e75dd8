import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct RequestLifecycleTests {
  private let success = Response.success(Entity(content: .text("a"), timestamp: 0))
  private let other = Response.success(Entity(content: .text("b"), timestamp: 0))
  private let cancellation = Response.failure(.cancelled(at: 0))

  private func lifecycle(_ state: RequestLifecycle.State) -> RequestLifecycle {
    var lifecycle = RequestLifecycle()
    if state != .notStarted { _ = lifecycle.start() }
    if state == .completed { _ = lifecycle.complete(with: success) }
    return lifecycle
  }

  @Test(
    arguments: [
      (.notStarted, true, .inProgress), (.inProgress, false, .inProgress),
      (.completed, false, .completed),
    ] as [(RequestLifecycle.State, Bool, RequestLifecycle.State)])
  func `REP-11 HOOK-14 only a request that has not started starts`(
    from: RequestLifecycle.State, begins: Bool, to: RequestLifecycle.State
  ) {
    var lifecycle = lifecycle(from)
    let hasBegun = lifecycle.start()
    #expect(hasBegun == begins)
    #expect(lifecycle.state == to)
  }

  @Test(
    arguments: [
      (.notStarted, .completeOnly, true), (.inProgress, .stopWork, true),
      (.completed, .ignored, false),
    ] as [(RequestLifecycle.State, RequestLifecycle.CancelEffect, Bool)])
  func `CXL-01 CXL-04 CXL-06 CXL-12 cancelling completes what has not completed`(
    from: RequestLifecycle.State, effect: RequestLifecycle.CancelEffect, isCancelled: Bool
  ) {
    var lifecycle = lifecycle(from)
    let first = lifecycle.cancel(cancellation)
    #expect(first == effect)
    #expect(lifecycle.state == .completed)
    #expect(lifecycle.response?.isCancellation == isCancelled)
    let second = lifecycle.cancel(cancellation)
    #expect(second == .ignored)
    let hasBegun = lifecycle.start()
    #expect(!hasBegun)
  }

  @Test func `CXL-03 the first report counts, also when it is a cancellation`() {
    var completed = lifecycle(.inProgress)
    let taken = [completed.complete(with: success), completed.complete(with: other)]
    #expect(taken == [true, false])
    #expect(completed.response?.entity?.content.typeName == "text")
    var cancelled = lifecycle(.inProgress)
    _ = cancelled.cancel(cancellation)
    let isTaken = cancelled.complete(with: success)
    #expect(!isTaken)
    #expect(cancelled.response?.isCancellation == true)
  }

  @Test func `HOOK-06 HOOK-07 hooks wait for one delivery, later ones get their own`() {
    var lifecycle = lifecycle(.inProgress)
    #expect(lifecycle.hookAdded() == .waits)
    _ = lifecycle.complete(with: success)
    #expect(lifecycle.hookAdded() == .waits)
    let delivered = lifecycle.deliver()
    #expect(delivered != nil)
    #expect(lifecycle.hookAdded() == .deliverSoon)
  }

  @Test func `HW-01 what is completed from birth neither starts nor is cancelled`() {
    var lifecycle = RequestLifecycle(completedWith: success)
    #expect(lifecycle.state == .completed)
    let hasBegun = lifecycle.start()
    let effect = lifecycle.cancel(cancellation)
    #expect(!hasBegun)
    #expect(effect == .ignored)
    #expect(lifecycle.response?.isSuccess == true)
  }
}
