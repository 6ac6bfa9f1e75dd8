import LullSystem
import Synchronization

/// The one way into a home thread from elsewhere: results of exchanges and of slow work, by token.
///
/// `post` may be called on any thread; `take` only by the `Pump` on the home thread. After `close`,
/// posts are dropped: what comes late finds nobody waiting.
package final class Inbox: Sendable {
  package enum Item: Sendable {
    case network(ArrivedResult)
    /// What work in the pool came to.
    case work(any Sendable)
  }

  package struct Entry: Sendable {
    package let token: UInt64
    package let item: Item
  }

  private struct State {
    var items: [Entry] = []
    var isClosed = false
    var wakeUp: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Sets what makes the home thread look; called once by whatever drives the pump.
  package func onPost(_ wakeUp: (@Sendable () -> Void)?) {
    state.withLock { $0.wakeUp = wakeUp }
  }

  package func post(_ token: UInt64, _ item: Item) {
    let wakeUp = state.withLock { state -> (@Sendable () -> Void)? in
      guard !state.isClosed else { return nil }
      state.items.append(Entry(token: token, item: item))
      // Only the first item of a batch needs to wake the thread.
      return state.items.count == 1 ? state.wakeUp : nil
    }
    wakeUp?()
  }

  package func take() -> [Entry] {
    state.withLock { state in
      guard !state.items.isEmpty else { return [] }
      defer { state.items = [] }
      return state.items
    }
  }

  package var isEmpty: Bool { state.withLock { $0.items.isEmpty } }

  /// For slow work that nobody waits for any more.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.items = []
      state.wakeUp = nil
    }
  }
}

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

/// Who takes what out of the inbox, by tokens: a slot in the low half, its generation in the high half, so
/// that a token of what has been taken or discarded finds nobody.
///
/// Found without hashing, since each exchange comes through here. No token is 0.
struct ReceiverTable {
  enum Receiver {
    case ofNetwork((ArrivedResult) -> Void)
    case ofObject(any NetworkReceiver)
    case ofWork((any Sendable) -> Void)

    /// What is not for it is dropped.
    func receive(_ item: Inbox.Item) {
      switch (self, item) {
      case (.ofObject(let receiver), .network(let report)): receiver.receive(report)
      case (.ofNetwork(let receive), .network(let report)): receive(report)
      case (.ofWork(let receive), .work(let result)): receive(result)
      default: break
      }
    }
  }

  private struct Slot {
    var receiver: Receiver?
    var generation: UInt32 = 1
  }

  private var slots: [Slot] = []
  private var free: [UInt32] = []

  mutating func insert(_ receiver: Receiver) -> UInt64 {
    let index: UInt32
    if let reused = free.popLast() {
      index = reused
    } else {
      index = UInt32(slots.count)
      slots.append(Slot())
    }
    slots[Int(index)].receiver = receiver
    return UInt64(slots[Int(index)].generation) << 32 | UInt64(index)
  }

  /// The receiver of a token, which is not there any more afterwards.
  mutating func take(_ token: UInt64) -> Receiver? {
    let index = Int(token & 0xffff_ffff)
    guard index < slots.count, slots[index].generation == UInt32(token >> 32),
      let receiver = slots[index].receiver
    else { return nil }
    slots[index].receiver = nil
    // One whose generations are used up is retired.
    if slots[index].generation < UInt32.max {
      slots[index].generation += 1
      free.append(UInt32(index))
    }
    return receiver
  }
}

/// What takes the one result of an exchange.
package protocol NetworkReceiver: AnyObject {
  func receive(_ report: ArrivedResult)
}

/// Counts everything that may change what a resource answers: its state, its loads, its caches, its
/// service's configuration, what is logged.
///
/// Whoever remembers an answer outside of the core remembers the count with it, and asks again once the
/// count is another. One count for all resources of a pump: whoever changes nothing may go on as he is,
/// and a change costs one question per answer remembered.
package final class ChangeCount {
  /// The count, for readers that make no calls; valid as long as the object. Never 0.
  package let counter: UnsafeMutablePointer<UInt64>

  init() {
    counter = .allocate(capacity: 1)
    counter.initialize(to: 1)
  }

  deinit { counter.deallocate() }

  func note() { counter.pointee &+= 1 }
}
