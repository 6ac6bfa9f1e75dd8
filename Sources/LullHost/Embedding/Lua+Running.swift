import LullCore

extension Lua {
  /// Runs a text of Lua, waiting for what it waits for, and gives its first result.
  ///
  /// Order of events: it is compiled, and runs at once until it returns or waits; meanwhile the loop and
  /// the rest of the program go on; the caller goes on when it has returned. Cancelling the waiting task
  /// cancels it: code behind its wait does not run. Globals it sets stay.
  ///
  ///     let status: Int = try await lua.run("return api('/users/1'):load():await().http_status")
  ///
  /// - Parameters:
  ///   - source: the text; a `#!` line at its beginning is skipped.
  ///   - name: what messages and tracebacks call it.
  ///   - arguments: what it gets as `...`.
  /// - Throws: `LuaError`: `syntax`, `runtime`, a limit's, `mismatch` if the result is no `Result`,
  ///   `cancelled`, `closed`.
  public func run<each Argument: LuaEncodable, Result: LuaDecodable>(
    _ source: String, name: String = "script", _ arguments: repeat each Argument
  ) async throws(LuaError) -> Result {
    try .first(of: await runForAll(source, name: name, repeat each arguments))
  }

  /// The same, whatever the result is; `nil` if there is none.
  ///
  /// - Throws: `LuaError`, but no `mismatch` of the result.
  @discardableResult @_disfavoredOverload
  public func run<each Argument: LuaEncodable>(
    _ source: String, name: String = "script", _ arguments: repeat each Argument
  ) async throws(LuaError) -> Value {
    try await runForAll(source, name: name, repeat each arguments).first ?? .nil
  }

  /// The same with all results.
  ///
  /// - Throws: `LuaError`, but no `mismatch` of the result.
  public func runForAll<each Argument: LuaEncodable>(
    _ source: String, name: String = "script", _ arguments: repeat each Argument
  ) async throws(LuaError) -> [Value] {
    let values = try Value.all(repeat each arguments)
    let core = try core
    let chunk = try core.compile(
      SourceText.withoutFirstLineMarks(Array(source.utf8)), name: "=" + name)
    defer { core.release(chunk) }
    return try await core.call(chunk.callable, values)
  }

  /// Runs a text of Lua that must not wait, and gives its first result: what would wait is an error of
  /// its line.
  ///
  /// - Throws: `LuaError`: `syntax`, `runtime`, a limit's, `mismatch` if the result is no `Result`, `closed`.
  public func runNow<each Argument: LuaEncodable, Result: LuaDecodable>(
    _ source: String, name: String = "script", _ arguments: repeat each Argument
  ) throws(LuaError) -> Result {
    let values = try Value.all(repeat each arguments)
    return try .first(of: core.runNow(source, name: name, values))
  }

  /// The same, whatever the result is; `nil` if there is none.
  ///
  /// - Throws: `LuaError`, but no `mismatch` of the result.
  @discardableResult @_disfavoredOverload
  public func runNow<each Argument: LuaEncodable>(
    _ source: String, name: String = "script", _ arguments: repeat each Argument
  ) throws(LuaError) -> Value {
    let values = try Value.all(repeat each arguments)
    return try core.runNow(source, name: name, values).first ?? .nil
  }

  /// Runs a file of Lua as `run` does a text; relative paths are those of the process. Files that it loads
  /// itself, by `require`, are found as `access` says.
  ///
  /// - Throws: As `run`, and `unreadable` if the file cannot be read.
  public func run<each Argument: LuaEncodable, Result: LuaDecodable>(
    file path: String, _ arguments: repeat each Argument
  ) async throws(LuaError) -> Result {
    try .first(of: await runForAll(file: path, repeat each arguments))
  }

  /// The same, whatever the result is; `nil` if there is none.
  ///
  /// - Throws: `LuaError`, but no `mismatch` of the result.
  @discardableResult @_disfavoredOverload
  public func run<each Argument: LuaEncodable>(
    file path: String, _ arguments: repeat each Argument
  ) async throws(LuaError) -> Value {
    try await runForAll(file: path, repeat each arguments).first ?? .nil
  }

  /// The same with all results.
  ///
  /// - Throws: `LuaError`, but no `mismatch` of the result.
  public func runForAll<each Argument: LuaEncodable>(
    file path: String, _ arguments: repeat each Argument
  ) async throws(LuaError) -> [Value] {
    let values = try Value.all(repeat each arguments)
    let core = try core
    let text = try core.text(ofFile: path)
    let chunk = try core.compile(SourceText.withoutFirstLineMarks(text), name: "@" + path)
    defer { core.release(chunk) }
    return try await core.call(chunk.callable, values)
  }
}
