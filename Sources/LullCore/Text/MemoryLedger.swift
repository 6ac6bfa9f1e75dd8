import CLullLedger

/// Checks allocations against the memory limit of the command's script. Without a limit, all are
/// allowed.
///
/// Check before a large allocation. A refusal is remembered and the run ends, so a result without
/// the allocation is never visible. Safe on any thread.
package enum MemoryLedger {
  /// Smaller allocations need no check; they are counted when they are made.
  package static let threshold = 4096

  /// The allocator's overhead for a large block, and small allocations beside it. If only these did
  /// not fit, the run would end inside the library, without a line of the script to report.
  private static let around = 16 * 1024

  /// Whether that number of bytes may be allocated.
  package static func allows(_ bytes: Int) -> Bool {
    bytes < threshold || lull_ledger_ask(max(bytes, bytes &+ around)) != 0
  }

  /// As above, but a refusal does not end the run; for callers that can use less.
  package static func hasRoom(for bytes: Int) -> Bool {
    lull_ledger_may(max(0, bytes)) != 0
  }

  /// Whether an allocation was refused, so that the run ends.
  package static var hasRefused: Bool { lull_ledger_has_refused() != 0 }

  /// Reserves room in an array for `count` elements in total. The old memory of the array exists
  /// beside the new while elements move. Returns false if that is not allowed.
  package static func reserve(_ count: Int, in bytes: inout [UInt8]) -> Bool {
    guard count > bytes.capacity, lull_ledger_is_kept() != 0 else { return true }
    // Grows as an array does, if there is room.
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
