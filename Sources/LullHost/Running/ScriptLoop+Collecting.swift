import CLullBridge

/// Collecting Lua's garbage on behalf of Swift, which knows how much memory it holds.
extension ScriptLoop {
  /// Makes Lua collect all garbage. For times when no script runs that would cause it.
  package func collect() {
    guard bridge.isStarted else { return }
    _ = lull_runtime_collect_all(bridge.pointer)
  }

  func charge(_ byteCount: Int) { chargedBytes += byteCount }

  /// Frees objects that only garbage refers to, so that they count as unused (SVC-31).
  func releaseGarbage() {
    guard bridge.isStarted, lull_runtime_collect_all(bridge.pointer) != 0 else { return }
    handles.sweep()
    handles.releaseVanished()
  }

  /// Runs a collection step in proportion to the memory that has arrived since the last one, so
  /// that dropped objects do not pile up. Lua sees a few bytes where a response holds megabytes,
  /// and a request or entity 1 kB. Without this, the heap of a script that only makes requests
  /// would double with each cycle, since objects with finalisers survive the cycle that finds them
  /// dead.
  func collectIfCharged() {
    let charged = chargedBytes + handles.insertedBytes
    guard charged >= 8 << 20, bridge.isStarted else { return }
    lull_runtime_collect(bridge.pointer, Int32(min(charged / 1024, 1 << 20)))
    chargedBytes = 0
    handles.forgetInserted()
    handles.sweep()
  }

  /// If only the script can complete the requests in flight and it has nothing left to run, only a
  /// collection shows whether it still can. Runs one collection for each such standstill.
  func collectIfStalled() {
    guard stalledAt != stored.lastID, isStalled else { return }
    releaseGarbage()
    stalledAt = stored.lastID
  }
}
