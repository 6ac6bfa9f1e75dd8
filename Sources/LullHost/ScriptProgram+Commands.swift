import CLullBridge
import LullCore
import LullSystem

extension ScriptProgram {
  /// Runs a command's own work in a state of its own; the exit code: that of the work, unless a
  /// signal, a limit, `os.exit` or an error of the script has ended it.
  ///
  /// - Parameter folder: whose modules `require` finds first.
  package func perform(folder: [UInt8]?, words: [[UInt8]], _ body: (LuaHost) -> Int32) -> Int32 {
    defer { close() }
    let script = Script(name: Array("lull".utf8), source: [], folder: folder)
    prepare(script, words: words, first: 0, setsGlobal: true)
    guard let runtime = lull_state_runtime(state) else {
      StandardError.write("lull: not enough memory\n")
      return Exit.scriptError
    }
    installSignals(runtime)
    guard host.limits.set(limits) else {
      StandardError.write("lull: cannot start: not enough memory or threads\n")
      return Exit.scriptError
    }
    let code = body(host)
    // What is only looked at does not end who looks, who has said what is to be said.
    if host.permissions.isInspecting {
      host.loop.exitCode = nil
      host.reporter.forgoLimit()
    }
    let hasExited = host.loop.exitCode != nil
    let end = finish()
    return end == 0 && !hasExited ? code : end
  }
}
