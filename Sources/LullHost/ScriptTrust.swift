import CLullBridge

/// The parts of the Lua library that a script may use.
package enum ScriptTrust {
  /// Everything. Precompiled chunks are allowed only by `allowsBytecode`, because the interpreter
  /// does not verify them.
  case full(allowsBytecode: Bool)
  /// Lull, `string`, `table`, `math`, `utf8`, `coroutine`, the harmless functions of the base
  /// library, and, if a folder is given, Lua source modules below that folder. The script has no
  /// access to files, processes, C modules or other parts of the machine. The host's environment
  /// decides which parts of the network the script may reach.
  ///
  /// Time, work and memory are not limited: see `ScriptLimits`.
  case sandbox(folder: [UInt8]?)
  /// The sandbox, in which secrets, environment variables and caches are replaced by stand-ins
  /// without effects. Used for files that are only inspected.
  case inspection(folder: [UInt8], Inspection)
  /// Everything except precompiled chunks. Used for an inspection of files that the user has
  /// allowed to run unrestricted. The gate provides the files that such a file loads.
  case gated(any FileGate)

  var isSandbox: Bool {
    switch self {
    case .full, .gated: false
    case .sandbox, .inspection: true
    }
  }

  /// Creates a Lua state with these parts of the library. Returns nil if there is not enough
  /// memory.
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
