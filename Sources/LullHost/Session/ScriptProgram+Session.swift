import CLullBridge
import LullCore
import LullSystem

extension ScriptProgram {
  /// The way in which a session ended.
  package enum SessionEnding {
    /// The user left the session at a terminal.
    case left
    /// The session reached the end of its input. `hasFailed` is true if a statement failed.
    case done(hasFailed: Bool)
  }

  /// Runs a session in a new Lua state, and returns the exit code.
  ///
  /// - Parameters:
  ///   - words: the whole command line, for the global `arg`.
  ///   - first: the index in `words` of the word that becomes `arg[0]`.
  ///   - folder: the folder that `require` searches first.
  package func interact(
    words: [[UInt8]], first: Int, folder: [UInt8], _ body: (LuaHost) -> SessionEnding
  ) -> Int32 {
    defer { close() }
    let script = Script(name: Array("stdin".utf8), source: [], folder: folder)
    prepare(script, words: words, first: first, setsGlobal: true)
    guard let runtime = lull_state_runtime(state) else {
      StandardError.write("lull: not enough memory\n")
      return Exit.scriptError
    }
    installSignals(runtime, isSession: true)
    host.reporter.unhandled.isSilent = true
    guard host.loop.limits.set(limits, isPerLine: true) else {
      StandardError.write("lull: cannot start: not enough memory or threads\n")
      return Exit.scriptError
    }
    switch body(host) {
    case .left:
      // Requests in flight are cancelled, as after `os.exit`.
      host.loop.exitCode = host.loop.exitCode ?? 0
      return finish()
    case .done(let hasFailed):
      let code = finish()
      return code == 0 && hasFailed ? Exit.scriptError : code
    }
  }
}
