import LullCore

/// Limits on the time, work and memory of a script.
///
/// If code exceeds a limit, it raises an error again and again until the whole script has ended:
/// `pcall`, `xpcall` handlers and coroutines do not stop the error. No script code runs afterwards,
/// including hooks and `__close` handlers. Library functions whose running time depends only on
/// their arguments also end.
///
/// Functions of C modules, `os` and `io`, and finalisers (`__gc`) can't be interrupted, because
/// neither the interpreter's hooks nor the counting library functions reach them. If such a
/// function exceeds the time limit, the command's watchdog ends the process one second later. A
/// program that embeds a host needs its own watchdog.
package struct ScriptLimits {
  /// The time limit in seconds from the start of the run, including waits. It is enforced only if
  /// the host's signal handlers are installed, as in the command.
  package var time: Double?
  /// The limit on interpreter instructions of all coroutines together, rounded up to a multiple of
  /// 100. Counting makes a script two to three times slower, and `debug.sethook` raises an error.
  package var instructions: Int64?
  /// The number of bytes by which Lua's memory and the heap of the process may grow.
  ///
  /// In the command, the allocator keeps the ledger (`MemoryLedger`), and every block counts from
  /// its allocation. If the limit is exceeded and a garbage collection does not free enough, the
  /// script ends at the next call, turn or instruction. An allocation that would exceed the limit
  /// by more than half is refused: strings, bodies and documents are checked before they are
  /// created. If an allocation is refused in code that can't handle the refusal, the process ends.
  ///
  /// In other programs, only the sum of Lua's memory, bodies, documents and 1 kB for each Lull
  /// object counts. If the heap of the whole process has grown by more than that sum since the
  /// limit was set, the growth of the heap counts instead. In these programs, a single call may
  /// exceed the limit before the limit is checked.
  package var memory: Int64?

  package init(time: Double? = nil, instructions: Int64? = nil, memory: Int64? = nil) {
    self.time = time
    self.instructions = instructions
    self.memory = memory
  }

  /// The name of the running code in error messages; nil for `the script`.
  package var subject: String?

  /// Whether the limits on time and instructions apply to each stretch of code. An embedding
  /// program sets this.
  var isOfStretches = false

  /// The error message for each limit, in the order of `LULL_LIMIT_*`.
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

  /// Returns a number of seconds as text for messages.
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
