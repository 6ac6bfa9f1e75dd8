// Swift functions that Lua code can call.
extension Lua {
  /// Creates a Lua function that calls a Swift closure. It can be stored in a table field, passed
  /// as an argument, or returned as a result.
  ///
  /// The parameter and result types must convert from and to Lua. If an argument does not convert,
  /// the call raises an error at the line of the Lua caller. A missing argument is `nil`, which an
  /// optional parameter accepts. An extra argument is an error.
  ///
  /// If the closure throws, the call raises too. A `RequestError` is raised unchanged. Any other
  /// error is raised as an object: `tostring` returns its place and text, `message` and `type`
  /// return the parts. If Lua code does not catch it, it is in `LuaError.thrown`.
  ///
  /// The closure runs on the home thread, inside the call. It is released when Lua's garbage
  /// collector frees the function.
  ///
  /// - Parameter name: the name shown where a caller waits for the function.
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

  /// Creates a Lua function that calls a Swift closure without a result.
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

  /// Creates a Lua function that calls a Swift closure with an array of all arguments. The elements
  /// of the array that the closure returns are the function's results.
  ///
  /// - Throws: `closed`, `memoryLimit`.
  public func variadicFunction(
    _ name: String = "function", _ body: @escaping ([Value]) throws -> [Value]
  ) throws(LuaError) -> Function {
    try core.makeFunction(SwiftFunction(name, body))
  }

  /// Sets a global to a Lua function that calls a Swift closure. The function is created as by
  /// `function`.
  ///
  ///     try lua.set("greet") { (name: String) in "hello \(name)" }
  ///
  /// - Throws: the errors of `function`; `runtime` if a metamethod of the globals table raises an
  ///   error.
  public func set<each Parameter: LuaDecodable, Result: LuaEncodable>(
    _ name: String, _ body: @escaping (repeat each Parameter) throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// Sets a global to a Lua function that calls a Swift closure without a result.
  ///
  /// - Throws: the errors of `function`; `runtime` if a metamethod of the globals table raises an
  ///   error.
  public func set<each Parameter: LuaDecodable>(
    _ name: String, _ body: @escaping (repeat each Parameter) throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }
}

extension Lua {
  /// A Lua function that Swift can call.
  ///
  /// It keeps the function alive as a `Reference` does. Home thread only.
  public final class Function {
    let reference: Reference

    init(_ reference: Reference) { self.reference = reference }

    var callable: Callable { Callable(id: reference.id) }

    /// Calls the function, waits until it returns, and returns its first result.
    ///
    ///     let handler: Lua.Function = try lua.get("handler")
    ///     let answer: String = try await handler(1, "two", ["three": 3])
    ///
    /// - Throws: the errors of `Lua.run`.
    public func callAsFunction<each Argument: LuaEncodable, Result: LuaDecodable>(
      _ arguments: repeat each Argument
    ) async throws(LuaError) -> Result {
      let values = try Value.all(repeat each arguments)
      return try .first(of: await reference.core.call(callable, values))
    }

    /// Calls the function, waits until it returns, and returns its first result unconverted, or
    /// `nil` if there is none.
    ///
    /// - Throws: the errors of `Lua.run`, except `mismatch` for the result.
    @discardableResult @_disfavoredOverload
    public func callAsFunction<each Argument: LuaEncodable>(
      _ arguments: repeat each Argument
    ) async throws(LuaError) -> Value {
      let values = try Value.all(repeat each arguments)
      return try await reference.core.call(callable, values).first ?? .nil
    }

    /// Calls the function, waits until it returns, and returns all results.
    ///
    /// - Throws: the errors of `Lua.run`, except `mismatch` for the result.
    public func callForAll<each Argument: LuaEncodable>(
      _ arguments: repeat each Argument
    ) async throws(LuaError) -> [Value] {
      let values = try Value.all(repeat each arguments)
      return try await reference.core.call(callable, values)
    }

    /// Calls the function without waiting, and returns its first result. Lua code that would have
    /// to wait raises an error at its line.
    ///
    /// - Throws: the errors of `Lua.runNow`.
    public func callNow<each Argument: LuaEncodable, Result: LuaDecodable>(
      _ arguments: repeat each Argument
    ) throws(LuaError) -> Result {
      let values = try Value.all(repeat each arguments)
      return try .first(of: reference.core.callNow(callable, values))
    }

    /// Calls the function without waiting, and returns its first result unconverted, or `nil`.
    ///
    /// - Throws: the errors of `Lua.runNow`, except `mismatch` for the result.
    @discardableResult @_disfavoredOverload
    public func callNow<each Argument: LuaEncodable>(
      _ arguments: repeat each Argument
    ) throws(LuaError) -> Value {
      let values = try Value.all(repeat each arguments)
      return try reference.core.callNow(callable, values).first ?? .nil
    }
  }
}

/// Small Lua functions that Swift calls to access tables, compiled on first use. They respect
/// metatables. An error that a metamethod raises is reported like any other error.
struct LuaHelpers {
  let get: Callable
  let set: Callable
  let length: Callable
  let same: Callable
  let globals: Callable

  init(_ core: RuntimeCore) throws(LuaError) {
    func function(_ text: String) throws(LuaError) -> Callable {
      // The compiled function stays referenced until the state closes.
      try core.compile(Array(text.utf8), name: "=lull").callable
    }
    get = try function("local table, key = ... return table[key]")
    set = try function("local table, key, value = ... table[key] = value")
    length = try function("return #...")
    same = try function("return ...")
    globals = try function("return _G")
  }
}
