import CLullBridge

/// The parts of the interpreter's library that a script may use.
package enum ScriptTrust {
  /// Everything. Precompiled chunks must be allowed separately, because the interpreter does not
  /// verify them.
  case full(allowsBytecode: Bool)
  /// Lull, `string`, `table`, `math`, `utf8`, `coroutine`, the harmless functions of the base
  /// library, and text modules below the folder, if there is one. Nothing else on the machine: no
  /// files, no processes, no C modules. The environment decides which parts of the network it may
  /// reach.
  ///
  /// Time, work and memory are not limited: see `ScriptLimits`.
  case sandbox(folder: [UInt8]?)
  /// The sandbox, with stand-ins without effects for secrets, environment variables and caches. For
  /// files that are only inspected.
  case inspection(folder: [UInt8], Inspection)
  /// Everything, for inspected files that the user has allowed to run unrestricted. Files they load
  /// come through the gate. No precompiled chunks.
  case gated(any FileGate)

  var isSandbox: Bool {
    switch self {
    case .full, .gated: false
    case .sandbox, .inspection: true
    }
  }

  /// Creates a state with these parts; nil without memory.
  func makeState() -> OpaquePointer? {
    switch self {
    case .sandbox(let folder):
      guard let folder else { return lull_state_new_sandboxed(nil) }
      return lull_state_new_sandboxed(folder.map(CChar.init(bitPattern:)) + [0])
    case .inspection(let folder, _):
      return lull_state_new_sandboxed(folder.map(CChar.init(bitPattern:)) + [0])
    case .full(let allowsBytecode): return ScriptTrust.makeState(allowsBytecode: allowsBytecode)
    case .gated: return ScriptTrust.makeState(allowsBytecode: false)
    }
  }

  private static func makeState(allowsBytecode: Bool) -> OpaquePointer? {
    guard let state = lull_state_new() else { return nil }
    guard allowsBytecode || lull_state_refuse_bytecode(state) == 0 else {
      lull_state_close(state)
      return nil
    }
    return state
  }
}
