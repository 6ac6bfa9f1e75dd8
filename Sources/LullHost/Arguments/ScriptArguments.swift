import LullArguments

/// The command line of a script as `lull.args` was told: what it may look like, and what the script
/// wants its words as.
struct ScriptArguments {
  /// What the script has said of an argument that is for Lua alone.
  struct Meaning {
    /// The default.
    var standard: LuaValue?
    /// The kept function that makes something of the text.
    var function: Int64?
  }

  var spec: ArgumentSpec
  /// Of each argument, in the order of the specification.
  let meanings: [Meaning]
}
