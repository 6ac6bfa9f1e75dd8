import CLullLedger

/// Checks allocations against the memory limit of the script that the command runs. Without a
/// limit, all allocations are allowed.
///
/// Check each large allocation before making it. If an allocation is refused, the refusal is
/// recorded and the run of the script ends. The script therefore never sees a result that is
/// incomplete for lack of memory. Safe on any thread.
package enum MemoryLedger {
  /// The size from which an allocation must be checked, in bytes. Smaller allocations are only
  /// counted when they are made.
  package static let threshold = 4096

  /// The number of additional bytes that are checked with each large block, for the overhead of the
  /// allocator and for small allocations made at the same time. Without this margin, the block
  /// might be allowed and a small allocation then refused, which would end the run inside the
  /// library, without a line of the script to report.
  private static let around = 16 * 1024

  /// Whether `bytes` bytes may be allocated. If not, the run of the script ends.
  package static func allows(_ bytes: Int) -> Bool {
    bytes < threshold || lull_ledger_ask(max(bytes, bytes &+ around)) != 0
  }

  /// Whether `bytes` bytes may be allocated. Unlike with `allows(_:)`, the run of the script
  /// continues if not. For callers that can use less memory.
  package static func hasRoom(for bytes: Int) -> Bool {
    lull_ledger_may(max(0, bytes)) != 0
  }

  /// Whether an allocation was refused, so that the run of the script ends.
  package static var hasRefused: Bool { lull_ledger_has_refused() != 0 }

  /// Reserves room in an array for `count` elements in total. While the elements are moved, both
  /// the old and the new memory of the array exist. Returns false if that much memory is not
  /// allowed.
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
