/// The queue of operations on one cache. They run one after the other, in the order in which they
/// were issued. (CACHE-22)
///
/// An operation starts at once if no other operation is running. Home thread only.
public final class CacheOperations {
  /// Whether the cache itself keeps operations in order. If so, operations do not wait in this
  /// queue.
  private let isOrderedByCache: Bool
  /// Operations issued after the operations in `upcoming`, in the order in which they were issued.
  private var waiting: [Waiting] = []
  /// The operations to run next, in reverse order: the next operation is the last element, so that
  /// removing it does not move the others.
  private var upcoming: [Waiting] = []
  /// The operation that is running; nil if no operation is running.
  private var current: Current?
  private var count = 0
  /// The pump with which this queue registered last, to be notified when the pump closes. It is
  /// stored because consecutive operations usually have the same pump.
  private weak var told: Pump?
  private var isRunning = false

  private struct Waiting {
    let pump: ObjectIdentifier
    let operation: Operation
  }

  private struct Current {
    let pump: ObjectIdentifier
    let number: Int
  }

  /// A function that performs an operation and then calls `done` once, at once or later, on the
  /// home thread.
  package typealias Operation = (_ done: @escaping () -> Void) -> Void

  /// Creates a queue that starts each operation when the one before it has ended.
  public init() { isOrderedByCache = false }

  /// - Parameter isOrderedByCache: Whether the cache itself keeps operations in order, even if they
  ///   are started before earlier operations have ended.
  package init(isOrderedByCache: Bool) { self.isOrderedByCache = isOrderedByCache }

  /// Adds an operation to the queue.
  ///
  /// - Parameter pump: The pump on whose thread the operation runs. When the pump closes,
  ///   operations of the pump that have not started are dropped. If an operation of the pump is
  ///   running then, the queue no longer waits for it.
  package func perform(on pump: Pump, _ operation: @escaping Operation) {
    guard !isOrderedByCache else { return operation {} }
    guard !pump.isClosed else { return }
    if told !== pump {
      told = pump
      pump.tellOfEnd(self)
    }
    waiting.append(Waiting(pump: ObjectIdentifier(pump), operation: operation))
    runWaiting()
  }

  private func runWaiting() {
    // A single loop instead of recursion: operations of a memory cache end before they return.
    guard !isRunning else { return }
    isRunning = true
    defer { isRunning = false }
    while current == nil, let waiting = next() {
      count += 1
      let number = count
      current = Current(pump: waiting.pump, number: number)
      waiting.operation { [self] in
        guard current?.number == number else { return }
        current = nil
        runWaiting()
      }
    }
  }

  private func next() -> Waiting? {
    if upcoming.isEmpty {
      upcoming = waiting.reversed()
      waiting = []
    }
    return upcoming.popLast()
  }
}

extension CacheOperations: PumpQueue {
  package func pumpHasClosed(_ pump: Pump) {
    let closed = ObjectIdentifier(pump)
    waiting.removeAll { $0.pump == closed }
    upcoming.removeAll { $0.pump == closed }
    if current?.pump == closed { current = nil }
    runWaiting()
  }
}

/// The reasons why a response may not be stored in a cache, such as a cache that outlives the
/// process. (RFC 9111, section 5.2.2.5)
enum StoringRule {
  /// The log text for a response that forbids storing.
  static let reason = "Cache-Control: no-store"
  /// The log text for an entity without the headers of its response, if the response has `Vary`. If
  /// the entity were stored, requests with other headers would find it too.
  static let lostVariant =
    "the response has Vary, but a transformer returned an entity without this header"
  /// The log text for a partial response.
  static let part = "the response is partial (206)"
  /// The log text for data with a partial error.
  static let partialData = "the response has errors beside its data"
}

extension Entity {
  /// Whether the entity is a partial response (206). (RFC 9110, 15.3.7)
  package var isPart: Bool { exchange?.status == 206 }

  /// Whether the response or its request has `Cache-Control: no-store`.
  package var forbidsStoring: Bool {
    exchange?.forbidsStoring ?? false || CacheControl.forbidsStoring(headers)
  }
}

/// A cache whose options can be compared with the options of another cache.
package protocol ComparedCache: AnyObject {
  /// A hash of the cache's options, valid within this process.
  var fingerprint: Int { get }
}

extension Pipeline {
  /// A hash of the options of the pipeline's caches, valid within this process.
  package var fingerprint: Int {
    order.map { (self[$0].cache as? any ComparedCache)?.fingerprint ?? 0 }.hashValue
  }
}
