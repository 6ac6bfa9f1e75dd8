public import LullCore

extension Lua {
  /// The parts of the Lua library and of the machine that Lua code may use.
  public enum Access: Sendable, Hashable {
    /// `lull`, `string`, `table`, `math`, `utf8`, `coroutine` and the harmless functions of the
    /// base library. Files, processes, environment variables, C modules and precompiled code are
    /// not available. Requests may go wherever the network allows. If a folder is given, `require`
    /// finds Lua source modules in it.
    case sandbox(modules: String?)
    /// Everything that the stock interpreter offers, except precompiled chunks. If a folder is
    /// given, `require` searches it first. `os.exit` raises an error, because the process belongs
    /// to the Swift program.
    case full(modules: String?)

    /// The sandbox without a folder for modules.
    public static var sandbox: Access { .sandbox(modules: nil) }
    /// Full access with the default module search path of the interpreter.
    public static var full: Access { .full(modules: nil) }
  }

  /// Resource limits for Lua code; nil means no limit.
  ///
  /// `instructions` and `seconds` apply to one *stretch*: the code that runs without pause from the
  /// moment Swift or an event calls into Lua until it returns or waits. If a stretch exceeds a
  /// limit, its call fails, even if the code catches errors. The next stretch starts with full
  /// limits. Either limit makes Lua code two to three times slower. To limit the total duration of
  /// a call, including its waits, cancel its task.
  /// Pattern matching, and functions of `table` and `lull` that traverse values, count their work
  /// as instructions and stop at the limits. Functions of C modules, of `os` and of `io`, and
  /// `__gc` metamethods can't be interrupted.
  ///
  /// If Lua code calls an asynchronous Swift function, and that function calls Lua code again, the
  /// inner code belongs to the stretch of the caller. The Lua code that follows the call belongs to
  /// it too, unless there is a pause of 50 ms.
  public struct Limits: Sendable, Hashable {
    /// The maximum memory of Lua's values in bytes, counting 1 kB for each Lull object.
    ///
    /// If Lua needs more and a garbage collection does not free enough, the call fails. Later calls
    /// succeed once Lua code has released enough memory. A single call may exceed the limit before
    /// the memory is checked. Response bodies do not count: limit them with `Service.configure`.
    public var memory: Int?
    /// The maximum number of interpreter instructions in one stretch, rounded up to a multiple of
    /// 100.
    public var instructions: Int?
    /// The maximum duration of one stretch in seconds.
    public var seconds: Double?

    /// Creates limits; nil means no limit.
    public init(memory: Int? = nil, instructions: Int? = nil, seconds: Double? = nil) {
      self.memory = memory
      self.instructions = instructions
      self.seconds = seconds
    }

    /// No limits.
    public static var none: Limits { Limits() }
  }
}

extension Lua.Limits {
  /// Throws `misuse` if a limit is not a positive number.
  func check() throws(LuaError) {
    if let memory, memory <= 0 {
      throw LuaError(.misuse, "limits.memory must be a number of bytes above 0, got \(memory)")
    }
    if let instructions, instructions <= 0 {
      throw LuaError(.misuse, "limits.instructions must be a number above 0, got \(instructions)")
    }
    if let seconds, !(seconds > 0 && seconds.isFinite) {
      throw LuaError(.misuse, "limits.seconds must be a number above 0, got \(seconds)")
    }
  }

  var bridged: ScriptLimits {
    var limits = ScriptLimits(
      time: seconds, instructions: instructions.map { Int64($0) },
      memory: memory.map { Int64($0) })
    limits.isOfStretches = true
    return limits
  }
}

extension Lua.Limits: DurationSettable {
  /// Creates limits with the duration of a stretch as a `Duration`. (SWF-162)
  @_disfavoredOverload
  public init(memory: Int? = nil, instructions: Int? = nil, seconds: Duration) {
    self.init(
      memory: memory, instructions: instructions, seconds: Double(seconds: seconds) as Double?)
  }
}

extension DurationSettable where Self == Lua.Limits {
  /// The maximum duration of one stretch as a `Duration`. (SWF-162)
  @_disfavoredOverload
  public var seconds: Duration? {
    get { (self.seconds as Double?).map { Duration(clamping: $0) } }
    set { self.seconds = newValue.map { Double(seconds: $0) } as Double? }
  }
}
