// Asynchronous functions of Swift's for Lua code to call. One for each number of parameters: where a closure
// that stays on its caller's actor is given for one with a pack of them, the compiler (6.3) crashes in the
// caller's own code.
extension Lua {
  /// An asynchronous function of Swift's, as a value of Lua's: the Lua code that calls it waits for it,
  /// and the loop goes on meanwhile. Otherwise as the function of the same name that answers at once.
  ///
  /// It runs on the home thread, as a task that is cancelled with the Lua code that waits. Where that
  /// cannot wait, as in a predicate, the call raises. A runtime that was made with a pump has no such
  /// functions: `misuse`. More than four parameters are for `variadicFunction`.
  ///
  /// - Throws: `misuse` for a runtime that was made with a pump; `closed`, `memoryLimit`.
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

  /// The same with no parameter, without a result.
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

  /// The same with one parameter.
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

  /// The same with one parameter, without a result.
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

  /// The same with two parameters.
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

  /// The same with two parameters, without a result.
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

  /// The same with three parameters.
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

  /// The same with three parameters, without a result.
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

  /// The same with four parameters.
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

  /// The same with four parameters, without a result.
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

  /// An asynchronous function that takes as many arguments as are given, and returns as many results as it
  /// likes.
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
  /// Sets the global of that name to an asynchronous function of Swift's, as `function` makes one.
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

  /// The same with no parameter, without a result.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping () async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with one parameter.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<First: LuaDecodable, Result: LuaEncodable>(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First) async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with one parameter, without a result.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<First: LuaDecodable>(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with two parameters.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<First: LuaDecodable, Second: LuaDecodable, Result: LuaEncodable>(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second) async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with two parameters, without a result.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<First: LuaDecodable, Second: LuaDecodable>(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with three parameters.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Result: LuaEncodable
  >(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second, Third) async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with three parameters, without a result.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable>(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second, Third) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with four parameters.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable,
    Result: LuaEncodable
  >(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second, Third, Fourth) async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with four parameters, without a result.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable
  >(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second, Third, Fourth) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }
}
