import LullCore

/// How much of time, work and memory a script may take.
///
/// What passes a limit raises in the code that runs, again and again until all of it is gone:
/// `pcall`, handlers of `xpcall` and coroutines do not stop it, and nothing of the script runs
/// afterwards, hooks and `__close` handlers included. Functions of the library whose running time depends on
/// their arguments alone end too. What cannot be stopped is code that neither the interpreter's hooks nor
/// these functions reach: a function of a C module, `os` or `io`, and finalisers (`__gc`). The command has a
/// watchdog for those, which ends the process a second later; a program that embeds a host has to have its
/// own.
package struct ScriptLimits {
  /// Seconds from the start of the run, waiting included. Kept only where the host's signals are
  /// installed, as the command does.
  package var time: Double?
  /// Instructions of the interpreter, over all coroutines; rounded up to the next hundred. Counting
  /// makes a script two to three times slower, and `debug.sethook` is an error then.
  package var instructions: Int64?
  /// Bytes by which Lua's memory and the process's heap may grow.
  ///
  /// In the command, whose allocator keeps the ledger (`MemoryLedger`), every block counts from when
  /// it is made. Over the limit the script is ended at the next call, turn or instruction, unless a
  /// collection helps. What would be more than half as much again is not made: strings, bodies and
  /// documents are asked for before, and where code that cannot do without needs it, the process
  /// ends.
  ///
  /// Elsewhere Lua's allocator counts, bodies, documents and a kilobyte for each object of Lull's
  /// count, and if the heap of the whole process has grown by more than these since the limit was
  /// set, that counts instead. There a single call may go beyond the limit before it is looked at.
  package var memory: Int64?

  package init(time: Double? = nil, instructions: Int64? = nil, memory: Int64? = nil) {
    self.time = time
    self.instructions = instructions
    self.memory = memory
  }

  /// What runs, in words, where that is no script; nil: it is one.
  package var subject: String?

  /// Whether time and instructions are those of each stretch of code, inside a program that has set them.
  var isOfStretches = false

  /// What is said of each, in the order of `LULL_LIMIT_*`.
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

  /// As messages have them.
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
