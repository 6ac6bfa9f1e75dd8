// Asynchronous Swift functions that Lua code can call. There is an overload for each number of
// parameters, because the compiler (6.3) crashes in the caller's code if a
// `nonisolated(nonsending)` closure is passed for one with a parameter pack.
extension Lua {
  /// Creates a Lua function that calls an asynchronous Swift closure. The calling Lua code waits
  /// for the result while the event loop continues. Arguments, results and errors are converted as
  /// for a synchronous `function`.
  ///
  /// The closure runs on the home thread, as a task that is cancelled together with the waiting Lua
  /// code. If the calling Lua code can't wait, as in a predicate, the call raises an error. For a
  /// closure with more than four parameters, use `variadicFunction`.
  ///
  /// - Throws: `misuse` for a runtime that was made with a pump, which can't have asynchronous
  ///   functions; `closed`, `memoryLimit`.
  public func function<Result: LuaEncodable>(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping () async throws -> Result
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        try ArgumentReader.read(arguments)
        return [try await body().luaValue()]
      })
  }

  /// Creates a Lua function that calls an asynchronous Swift closure without parameters and without
  /// a result.
  ///
  /// - Throws: `misuse` for a runtime that was made with a pump; `closed`, `memoryLimit`.
  public func function(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping () async throws -> Void
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        try ArgumentReader.read(arguments)
        try await body()
        return []
      })
  }

  /// Creates a Lua function that calls an asynchronous Swift closure with one parameter.
  ///
  /// - Throws: `misuse` for a runtime that was made with a pump; `closed`, `memoryLimit`.
  public func function<First: LuaDecodable, Result: LuaEncodable>(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First) async throws -> Result
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        let first = try ArgumentReader.read(arguments, First.self)
        return [try await body(first).luaValue()]
      })
  }

  /// Creates a Lua function that calls an asynchronous Swift closure with one parameter and without
  /// a result.
  ///
  /// - Throws: `misuse` for a runtime that was made with a pump; `closed`, `memoryLimit`.
  public func function<First: LuaDecodable>(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First) async throws -> Void
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        let first = try ArgumentReader.read(arguments, First.self)
        try await body(first)
        return []
      })
  }

  /// Creates a Lua function that calls an asynchronous Swift closure with two parameters.
  ///
  /// - Throws: `misuse` for a runtime that was made with a pump; `closed`, `memoryLimit`.
  public func function<First: LuaDecodable, Second: LuaDecodable, Result: LuaEncodable>(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First, Second) async throws -> Result
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        let all = try ArgumentReader.read(
          arguments, First.self, Second.self)
        return [try await body(all.0, all.1).luaValue()]
      })
  }

  /// Creates a Lua function that calls an asynchronous Swift closure with two parameters and
  /// without a result.
  ///
  /// - Throws: `misuse` for a runtime that was made with a pump; `closed`, `memoryLimit`.
  public func function<First: LuaDecodable, Second: LuaDecodable>(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First, Second) async throws -> Void
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        let all = try ArgumentReader.read(
          arguments, First.self, Second.self)
        try await body(all.0, all.1)
        return []
      })
  }

  /// Creates a Lua function that calls an asynchronous Swift closure with three parameters.
  ///
  /// - Throws: `misuse` for a runtime that was made with a pump; `closed`, `memoryLimit`.
  public func function<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Result: LuaEncodable
  >(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First, Second, Third) async throws -> Result
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        let all = try ArgumentReader.read(
          arguments, First.self, Second.self, Third.self)
        return [try await body(all.0, all.1, all.2).luaValue()]
      })
  }

  /// Creates a Lua function that calls an asynchronous Swift closure with three parameters and
  /// without a result.
  ///
  /// - Throws: `misuse` for a runtime that was made with a pump; `closed`, `memoryLimit`.
  public func function<First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable>(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First, Second, Third) async throws -> Void
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        let all = try ArgumentReader.read(
          arguments, First.self, Second.self, Third.self)
        try await body(all.0, all.1, all.2)
        return []
      })
  }

  /// Creates a Lua function that calls an asynchronous Swift closure with four parameters.
  ///
  /// - Throws: `misuse` for a runtime that was made with a pump; `closed`, `memoryLimit`.
  public func function<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable,
    Result: LuaEncodable
  >(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First, Second, Third, Fourth) async throws -> Result
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        let all = try ArgumentReader.read(
          arguments, First.self, Second.self, Third.self, Fourth.self)
        return [try await body(all.0, all.1, all.2, all.3).luaValue()]
      })
  }

  /// Creates a Lua function that calls an asynchronous Swift closure with four parameters and
  /// without a result.
  ///
  /// - Throws: `misuse` for a runtime that was made with a pump; `closed`, `memoryLimit`.
  public func function<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable
  >(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First, Second, Third, Fourth) async throws -> Void
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        let all = try ArgumentReader.read(
          arguments, First.self, Second.self, Third.self, Fourth.self)
        try await body(all.0, all.1, all.2, all.3)
        return []
      })
  }

  /// Creates a Lua function that calls an asynchronous Swift closure with an array of all
  /// arguments. The elements of the array that the closure returns are the function's results.
  ///
  /// - Throws: `misuse` for a runtime that was made with a pump; `closed`, `memoryLimit`.
  public func variadicFunction(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping ([Value]) async throws -> [Value]
  ) throws(LuaError) -> Function {
    try core.makeFunction(SwiftFunction(waiting: name, body))
  }
}

