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
}
