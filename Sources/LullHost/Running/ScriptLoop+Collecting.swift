import CLullBridge

/// When Lua's garbage is collected on Swift's behalf, which knows what it holds.
extension ScriptLoop {
  /// Has Lua let go of what nobody holds any more, where no script runs that would make it do so.
  package func collect() {
    guard bridge.isStarted else { return }
    _ = lull_runtime_collect_all(bridge.pointer)
  }

  func charge(_ byteCount: Int) { chargedBytes += byteCount }

  /// What only garbage holds is unused (SVC-31).
  func releaseGarbage() {
    guard bridge.isStarted, lull_runtime_collect_all(bridge.pointer) != 0 else { return }
    handles.sweep()
    handles.releaseVanished()
  }

  /// Lua sees a few bytes where a response holds megabytes, and a request or entity a kilobyte: a step
  /// of collection for what has come since keeps what was dropped from piling up. Without it the heap
  /// of a script that does nothing but requests would double with each cycle of the collector, since
  /// objects with finalisers outlive the cycle that finds them dead.
  func collectIfCharged() {
    let charged = chargedBytes + handles.insertedBytes
    guard charged >= 8 << 20, bridge.isStarted else { return }
    lull_runtime_collect(bridge.pointer, Int32(min(charged / 1024, 1 << 20)))
    chargedBytes = 0
    handles.forgetInserted()
    handles.sweep()
  }

  /// When all that is in flight is for the script to complete, and it has nothing left to run, only a
  /// collection can tell whether it still could: one for each such standstill.
  func collectIfStalled() {
    guard stalledAt != stored.lastID, isStalled else { return }
    releaseGarbage()
    stalledAt = stored.lastID
  }
}
