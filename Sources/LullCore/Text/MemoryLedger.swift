import CLullLedger

/// Checks allocations against the memory limit of the script that the command runs. Without a
/// limit, all allocations are allowed.
///
/// Check each large allocation before making it. A refusal is remembered and ends the run. So the
/// script never sees a result for which memory was missing. Safe on any thread.
package enum MemoryLedger {
  /// Allocations of fewer bytes need no check. They are counted when they are made.
  package static let threshold = 4096

  /// Extra bytes for the allocator's overhead for a large block, and for small allocations beside
  /// it. If the block fitted and only these bytes did not, the run would end inside the library,
  /// without a line of the script to report.
  private static let around = 16 * 1024

  /// Whether `bytes` bytes may be allocated. A refusal ends the run.
  package static func allows(_ bytes: Int) -> Bool {
    bytes < threshold || lull_ledger_ask(max(bytes, bytes &+ around)) != 0
  }

  /// Whether `bytes` bytes may be allocated. Unlike in `allows(_:)`, a refusal does not end the
  /// run. For callers that can use less memory.
  package static func hasRoom(for bytes: Int) -> Bool {
    lull_ledger_may(max(0, bytes)) != 0
  }

  /// Whether an allocation was refused, so that the run ends.
  package static var hasRefused: Bool { lull_ledger_has_refused() != 0 }

  /// Reserves room in an array for `count` elements in total. While elements move, the old memory
  /// of the array exists beside the new memory. Returns false if that much memory is not allowed.
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
