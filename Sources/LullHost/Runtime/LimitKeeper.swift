import CLullBridge
import LullCore

/// The limits the script that runs has: the bridge keeps them, this knows what is said of each.
///
/// Home thread only.
///
/// Behaviours: MEM-01 to MEM-05.
package final class LimitKeeper {
  private let bridge: BridgeRuntime
  /// What is said of each limit, in the order of `LULL_LIMIT_*`.
  private var texts: [String] = []
  /// What each line of a session may take.
  private(set) var perLine = ScriptLimits()

  /// Whether they are those of each stretch: a passed one ends no more than that.
  private(set) var areOfStretches = false

  init(_ bridge: BridgeRuntime) {
    self.bridge = bridge
  }

  /// Sets the limits of each stretch of code, as `Lua.Limits` has them; false if there is no memory.
  func setStretches(_ limits: ScriptLimits) -> Bool {
    areOfStretches = true
    texts = limits.texts
    return withBridged(limits) { lull_stretches_set(bridge.pointer, &$0) } == 0
      && countFunctions(for: limits)
  }

  /// Replaces the library functions whose running time depends on their arguments by functions that stop at
  /// limits. Returns false if there is no memory.
  ///
  /// The methods that set limits do this themselves. Call it earlier if code of the script runs before its limits
  /// are set: that code can keep the stock functions.
  package func countFunctions() -> Bool { lull_functions_count(bridge.pointer) == 0 }

  /// Counts work that is done for the script outside of the interpreter, as instructions.
  func count(_ instructions: Int64) {
    if bridge.isStarted { lull_limits_count(bridge.pointer, instructions) }
  }

  private func countFunctions(for limits: ScriptLimits) -> Bool {
    limits.time == nil && limits.instructions == nil || countFunctions()
  }

  /// Gives each stretch of code so many seconds, also in functions written in C; what has had them raises, and
  /// the next one begins anew. For a process of the command's, whose signals are installed; false if there are no
  /// alarms.
  ///
  /// - Parameter text: what is raised then, behind the place.
  package func setAlarm(ofStretches seconds: Double, saying text: String) -> Bool {
    areOfStretches = true
    texts = ["", text, "", ""]
    return lull_stretches_alarm(bridge.pointer, seconds, text) == 0 && countFunctions()
  }

  /// Which limit has been passed, as the bridge numbers them.
  var passedLimit: Int32 { bridge.isStarted ? lull_limit_passed(bridge.pointer) : 0 }

  /// Sets the limits of the script that is about to run; false if one of them cannot be kept.
  ///
  /// - Parameter isPerLine: time and instructions are those of each line of a session, from its
  ///   start; the memory is the session's.
  func set(_ limits: ScriptLimits, isPerLine: Bool = false) -> Bool {
    texts = limits.texts
    if isPerLine {
      for limit in [LULL_LIMIT_TIME, LULL_LIMIT_INSTRUCTIONS].map({ Int($0) }) {
        texts[limit] = texts[limit].replacing("the script", with: "the line")
      }
      perLine = limits
    }
    return withBridged(limits) { bridged in
      if isPerLine { bridged.seconds = 0 }
      return lull_limits_set(bridge.pointer, &bridged)
    } == 0 && countFunctions(for: limits)
  }

  /// Gives `body` the limits in the bridge's form, with texts that last as long as the call.
  private func withBridged(_ limits: ScriptLimits, _ body: (inout lull_limits) -> Int32) -> Int32 {
    var bridged = lull_limits()
    bridged.seconds = limits.time ?? 0
    bridged.instructions = limits.instructions ?? 0
    bridged.memory = limits.memory ?? 0
    return texts[1].withCString { time in
      texts[2].withCString { instructions in
        texts[3].withCString { memory in
          bridged.texts.1 = time
          bridged.texts.2 = instructions
          bridged.texts.3 = memory
          return body(&bridged)
        }
      }
    }
  }

  /// Whether the run has passed a limit, and ends.
  package var endsRun: Bool { hasPassed && !areOfStretches }

  /// Whether a limit has been passed.
  package var hasPassed: Bool {
    bridge.isStarted && lull_limit_passed(bridge.pointer) != Int32(LULL_LIMIT_NONE)
  }

  /// The failure that says which limit was passed, and where if `failure` knows that; nil if none was.
  func passed(_ failure: ScriptFailure?) -> ScriptFailure? {
    guard hasPassed else { return nil }
    let text = texts[Int(lull_limit_passed(bridge.pointer))]
    guard var failure else { return ScriptFailure(text) }
    // What failed first may have been an allocation, whose error says less.
    if !failure.message.hasSuffix(text) { failure.message = text }
    return failure
  }
}