// MARK: As globals

extension Lua {
  /// Sets a global to a Lua function that calls an asynchronous Swift closure. The function is
  /// created as by `function`.
  ///
  ///     try lua.set("load") { (path: String) async throws in
  ///       try await api.resource(path).load().entity().text
  ///     }
  public func set<Result: LuaEncodable>(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping () async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// Sets a global to a Lua function that calls an asynchronous Swift closure without parameters
  /// and without a result.
  ///
  /// - Throws: the errors of `function`; `runtime` if a metamethod of the globals table raises an
  ///   error.
  public func set(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping () async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// Sets a global to a Lua function that calls an asynchronous Swift closure with one parameter.
  ///
  /// - Throws: the errors of `function`; `runtime` if a metamethod of the globals table raises an
  ///   error.
  public func set<First: LuaDecodable, Result: LuaEncodable>(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First) async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// Sets a global to a Lua function that calls an asynchronous Swift closure with one parameter
  /// and without a result.
  ///
  /// - Throws: the errors of `function`; `runtime` if a metamethod of the globals table raises an
  ///   error.
  public func set<First: LuaDecodable>(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// Sets a global to a Lua function that calls an asynchronous Swift closure with two parameters.
  ///
  /// - Throws: the errors of `function`; `runtime` if a metamethod of the globals table raises an
  ///   error.
  public func set<First: LuaDecodable, Second: LuaDecodable, Result: LuaEncodable>(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second) async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// Sets a global to a Lua function that calls an asynchronous Swift closure with two parameters
  /// and without a result.
  ///
  /// - Throws: the errors of `function`; `runtime` if a metamethod of the globals table raises an
  ///   error.
  public func set<First: LuaDecodable, Second: LuaDecodable>(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// Sets a global to a Lua function that calls an asynchronous Swift closure with three
  /// parameters.
  ///
  /// - Throws: the errors of `function`; `runtime` if a metamethod of the globals table raises an
  ///   error.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Result: LuaEncodable
  >(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second, Third) async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// Sets a global to a Lua function that calls an asynchronous Swift closure with three parameters
  /// and without a result.
  ///
  /// - Throws: the errors of `function`; `runtime` if a metamethod of the globals table raises an
  ///   error.
  public func set<First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable>(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second, Third) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// Sets a global to a Lua function that calls an asynchronous Swift closure with four parameters.
  ///
  /// - Throws: the errors of `function`; `runtime` if a metamethod of the globals table raises an
  ///   error.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable,
    Result: LuaEncodable
  >(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second, Third, Fourth) async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// Sets a global to a Lua function that calls an asynchronous Swift closure with four parameters
  /// and without a result.
  ///
  /// - Throws: the errors of `function`; `runtime` if a metamethod of the globals table raises an
  ///   error.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable
  >(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second, Third, Fourth) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }
}
