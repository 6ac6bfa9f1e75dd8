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
