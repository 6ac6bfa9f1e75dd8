import LullCore

/// What one home stands on: an event loop, its network, and the requests in flight.
///
/// Belongs to the thread that made it.
final class HomeThread {
  let loop: EventLoop
  let executor: HomeExecutor
  let context: HomeContext
  private let ledger = RequestLedger()

  init() throws(TransportError) {
    let loop = try EventLoop()
    self.loop = loop
    executor = HomeExecutor { [wakeUp = loop.wakeUp] in wakeUp.fire() }
    context = HomeContext(pump: loop.pump) { [unowned loop] in
      let networking = CurlProvider(loop: loop, blocksSIGPIPE: true)
      // Asked for by what comes too late.
      if loop.pump.isClosed { networking.close() }
      return networking
    }
    loop.add(executor)
    loop.pump.attach(ledger)
    loop.pump.add(PumpTasks(loop.pump, on: executor))
    loop.pump.attach(SharedLimits(loop.pump))
    loop.pump.bindToThread()
    executor.context = context
  }

  /// Drives the loop on this thread until `condition` holds, looking after every job.
  func run(until condition: () -> Bool) {
    context.whileCurrent {
      while true {
        executor.runJobs()
        if condition() { return }
        loop.turn()
      }
    }
  }

  /// Cancels what is in flight; its hooks and who waits for it hear of that with the next turns.
  func cancelRequests() {
    ledger.cancelAll()
  }

  /// Cancels what is in flight, lets hooks and waiting tasks hear of it, and closes the loop. What runs
  /// after that is told that the home has ended, on another thread.
  func end() {
    loop.pump.dismissGuests()
    cancelRequests()
    // Bounded: a task that nobody waits for might start something anew for ever.
    runSome { !loop.hasWork }
    finishWhatIsHeld()
    loop.pump.ending.end()
    runSome { !loop.hasWork }
    loop.close()
    runSome { !executor.hasWork }
    executor.end()
  }

  private func finishWhatIsHeld() {
    guard loop.pump.ending.isHeld else { return }
    var isLate = false
    let timer = loop.schedule(after: PumpEnding.patience) { isLate = true }
    run { isLate || !loop.pump.ending.isHeld }
    timer.cancel()
  }

  private func runSome(until condition: () -> Bool) {
    var turnsLeft = 100
    run {
      turnsLeft -= 1
      return condition() || turnsLeft == 0
    }
  }
}

/// Its jobs run between the turns, and keep the loop from waiting.
extension HomeExecutor: TurnParticipant {
  package func beforeWaiting() {}
  package func afterWaiting() {}
  package func close() {}
}
