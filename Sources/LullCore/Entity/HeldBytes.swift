import CSimdjson
import Synchronization

/// Counts the bytes of a body or text in memory. The bytes are counted from the creation of this
/// object until its release.
///
/// Values that share bytes also share one `HeldBytes`, so copies of an entity cost nothing and are
/// counted once. Documents are counted separately, by the C code that makes them, because views of
/// scripts keep documents in memory too. Callable on any thread.
package final class HeldBytes: Sendable {
  /// The number of counted bytes in the whole process, including documents.
  package static var total: Int { bodies + documents }

  /// The number of counted bytes of bodies and texts, both received and to be sent.
  package static var bodies: Int { sum.load(ordering: .relaxed) }

  /// The number of bytes of parsed JSON documents.
  package static var documents: Int { csj_total_bytes() }

  private static let sum = Atomic<Int>(0)
  /// Values with fewer bytes are not counted, because a counter would need about as much memory.
  private static let threshold = 512

  private let count: Atomic<Int>

  package init(_ count: Int) {
    self.count = Atomic(count)
    HeldBytes.add(count)
  }

  // Not initializers: a failing initializer would allocate the object before returning nil.

  /// Counts `count` bytes of a body. Returns nil if there are too few bytes to count.
  package static func ofBody(_ count: Int) -> HeldBytes? {
    count >= threshold ? HeldBytes(count) : nil
  }

  /// Counts the bytes of bytes or text content. Returns nil for other content, including documents.
  static func of(_ content: Content) -> HeldBytes? {
    switch content {
    case .bytes(let bytes): ofBody(bytes.count)
    case .text(let text): ofBody(text.utf8.count)
    case .json, .value, .foreign: nil
    }
  }

  deinit {
    HeldBytes.add(-count.load(ordering: .relaxed))
  }

  /// Adds `more` bytes to the count. Callable on one thread at a time.
  package func grow(by more: Int) {
    count.add(more, ordering: .relaxed)
    HeldBytes.add(more)
  }

  private static func add(_ more: Int) { sum.add(more, ordering: .relaxed) }
}
