import LullSystem

/// What happens between two steps of a `for await` loop: the source of an asynchronous sequence.
///
/// Begins with the first step, or before if it is told to, on the home thread. Ends when it is told to, when the waiting task is
/// cancelled, when the pump is about to close, and when its loop lets go of it, whichever comes first.
final class Feed<Element> {
  private let pump: Pump
  /// What the loop is over, for messages.
  private let name: String
  /// Takes in one more: what has not been asked for yet is bounded.
  private let merge: (inout [Element], Element) -> Void
  private var start: ((Feed) -> () -> Void)?
  private var stop: (() -> Void)?
  private var ending: PumpEnding.Number?
  private var waiting: [Element] = []
  private var reader: Reader?
  /// Nothing comes any more.
  private(set) var isOver = false

  /// - Parameter start: begins to `push`; what it gives lets go of the source.
  init(
    _ pump: Pump, of name: String, merge: @escaping (inout [Element], Element) -> Void,
    start: @escaping (Feed) -> () -> Void
  ) {
    self.pump = pump
    self.name = name
    self.merge = merge
    self.start = start
  }

  func push(_ element: Element) {
    guard !isOver else { return }
    merge(&waiting, element)
    wake()
  }

  /// What waits is the last there is.
  func finish() {
    guard !isOver else { return }
    isOver = true
    start = nil
    if let ending { pump.ending.remove(ending) }
    let stop = stop
    self.stop = nil
    stop?()
    wake()
  }

  /// Not even that is given any more.
  func end() {
    waiting = []
    finish()
  }

  /// Nobody reads it any more; called where nothing else may be called. The source is let go a turn later,
  /// and must not count as somebody who listens from now on.
  fileprivate func abandon() {
    guard !isOver, let stop else {
      isOver = true
      return
    }
    isOver = true
    self.stop = nil
    if let ending { pump.ending.remove(ending) }
    pump.enqueue(stop)
  }

  private func wake() {
    let reader = reader
    self.reader = nil
    reader?.resume()
  }

  /// A task that waits; only whether it has been cancelled is known on other threads.
  private final class Reader {
    let isCancelled: StopSign
    private let continuation: CheckedContinuation<Void, Never>

    init(_ continuation: CheckedContinuation<Void, Never>, _ isCancelled: StopSign) {
      self.continuation = continuation
      self.isCancelled = isCancelled
    }

    func resume() { continuation.resume() }
  }

  /// Nothing is missed from now on.
  func begin() {
    guard let start else { return }
    self.start = nil
    ending = pump.ending.add { [weak self] in self?.end() }
    guard !isOver else { return }
    let stop = start(self)
    if isOver { stop() } else { self.stop = stop }
  }

  func next(isolation: isolated (any Actor)?) async -> Element? {
    if Task.isCancelled { end() }
    begin()
    while waiting.isEmpty {
      // One that has been cancelled is about to end it.
      if let reader, reader.isCancelled.isSet { end() }
      if isOver { return nil }
      // Of two that wait the first would never go on; the standard library's sequences stop here too.
      if reader != nil { ProgramMisuse.stopTwoReaders(of: name) }
      let isCancelled = StopSign()
      // Only the signal leaves the home thread: a task may be cancelled on any.
      let cancellation = pump.signal { [weak self] in self?.end() }
      defer { pump.discard(cancellation) }
      let waiting = pump.waits.began()
      defer { pump.waits.ended(waiting) }
      await withTaskCancellationHandler {
        // Named, or the closure would leave the caller's actor.
        _ = isolation
        await withCheckedContinuation { continuation in
          reader = Reader(continuation, isCancelled)
        }
      } onCancel: {
        isCancelled.set()
        cancellation()
      }
    }
    return waiting.removeFirst()
  }
}

/// Ends a feed when the loop that reads it has let go.
final class FeedReader<Element> {
  let feed: Feed<Element>

  init(_ feed: Feed<Element>) { self.feed = feed }

  deinit { feed.abandon() }
}
