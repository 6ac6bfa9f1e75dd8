public import LullCore

extension Lua {
  /// What Lua code is given of the interpreter's library and of the machine.
  public enum Access: Sendable, Hashable {
    /// `lull`, `string`, `table`, `math`, `utf8`, `coroutine` and the harmless functions of the base
    /// library: no files, no processes, no environment, no C modules, no precompiled code. Requests go
    /// wherever the network lets them. `require` finds text modules below the folder, if there is one.
    case sandbox(modules: String?)
    /// Everything that the stock interpreter has but precompiled chunks. `require` looks into the folder
    /// first, if there is one. `os.exit` raises an error: the process is the program's.
    case full(modules: String?)

    /// The sandbox without modules.
    public static var sandbox: Access { .sandbox(modules: nil) }
    /// Everything, with the modules that the interpreter finds by itself.
    public static var full: Access { .full(modules: nil) }
  }

  /// How much Lua code may take; nil: as much as it likes.
  ///
  /// Instructions and seconds are those of a *stretch*: what runs without pause, from the moment Swift or
  /// an event calls into Lua until it returns or waits. Where a stretch goes beyond, its call fails, however
  /// much the code catches, and the next one begins anew. To bound how long a call may take with what it
  /// waits for, cancel its task. Both make Lua code two to three times slower.
  ///
  /// Patterns, and functions of `table` and `lull` that walk over values, count their work as instructions and end
  /// at the limits. What cannot be interrupted is a function of a C module, `os` or `io`, and a `__gc` metamethod.
  ///
  /// Recursion through an asynchronous function is one stretch: the Lua code that such a function calls belongs to
  /// the stretch that called the function, and so does what follows, unless there is a pause of 50 ms.
  public struct Limits: Sendable, Hashable {
    /// Bytes that Lua may take for its values, with a kilobyte for each object of Lull's. Where it would
    /// need more, a collection failing to help, its call fails; the next one can go on once enough of
    /// what it holds is garbage. A single call may go beyond it before it is looked at. Bodies of
    /// responses do not count: `Service.configure` limits these.
    public var memory: Int?
    /// Instructions of the interpreter in one stretch, rounded up to the next hundred.
    public var instructions: Int?
    /// Seconds of one stretch.
    public var seconds: Double?

    /// Those that are given; nil sets none.
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
  /// Refuses numbers that limit nothing.
  func check() throws(LuaError) {
    if let memory, memory <= 0 {
      throw LuaError(.misuse, "limits.memory is a number of bytes above 0, not \(memory)")
    }
    if let instructions, instructions <= 0 {
      throw LuaError(.misuse, "limits.instructions is a number above 0, not \(instructions)")
    }
    if let seconds, !(seconds > 0 && seconds.isFinite) {
      throw LuaError(.misuse, "limits.seconds is a number above 0, not \(seconds)")
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
  /// The same with a duration of a stretch. (SWF-162)
  @_disfavoredOverload
  public init(memory: Int? = nil, instructions: Int? = nil, seconds: Duration) {
    self.init(
      memory: memory, instructions: instructions, seconds: Double(seconds: seconds) as Double?)
  }
}

extension DurationSettable where Self == Lua.Limits {
  /// The same as a duration. (SWF-162)
  @_disfavoredOverload
  public var seconds: Duration? {
    get { (self.seconds as Double?).map { Duration(clamping: $0) } }
    set { self.seconds = newValue.map { Double(seconds: $0) } as Double? }
  }
}
