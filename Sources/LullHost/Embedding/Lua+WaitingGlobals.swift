// Asynchronous functions of Swift's as globals, one for each number of parameters.
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

  /// The same with five parameters.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable,
    Fifth: LuaDecodable, Result: LuaEncodable
  >(
    _ name: String,
    _ body:
      nonisolated(nonsending) @escaping (First, Second, Third, Fourth, Fifth) async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with five parameters, without a result.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable,
    Fifth: LuaDecodable
  >(
    _ name: String,
    _ body:
      nonisolated(nonsending) @escaping (First, Second, Third, Fourth, Fifth) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with six parameters.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable,
    Fifth: LuaDecodable, Sixth: LuaDecodable, Result: LuaEncodable
  >(
    _ name: String,
    _ body:
      nonisolated(nonsending) @escaping (First, Second, Third, Fourth, Fifth, Sixth) async throws ->
      Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with six parameters, without a result.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable,
    Fifth: LuaDecodable, Sixth: LuaDecodable
  >(
    _ name: String,
    _ body:
      nonisolated(nonsending) @escaping (First, Second, Third, Fourth, Fifth, Sixth) async throws ->
      Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with seven parameters.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable,
    Fifth: LuaDecodable, Sixth: LuaDecodable, Seventh: LuaDecodable, Result: LuaEncodable
  >(
    _ name: String,
    _ body:
      nonisolated(nonsending) @escaping (First, Second, Third, Fourth, Fifth, Sixth, Seventh)
      async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with seven parameters, without a result.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable,
    Fifth: LuaDecodable, Sixth: LuaDecodable, Seventh: LuaDecodable
  >(
    _ name: String,
    _ body:
      nonisolated(nonsending) @escaping (First, Second, Third, Fourth, Fifth, Sixth, Seventh)
      async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with eight parameters.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable,
    Fifth: LuaDecodable, Sixth: LuaDecodable, Seventh: LuaDecodable, Eighth: LuaDecodable,
    Result: LuaEncodable
  >(
    _ name: String,
    _ body:
      nonisolated(nonsending) @escaping (
        First, Second, Third, Fourth, Fifth, Sixth, Seventh, Eighth
      ) async throws -> Result
  ) throws(LuaError) {
    try set(name, function(name, body))
  }

  /// The same with eight parameters, without a result.
  ///
  /// - Throws: As `function`; `runtime` what a metatable of the globals raises.
  public func set<
    First: LuaDecodable, Second: LuaDecodable, Third: LuaDecodable, Fourth: LuaDecodable,
    Fifth: LuaDecodable, Sixth: LuaDecodable, Seventh: LuaDecodable, Eighth: LuaDecodable
  >(
    _ name: String,
    _ body:
      nonisolated(nonsending) @escaping (
        First, Second, Third, Fourth, Fifth, Sixth, Seventh, Eighth
      ) async throws -> Void
  ) throws(LuaError) {
    try set(name, function(name, body))
  }
}
