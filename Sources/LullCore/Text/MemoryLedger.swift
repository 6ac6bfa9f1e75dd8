import CLullLedger

/// What may still be made under the limit of memory that the command's script has; without one,
/// everything.
///
/// Whoever is about to make something large asks before. A refusal is remembered: the run ends, and
/// what the one who asked does instead is seen by nobody. Safe on any thread.
package enum MemoryLedger {
  /// What is smaller need not be asked for: it is counted all the same, when it is made.
  package static let threshold = 4096

  /// What the allocator has of its own around a large block, and what is made beside it: where only that
  /// did not fit, the run would end inside the library, which knows no place in the script.
  private static let around = 16 * 1024

  /// Whether so many bytes more may be made.
  package static func allows(_ bytes: Int) -> Bool {
    bytes < threshold || lull_ledger_ask(max(bytes, bytes &+ around)) != 0
  }

  /// The same, without consequences for the run: for who can do with less.
  package static func hasRoom(for bytes: Int) -> Bool {
    lull_ledger_may(max(0, bytes)) != 0
  }

  /// Whether something was not allowed, so that the run ends.
  package static var hasRefused: Bool { lull_ledger_has_refused() != 0 }

  /// Room in an array for `count` elements in all, its own old memory beside it while they move; false
  /// if that may not be.
  package static func reserve(_ count: Int, in bytes: inout [UInt8]) -> Bool {
    guard count > bytes.capacity, lull_ledger_is_kept() != 0 else { return true }
    // As an array grows by itself, where there is room for it.
    let ample = max(count, 2 * bytes.capacity)
    if hasRoom(for: ample) {
      bytes.reserveCapacity(ample)
      return true
    }
    guard allows(count) else { return false }
    bytes.reserveCapacity(count)
    return true
  }
}
