import CLullBridge

/// Collects Lua's garbage at the request of Swift, which knows how much memory the garbage holds.
extension ScriptLoop {
  /// Makes Lua collect all garbage. This is used when no script is running whose allocations would
  /// cause a collection.
  package func collect() {
    guard bridge.isStarted else { return }
    _ = lull_runtime_collect_all(bridge.pointer)
  }

  func charge(_ byteCount: Int) { chargedBytes += byteCount }

  /// Frees the objects that only garbage refers to, so that they count as not in use (SVC-31).
  func releaseGarbage() {
    guard bridge.isStarted, lull_runtime_collect_all(bridge.pointer) != 0 else { return }
    handles.sweep()
    handles.releaseVanished()
  }

  /// Runs a step of Lua's garbage collection, in proportion to the memory that has been allocated
  /// since the last step, so that unreferenced objects do not pile up. Without these steps, the
  /// heap of a script that only sends requests would double with each collection cycle, for two
  /// reasons. Lua knows only a few bytes of a response of several megabytes, and about 1 kB of a
  /// request or entity. And objects with finalisers survive the cycle that finds them unreferenced.
  func collectIfCharged() {
    let charged = chargedBytes + handles.insertedBytes
    guard charged >= 8 << 20, bridge.isStarted else { return }
    lull_runtime_collect(bridge.pointer, Int32(min(charged / 1024, 1 << 20)))
    chargedBytes = 0
    handles.forgetInserted()
    handles.sweep()
  }

  /// Runs a collection if only the script can complete the requests in flight, but none of its code
  /// is left to run. Only a collection shows whether the script can still complete the requests.
  /// Each such standstill causes one collection.
  func collectIfStalled() {
    guard stalledAt != stored.lastID, isStalled else { return }
    releaseGarbage()
    stalledAt = stored.lastID
  }
}
