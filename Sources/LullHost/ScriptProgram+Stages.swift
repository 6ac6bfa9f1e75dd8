import CLullBridge
import LullCore

/// Runs a program in stages, such as a test file and then one of its tests. The caller must also
/// end the program.
///
/// Order of events: `open`, any number of stages, `endStages`. Home thread only.
extension ScriptProgram {
  /// The outcome of a stage.
  package enum StageEnd {
    case finished
    case failed(ScriptFailure)
    /// The function waits for something that can't happen any more. The text describes the wait.
    case stuck(String)
    /// `os.exit`, a limit or a signal has ended the whole program. The failure contains the line at
    /// which the program ended, if that line is known.
    case ended(ScriptFailure?)
  }

  /// Prepares the state for the first stage. Returns false if there is not enough memory.
  ///
  /// - Parameter words: the contents of the global `arg`, with the file name first.
  package func open(folder: [UInt8]?, words: [[UInt8]]) -> Bool {
    let script = Script(name: words.first ?? [], source: [], folder: folder)
    prepare(script, words: words, first: 0, setsGlobal: false)
    guard let runtime = lull_state_runtime(state) else { return false }
    host.sources.folder = folder
    installSignals(runtime)
    return host.loop.limits.set(limits)
  }

  /// Runs a script function, which may wait, until the function has ended or can't end any more.
  ///
  /// Other work that the function has begun continues in the next stage.
  package func run(
    stage callable: Callable, _ arguments: [LuaValue] = [], as purpose: String
  ) -> StageEnd {
    var end: StageEnd?
    host.loop.taskBegan()
    let context = RunContext(purpose: purpose) { [unowned self] outcome in
      host.loop.taskEnded()
      switch outcome {
      case .finished: end = .finished
      case .failed(let failure):
        end = host.reporter.isInterruption(failure) ? .ended(failure) : .failed(failure)
      case .gone, .cancelled: end = .ended(nil)
      }
    }
    context.isStrong = true
    host.coroutines.start(callable, arguments, context)
    host.loop.run { [loop = host.loop] in end != nil || loop.isInterrupted }
    if let end { return end }
    guard !host.loop.isInterrupted else { return .ended(nil) }
    let text = host.reporter.waitingText ?? "still waiting"
    host.coroutines.cancel(context)
    return .stuck(text)
  }

  /// Cancels the remaining work, runs the hooks of cancelled requests, reports failures that were
  /// not handled, and closes the state.
  package func endStages() {
    for _ in 0..<100 {
      host.loop.cancelEverything()
      guard host.pump.hasWork else { break }
      host.pump.turn()
    }
    _ = finish()
    close()
  }
}
