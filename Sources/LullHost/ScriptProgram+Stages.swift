import CLullBridge
import LullCore

/// A program that is run stage by stage, such as a file of tests and then one of them: whoever runs it makes
/// an end of it too.
///
/// Order of events: `open`, any number of stages, `endStages`. Home thread only.
extension ScriptProgram {
  /// How a stage came to its end.
  package enum StageEnd {
    case finished
    case failed(ScriptFailure)
    /// What it waits for cannot happen any more; in words.
    case stuck(String)
    /// `os.exit`, a limit or a signal has ended all of the program; where it was then, if that is known.
    case ended(ScriptFailure?)
  }

  /// Makes the state ready for the first of them; false without memory.
  ///
  /// - Parameter words: what `arg` has, the name of the file first.
  package func open(folder: [UInt8]?, words: [[UInt8]]) -> Bool {
    let script = Script(name: words.first ?? [], source: [], folder: folder)
    prepare(script, words: words, first: 0, setsGlobal: false)
    guard let runtime = lull_state_runtime(state) else { return false }
    host.sources.folder = folder
    installSignals(runtime)
    return host.loop.limits.set(limits)
  }

  /// Runs a function of the script, which may wait, until it has ended or cannot any more.
  ///
  /// What it has begun besides goes on with the next stage.
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

  /// Cancels what is left, lets its hooks hear of it, tells what nobody has heard of, and closes the state.
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
