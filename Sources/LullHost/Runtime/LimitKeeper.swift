import CLullBridge
import LullCore

/// The limits of the running script. The bridge enforces them; this object stores the error message
/// for each limit.
///
/// Home thread only.
///
/// Behaviours: MEM-01 to MEM-05.
package final class LimitKeeper {
  private let bridge: BridgeRuntime
  /// The error message for each limit, in the order of `LULL_LIMIT_*`.
  private var texts: [String] = []
  /// The limits that apply to each line of a session.
  private(set) var perLine = ScriptLimits()

  /// Whether the limits apply to each stretch of code. If so, exceeding a limit ends only the
  /// stretch.
  private(set) var areOfStretches = false

  init(_ bridge: BridgeRuntime) {
    self.bridge = bridge
  }

  /// Sets limits for each stretch of code, as in `Lua.Limits`. Returns false if there is not enough
  /// memory.
  func setStretches(_ limits: ScriptLimits) -> Bool {
    areOfStretches = true
    texts = limits.texts
    return withBridged(limits) { lull_stretches_set(bridge.pointer, &$0) } == 0
      && countFunctions(for: limits)
  }

  /// Replaces the library functions whose running time depends on their arguments with functions
  /// that stop at limits. Returns false if there is not enough memory.
  ///
  /// The methods that set limits call this method themselves. If script code runs before its limits
  /// are set, call this method before that code. Otherwise the code could keep references to the
  /// stock functions.
  package func countFunctions() -> Bool { lull_functions_count(bridge.pointer) == 0 }

  /// Counts work that is done outside the interpreter for the script. The work is counted as a
  /// number of instructions.
  func count(_ instructions: Int64) {
    if bridge.isStarted { lull_limits_count(bridge.pointer, instructions) }
  }

  private func countFunctions(for limits: ScriptLimits) -> Bool {
    limits.time == nil && limits.instructions == nil || countFunctions()
  }

  /// Limits each stretch of code to a number of seconds, even inside functions written in C. When
  /// the time is up, the code raises an error, and the next stretch starts with the full time. Use
  /// this method only in a process of the command, with the command's signal handlers installed.
  /// Returns false if alarms are not available.
  ///
  /// - Parameter text: the error message, without the line at which the error is raised.
  package func setAlarm(ofStretches seconds: Double, saying text: String) -> Bool {
    areOfStretches = true
    texts = ["", text, "", ""]
    return lull_stretches_alarm(bridge.pointer, seconds, text) == 0 && countFunctions()
  }

  /// The limit that was exceeded, as a constant `LULL_LIMIT_*` of the bridge; 0 if no limit was
  /// exceeded.
  var passedLimit: Int32 { bridge.isStarted ? lull_limit_passed(bridge.pointer) : 0 }

  /// Sets the limits for the script that is about to run. Returns false if a limit can't be
  /// enforced.
  ///
  /// - Parameter isPerLine: whether the limits on time and instructions apply to each line of a
  ///   session, counted from the start of the line. The memory limit always applies to the whole
  ///   session.
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

  /// Calls `body` with the limits in the bridge's format. The texts in that format are valid only
  /// during the call of `body`.
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

  /// Whether a limit was exceeded whose excess ends the whole run.
  package var endsRun: Bool { hasPassed && !areOfStretches }

  /// Whether a limit was exceeded, either of the run or of a stretch.
  package var hasPassed: Bool {
    bridge.isStarted && lull_limit_passed(bridge.pointer) != Int32(LULL_LIMIT_NONE)
  }

  /// Returns a failure that names the exceeded limit. If `failure` has a place, the returned
  /// failure has the same place. Returns nil if no limit was exceeded.
  func passed(_ failure: ScriptFailure?) -> ScriptFailure? {
    guard hasPassed else { return nil }
    let text = texts[Int(lull_limit_passed(bridge.pointer))]
    guard var failure else { return ScriptFailure(text) }
    // The first failure may be a failed allocation, so its message may be less specific.
    if !failure.message.hasSuffix(text) { failure.message = text }
    return failure
  }
}
