// Functions of Swift's for Lua code to call.
extension Lua {
  /// A function of Swift's, as a value of Lua's: for a field of a table, an argument, a result.
  ///
  /// Its parameters and its result are of types that go to and come from Lua. Arguments that do not fit
  /// raise at the line that called it, and so does what it throws: an error of a request as itself,
  /// anything else as an object that holds it, of which `tostring` gives the place and the text, and
  /// `message` and `type` the parts. Where Lua code lets it through, it is in `LuaError.thrown`. What is not
  /// given is `nil`, which an optional parameter takes; what is given beyond its parameters is an error. It
  /// runs on the home thread, inside the call; Lua's collector decides when the closure is let go of.
  ///
  /// - Parameter name: what it is called where somebody waits for it.
  public func function<each Parameter: LuaDecodable, Result: LuaEncodable>(
    _ name: String = "function",
    _ body: @escaping (repeat each Parameter) throws -> Result
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(name) { arguments in
        let parameters = try ArgumentReader.read(arguments, repeat (each Parameter).self)
        return [try body(repeat each parameters).luaValue()]
      })
  }

  /// The same of one without a result.
  ///
  /// - Throws: `closed`, `memoryLimit`.
  public func function<each Parameter: LuaDecodable>(
    _ name: String = "function",
    _ body: @escaping (repeat each Parameter) throws -> Void
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(name) { arguments in
        let parameters = try ArgumentReader.read(arguments, repeat (each Parameter).self)
        try body(repeat each parameters)
        return []
      })
  }

  /// A function of Swift's that takes as many arguments as are given, and returns as many results as it
  /// likes.
  ///
  /// - Throws: `closed`, `memoryLimit`.
  public func variadicFunction(
    _ name: String = "function", _ body: @escaping ([Value]) throws -> [Value]
  ) throws(LuaError) -> Function {
    try core.makeFunction(SwiftFunction(name, body))
  }

  /// Sets the global of that name to a function of Swift's, as `function` makes one.
  ///
  ///     try lua.set("greet") { (name: String) in "hello \(name)" }
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<each Parameter: LuaDecodable, Result: LuaEncodable>(
    _ name: String, _ body: @escaping (repeat each Parameter) throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same for one without a result.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<each Parameter: LuaDecodable>(
    _ name: String, _ body: @escaping (repeat each Parameter) throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }
}
