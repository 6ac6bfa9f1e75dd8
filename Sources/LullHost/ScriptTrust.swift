import CLullBridge

/// What a script is given of the interpreter's library.
package enum ScriptTrust {
  /// Everything; precompiled chunks only if they are allowed, since the interpreter does not check them.
  case full(allowsBytecode: Bool)
  /// Lull, `string`, `table`, `math`, `utf8`, `coroutine`, the harmless functions of the base library,
  /// and text modules below the folder, if there is one. Nothing else of the machine: no files, no
  /// processes, no C modules; what it may reach of the network is the environment's business.
  ///
  /// It is no limit on time, work and memory: see `ScriptLimits`.
  case sandbox(folder: [UInt8]?)
  /// The sandbox, with inert stand-ins for secrets, the environment and caches, for files that are only
  /// looked at.
  case inspection(folder: [UInt8], Inspection)
  /// Everything, for files that are only looked at, and have leave to be run as they are: what they load
  /// comes through the gate. No precompiled chunks.
  case gated(any FileGate)

  var isSandbox: Bool {
    switch self {
    case .full, .gated: false
    case .sandbox, .inspection: true
    }
  }

  /// A state with no more than that; nil without memory.
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
