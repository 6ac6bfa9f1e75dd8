import LullCore

/// Limits on the time, work and memory of a script.
///
/// Code that exceeds a limit raises an error, repeatedly until the whole script has ended: `pcall`,
/// `xpcall` handlers and coroutines do not stop it, and no script code runs afterwards, including
/// hooks and `__close` handlers. Library functions whose running time depends only on their
/// arguments also end.
///
/// Functions of C modules, `os` and `io`, and finalisers (`__gc`) can't be interrupted, because
/// neither the interpreter's hooks nor the counting library functions reach them. For these the
/// command has a watchdog, which ends the process one second later. A program that embeds a host
/// needs its own.
package struct ScriptLimits {
  /// Seconds from the start of the run, including waiting. Enforced only if the host's signal
  /// handlers are installed, as in the command.
  package var time: Double?
  /// Interpreter instructions over all coroutines, rounded up to a multiple of 100. Counting makes
  /// a script two to three times slower, and `debug.sethook` becomes an error.
  package var instructions: Int64?
  /// The number of bytes by which Lua's memory and the heap of the process may grow.
  ///
  /// In the command, whose allocator keeps the ledger (`MemoryLedger`), every block counts from its
  /// allocation. If the limit is exceeded and a garbage collection does not help, the script ends
  /// at the next call, turn or instruction. An allocation that would exceed the limit by more than
  /// half is refused: strings, bodies and documents are checked before they are created. If code
  /// that can't handle a failed allocation needs it, the process ends.
  ///
  /// Elsewhere only Lua's memory, bodies, documents and 1 kB for each Lull object count. If the
  /// heap of the whole process has grown by more than their sum since the limit was set, its growth
  /// counts instead. There a single call may exceed the limit before it is checked.
  package var memory: Int64?

  package init(time: Double? = nil, instructions: Int64? = nil, memory: Int64? = nil) {
    self.time = time
    self.instructions = instructions
    self.memory = memory
  }

  /// The name for the running code in messages; nil for a script.
  package var subject: String?

  /// Whether time and instructions apply to each stretch of code, as set by an embedding program.
  var isOfStretches = false

  /// The message for each limit, in the order of `LULL_LIMIT_*`.
  var texts: [String] {
    if isOfStretches {
      return [
        "", "Lua code ran for more than \(ScriptLimits.seconds(time ?? 0)) without a pause",
        "Lua code ran more than \(instructions ?? 0) instructions without a pause",
        "the Lua runtime needs more than \(ScriptLimits.size(memory ?? 0)) of memory",
      ]
    }
    return [
      "",
      "\(subject ?? "the script") ran for more than \(ScriptLimits.seconds(time ?? 0))"
        + (subject == nil ? " (--max-time)" : ""),
      "the script ran more than \(instructions ?? 0) instructions (--max-instructions)",
      "the script needs more than \(ScriptLimits.size(memory ?? 0)) of memory (--max-memory)",
    ]
  }

  /// Returns a duration as shown in messages.
  package static func seconds(_ value: Double) -> String {
    value == value.rounded() && value < 1e15 ? "\(Int64(value)) s" : "\(value) s"
  }

  private static func size(_ bytes: Int64) -> String {
    let units: [(Int64, String)] = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")]
    for (size, name) in units where bytes >= size && bytes % size == 0 {
      return "\(bytes / size) \(name)"
    }
    return "\(bytes) bytes"
  }
}
