import Glibc
import LullCore

/// What one `Lull.run` stands on: an event loop, its network, and the requests in flight.
///
/// Belongs to the thread that made it, which finds it again through `current`.
final class HomeThread {
  let loop: EventLoop
  let executor: LoopExecutor
  private(set) lazy var networking = CurlProvider(loop: loop, blocksSIGPIPE: true)
  private let ledger = RequestLedger()

  init() throws(TransportError) {
    loop = try EventLoop()
    executor = LoopExecutor(wakeUp: loop.wakeUp)
    loop.add(executor)
    loop.pump.attach(ledger)
  }

  /// Drives the loop on this thread until `condition` holds, looking after every job.
  func run(until condition: () -> Bool) {
    let outer = HomeThread.current
    HomeThread.current = self
    defer { HomeThread.current = outer }
    while true {
      executor.runJobs()
      if condition() { return }
      loop.turn()
    }
  }

  /// Cancels what is in flight, lets hooks and waiting tasks hear of it, and closes the loop.
  func close() {
    ledger.cancelAll()
    // Bounded: a task that nobody waits for might start something anew for ever.
    var turnsLeft = 100
    run {
      turnsLeft -= 1
      return !loop.hasWork || turnsLeft == 0
    }
    loop.close()
  }

  // MARK: Of this thread

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "this process has no thread-specific data left")
    return key
  }()

  /// The innermost one that is being run on this thread.
  private(set) static var current: HomeThread? {
    get {
      guard let pointer = pthread_getspecific(key) else { return nil }
      // Set below by `run(until:)`, which is a method of the object and sets it back.
      return Unmanaged<HomeThread>.fromOpaque(pointer).takeUnretainedValue()
    }
    set {
      pthread_setspecific(key, newValue.map { Unmanaged.passUnretained($0).toOpaque() })
    }
  }
}
