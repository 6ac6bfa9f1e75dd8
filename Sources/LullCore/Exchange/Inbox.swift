import LullSystem
import Synchronization

/// Takes results from other threads for delivery on a home thread: results of exchanges and of slow
/// work, each with the token of its receiver. Other threads have no other way to deliver results.
///
/// `post` may be called on any thread, `take` only by the `Pump` on the home thread. After `close`,
/// posted results are dropped, because there is no receiver any more.
package final class Inbox: Sendable {
  package enum Item: Sendable {
    case network(ArrivedResult)
    /// The result of work in the thread pool.
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

  /// Sets the function that wakes the home thread. Called once by the driver of the pump.
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

  /// Whether the inbox is closed. Slow work checks this property, to stop early if its result isn't
  /// needed any more.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.items = []
      state.wakeUp = nil
    }
  }
}

/// The buffer of an asynchronous sequence. It holds elements until the `for await` loop takes them.
///
/// The feed begins with the first iteration of the loop, or when `begin` is called on the home
/// thread. It ends with `end` or `finish`, when the waiting task is cancelled, when the pump is
/// about to close, or when the loop is released, whichever comes first.
final class Feed<Element> {
  private let pump: Pump
  /// The name of the sequence. Used in messages.
  private let name: String
  /// Adds an element to the waiting elements. May merge or drop elements to bound their number.
  private let merge: (inout [Element], Element) -> Void
  private var start: ((Feed) -> () -> Void)?
  private var stop: (() -> Void)?
  private var ending: PumpEnding.Number?
  private var waiting: [Element] = []
  private var reader: Reader?
  /// Whether the feed has ended, so that no more elements are added.
  private(set) var isOver = false

  /// Makes a feed.
  ///
  /// - Parameter start: Starts the source of the elements, which then calls `push`. Returns a
  ///   function that stops the source.
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

  /// Ends the sequence after the elements that are still waiting.
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

  /// Ends the sequence and discards the elements that are still waiting.
  func end() {
    waiting = []
    finish()
  }

  /// Called when the loop has released the feed. At that moment, no other function may be called,
  /// so the source is stopped one turn later. Until then, the source must not count as a listener.
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

  /// A task that waits for an element. Other threads can only check whether the task has been
  /// cancelled.
  private final class Reader {
    let isCancelled: StopSign
    private let continuation: CheckedContinuation<Void, Never>

    init(_ continuation: CheckedContinuation<Void, Never>, _ isCancelled: StopSign) {
      self.continuation = continuation
      self.isCancelled = isCancelled
    }

    func resume() { continuation.resume() }
  }

  /// Starts the source. From now on, no element is missed.
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
      // The cancelled reader is about to end the feed.
      if let reader, reader.isCancelled.isSet { end() }
      if isOver { return nil }
      // With two readers, the first would never resume. Sequences of the standard library stop the
      // program here too.
      if reader != nil { ProgramMisuse.stopTwoReaders(of: name) }
      let isCancelled = StopSign()
      // Only the signal leaves the home thread, because a task may be cancelled on any thread.
      let cancellation = pump.signal { [weak self] in self?.end() }
      defer { pump.discard(cancellation) }
      let waiting = pump.waits.began()
      defer { pump.waits.ended(waiting) }
      await withTaskCancellationHandler {
        // Uses `isolation`, because otherwise the closure would leave the caller's actor.
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

/// Ends the feed when the loop over it is released.
final class FeedReader<Element> {
  let feed: Feed<Element>

  init(_ feed: Feed<Element>) { self.feed = feed }

  deinit { feed.abandon() }
}

/// The receivers of inbox items, by token. A token consists of a slot in the low half and the
/// generation of the slot in the high half. The token of a receiver that was taken or discarded is
/// therefore not found any more.
///
/// The table is used by each exchange, so lookups don't hash. No token is 0.
struct ReceiverTable {
  enum Receiver {
    case ofNetwork((ArrivedResult) -> Void)
    case ofObject(any NetworkReceiver)
    case ofWork((any Sendable) -> Void)

    /// Passes an item to the receiver. Drops the item if it has another type than the receiver
    /// expects.
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

  /// Removes the receiver of a token from the table and returns it.
  mutating func take(_ token: UInt64) -> Receiver? {
    let index = Int(token & 0xffff_ffff)
    guard index < slots.count, slots[index].generation == UInt32(token >> 32),
      let receiver = slots[index].receiver
    else { return nil }
    slots[index].receiver = nil
    // A slot that has used all its generations is retired.
    if slots[index].generation < UInt32.max {
      slots[index].generation += 1
      free.append(UInt32(index))
    }
    return receiver
  }
}

/// Receives the single result of an exchange.
package protocol NetworkReceiver: AnyObject {
  func receive(_ report: ArrivedResult)
}

/// Counts all changes that may affect a value read from a resource: changes of the resource's
/// state, loads, caches and configuration, and of the enabled log categories.
///
/// Code outside the core that stores such a value also stores the current count. If the count has
/// changed since, that code reads the value again. One count serves all resources of a pump, so
/// after a change each stored value is read again once.
package final class ChangeCount {
  /// A pointer to the count, for readers that make no calls. The pointer is valid as long as this
  /// object. The count is never 0.
  package let counter: UnsafeMutablePointer<UInt64>

  init() {
    counter = .allocate(capacity: 1)
    counter.initialize(to: 1)
  }

  deinit { counter.deallocate() }

  func note() { counter.pointee &+= 1 }
}
