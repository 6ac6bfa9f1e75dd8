import CSimdjson
import Synchronization

/// Counts the bytes of a body or text in memory, from its creation to its release.
///
/// Values that share bytes share one of these objects, so that copies of an entity cost nothing and
/// are counted once. Documents are counted separately, where they are made, since views of scripts
/// hold them too. Callable on any thread.
package final class HeldBytes: Sendable {
  /// The number of bytes in the whole process, including documents.
  package static var total: Int { bodies + documents }

  /// The number of bytes of bodies and texts, received or to be sent.
  package static var bodies: Int { sum.load(ordering: .relaxed) }

  /// The number of bytes of parsed JSON.
  package static var documents: Int { csj_total_bytes() }

  private static let sum = Atomic<Int>(0)
  /// Values with fewer bytes are not counted, since their overhead is just as large.
  private static let threshold = 512

  private let count: Atomic<Int>

  package init(_ count: Int) {
    self.count = Atomic(count)
    HeldBytes.add(count)
  }

  // Not initializers: a failing initializer would allocate the object before returning nil.

  /// Counts `count` bytes; returns nil if they are too few to count.
  package static func ofBody(_ count: Int) -> HeldBytes? {
    count >= threshold ? HeldBytes(count) : nil
  }

  /// Counts bytes and texts; nil for other content, including documents.
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

  /// Adds bytes to the count. Callable on one thread at a time.
  package func grow(by more: Int) {
    count.add(more, ordering: .relaxed)
    HeldBytes.add(more)
  }

  private static func add(_ more: Int) { sum.add(more, ordering: .relaxed) }
}
