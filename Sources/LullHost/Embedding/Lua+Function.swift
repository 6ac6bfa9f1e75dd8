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
