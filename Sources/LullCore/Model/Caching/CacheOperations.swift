/// What is asked of one cache, one operation after the other, in the order issued. (CACHE-22)
///
/// An operation begins at once if nothing is under way. Home thread only.
public final class CacheOperations {
  /// Whether the cache itself does what it is given in the order given, so that nothing need wait here.
  private let isOrderedByCache: Bool
  /// Issued after `upcoming`, in order.
  private var waiting: [Waiting] = []
  /// The next one last, so that many can wait without being moved for each that runs.
  private var upcoming: [Waiting] = []
  /// What is under way.
  private var current: Current?
  private var count = 0
  /// Which pump was told last that this is to hear of its end: one after another is of the same.
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

  /// Does its work and then calls its argument, once, now or later, on the home thread.
  package typealias Operation = (_ done: @escaping () -> Void) -> Void

  /// A queue that holds each operation back until the one before has ended.
  public init() { isOrderedByCache = false }

  /// - Parameter isOrderedByCache: true if the cache keeps the order of operations that it is given
  ///   before earlier ones are over.
  package init(isOrderedByCache: Bool) { self.isOrderedByCache = isOrderedByCache }

  /// - Parameter pump: on which it does its work: what has not begun or ended when that closes never does.
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
    // A loop, and only one, since operations of a cache in memory are done when they return.
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

/// Whether an answer may be kept where it outlives the process. (RFC 9111, section 5.2.2.5)
enum StoringRule {
  /// Why nothing is written, in words of the log.
  static let reason = "Cache-Control: no-store"
  /// The same of what would be found by requests with other headers.
  static let lostVariant =
    "the answer has Vary, and a transformer's entity has nothing of the answer"
  /// The same of what is not all there is.
  static let part = "the answer is a part (206)"
}

extension Entity {
  /// Whether the server has sent a part of what it has only. (RFC 9110, 15.3.7)
  package var isPart: Bool { exchange?.status == 206 }

  /// Whether it came with `no-store`, or an exchange that was asked for with it.
  package var forbidsStoring: Bool {
    exchange?.forbidsStoring ?? false || CacheControl.forbidsStoring(headers)
  }
}

/// A cache whose options can be told from those of another.
package protocol ComparedCache: AnyObject {
  /// What tells them apart in this process.
  var fingerprint: Int { get }
}

extension Pipeline {
  /// What tells the options of its caches from those of others in this process.
  package var fingerprint: Int {
    order.map { (self[$0].cache as? any ComparedCache)?.fingerprint ?? 0 }.hashValue
  }
}
