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

extension Lua {
  /// A function that is in Lua, to be called from Swift.
  ///
  /// Home thread only; otherwise as `Reference`.
  public final class Function {
    let reference: Reference

    init(_ reference: Reference) { self.reference = reference }

    var callable: Callable { Callable(id: reference.id) }

    /// Calls it, waiting for what it waits for, and gives its first result.
    ///
    ///     let handler: Lua.Function = try lua.get("handler")
    ///     let answer: String = try await handler(1, "two", ["three": 3])
    ///
    /// - Throws: As `Lua.run`.
    public func callAsFunction<each Argument: LuaEncodable, Result: LuaDecodable>(
      _ arguments: repeat each Argument
    ) async throws(LuaError) -> Result {
      let values = try Value.all(repeat each arguments)
      return try .first(of: await reference.core.call(callable, values))
    }

    /// The same, whatever the result is; `nil` if there is none.
    ///
    /// - Throws: As `Lua.run`, but no `mismatch` of the result.
    @discardableResult @_disfavoredOverload
    public func callAsFunction<each Argument: LuaEncodable>(
      _ arguments: repeat each Argument
    ) async throws(LuaError) -> Value {
      let values = try Value.all(repeat each arguments)
      return try await reference.core.call(callable, values).first ?? .nil
    }

    /// The same with all results.
    ///
    /// - Throws: As `Lua.run`, but no `mismatch` of the result.
    public func callForAll<each Argument: LuaEncodable>(
      _ arguments: repeat each Argument
    ) async throws(LuaError) -> [Value] {
      let values = try Value.all(repeat each arguments)
      return try await reference.core.call(callable, values)
    }

    /// Calls it where it must not wait, and gives its first result: what would wait is an error of its
    /// line.
    ///
    /// - Throws: As `Lua.runNow`.
    public func callNow<each Argument: LuaEncodable, Result: LuaDecodable>(
      _ arguments: repeat each Argument
    ) throws(LuaError) -> Result {
      let values = try Value.all(repeat each arguments)
      return try .first(of: reference.core.callNow(callable, values))
    }

    /// The same, whatever the result is; `nil` if there is none.
    ///
    /// - Throws: As `Lua.runNow`, but no `mismatch` of the result.
    @discardableResult @_disfavoredOverload
    public func callNow<each Argument: LuaEncodable>(
      _ arguments: repeat each Argument
    ) throws(LuaError) -> Value {
      let values = try Value.all(repeat each arguments)
      return try reference.core.callNow(callable, values).first ?? .nil
    }
  }
}

/// Small functions of Lua's that Swift calls to reach into tables: they heed metatables, and what these
/// raise is an error like any other. Compiled when the first one is needed.
struct LuaHelpers {
  let get: Callable
  let set: Callable
  let length: Callable
  let same: Callable
  let globals: Callable

  init(_ core: RuntimeCore) throws(LuaError) {
    func function(_ text: String) throws(LuaError) -> Callable {
      // Held until the state closes.
      try core.compile(Array(text.utf8), name: "=lull").callable
    }
    get = try function("local table, key = ... return table[key]")
    set = try function("local table, key, value = ... table[key] = value")
    length = try function("return #...")
    same = try function("return ...")
    globals = try function("return _G")
  }
}
