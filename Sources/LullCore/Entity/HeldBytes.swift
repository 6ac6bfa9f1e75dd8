import CSimdjson
import Synchronization

/// Bytes of a body or text that somebody holds: counted from its making to its end.
///
/// Values that share bytes share one of these, so that a copy of an entity costs nothing and counts
/// once. Documents are counted where they are made, since a script's views hold them too. Safe on any
/// thread.
package final class HeldBytes: Sendable {
  /// Of the whole process, with its documents.
  package static var total: Int { bodies + documents }

  /// Bytes and texts, received or to be sent.
  package static var bodies: Int { sum.load(ordering: .relaxed) }

  /// Parsed JSON.
  package static var documents: Int { csj_total_bytes() }

  private static let sum = Atomic<Int>(0)
  /// What is smaller is no more than what surrounds it.
  private static let threshold = 512

  private let count: Atomic<Int>

  package init(_ count: Int) {
    self.count = Atomic(count)
    HeldBytes.add(count)
  }

  // Not initialisers, which would have memory for an object before they could say that there is none.

  /// For so many bytes, if they are worth counting.
  package static func ofBody(_ count: Int) -> HeldBytes? {
    count >= threshold ? HeldBytes(count) : nil
  }

  /// For bytes and texts; nil for others, and for documents.
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

  /// More of them have come. By one thread at a time.
  package func grow(by more: Int) {
    count.add(more, ordering: .relaxed)
    HeldBytes.add(more)
  }

  private static func add(_ more: Int) { sum.add(more, ordering: .relaxed) }
}
