// Asynchronous functions of Swift's for Lua code to call. One for each number of parameters: the compiler
// (6.3) crashes where a closure that stays on its caller's actor has a pack of them.
extension Lua {
  /// An asynchronous function of Swift's, as a value of Lua's: the Lua code that calls it waits for it,
  /// and the loop goes on meanwhile. Otherwise as the function of the same name that answers at once.
  ///
  /// It runs on the home thread, as a task that is cancelled with the Lua code that waits. Where that
  /// cannot wait, as in a predicate, the call raises. A runtime that was made with a pump has no such
  /// functions: `misuse`.
  public func function<Result: LuaEncodable>(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping () async throws -> Result
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        try ArgumentReader(arguments).end()
        return [try await body().luaValue()]
      })
  }

  /// The same with no parameter, without a result.
  public func function(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping () async throws -> Void
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        try ArgumentReader(arguments).end()
        try await body()
        return []
      })
  }

  /// The same with one parameter.
  public func function<First: LuaDecodable, Result: LuaEncodable>(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First) async throws -> Result
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        var reader = ArgumentReader(arguments)
        let first = try reader.next(First.self)
        try reader.end()
        return [try await body(first).luaValue()]
      })
  }

  /// The same with one parameter, without a result.
  public func function<First: LuaDecodable>(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First) async throws -> Void
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        var reader = ArgumentReader(arguments)
        let first = try reader.next(First.self)
        try reader.end()
        try await body(first)
        return []
      })
  }

  /// The same with two parameters.
  public func function<First: LuaDecodable, Second: LuaDecodable, Result: LuaEncodable>(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First, Second) async throws -> Result
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        var reader = ArgumentReader(arguments)
        let first = try reader.next(First.self)
        let second = try reader.next(Second.self)
        try reader.end()
        return [try await body(first, second).luaValue()]
      })
  }

  /// The same with two parameters, without a result.
  public func function<First: LuaDecodable, Second: LuaDecodable>(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First, Second) async throws -> Void
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        var reader = ArgumentReader(arguments)
        let first = try reader.next(First.self)
        let second = try reader.next(Second.self)
        try reader.end()
        try await body(first, second)
        return []
      })
  }

  /// The same with three parameters.
  public func function<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Result: LuaEncodable
  >(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First, Second, Third) async throws -> Result
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        var reader = ArgumentReader(arguments)
        let first = try reader.next(First.self)
        let second = try reader.next(Second.self)
        let third = try reader.next(Third.self)
        try reader.end()
        return [try await body(first, second, third).luaValue()]
      })
  }

  /// The same with three parameters, without a result.
  public func function<First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable>(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First, Second, Third) async throws -> Void
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        var reader = ArgumentReader(arguments)
        let first = try reader.next(First.self)
        let second = try reader.next(Second.self)
        let third = try reader.next(Third.self)
        try reader.end()
        try await body(first, second, third)
        return []
      })
  }

  /// The same with four parameters.
  public func function<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable,
    Result: LuaEncodable
  >(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First, Second, Third, Fourth) async throws -> Result
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        var reader = ArgumentReader(arguments)
        let first = try reader.next(First.self)
        let second = try reader.next(Second.self)
        let third = try reader.next(Third.self)
        let fourth = try reader.next(Fourth.self)
        try reader.end()
        return [try await body(first, second, third, fourth).luaValue()]
      })
  }

  /// The same with four parameters, without a result.
  public func function<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable
  >(
    _ name: String = "function",
    _ body: nonisolated(nonsending) @escaping (First, Second, Third, Fourth) async throws -> Void
  ) throws(LuaError) -> Function {
    try core.makeFunction(
      SwiftFunction(waiting: name) { arguments in
        var reader = ArgumentReader(arguments)
        let first = try reader.next(First.self)
        let second = try reader.next(Second.self)
        let third = try reader.next(Third.self)
        let fourth = try reader.next(Fourth.self)
        try reader.end()
        try await body(first, second, third, fourth)
        return []
      })
  }

  /// Sets the global of that name to an asynchronous function of Swift's.
  ///
  ///     try lua.set("pause") { (seconds: Double) in try await Task.sleep(for: .seconds(seconds)) }
  public func set<Result: LuaEncodable>(
    _ name: String, _ body: nonisolated(nonsending) @escaping () async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with no parameter, without a result.
  public func set(
    _ name: String, _ body: nonisolated(nonsending) @escaping () async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with one parameter.
  public func set<First: LuaDecodable, Result: LuaEncodable>(
    _ name: String, _ body: nonisolated(nonsending) @escaping (First) async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with one parameter, without a result.
  public func set<First: LuaDecodable>(
    _ name: String, _ body: nonisolated(nonsending) @escaping (First) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with two parameters.
  public func set<First: LuaDecodable, Second: LuaDecodable, Result: LuaEncodable>(
    _ name: String, _ body: nonisolated(nonsending) @escaping (First, Second) async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with two parameters, without a result.
  public func set<First: LuaDecodable, Second: LuaDecodable>(
    _ name: String, _ body: nonisolated(nonsending) @escaping (First, Second) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with three parameters.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Result: LuaEncodable
  >(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second, Third) async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with three parameters, without a result.
  public func set<First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable>(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second, Third) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with four parameters.
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
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable
  >(
    _ name: String,
    _ body: nonisolated(nonsending) @escaping (First, Second, Third, Fourth) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }
}
