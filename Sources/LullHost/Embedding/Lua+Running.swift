import LullCore

extension Lua {
  /// Runs Lua source code, waits until it returns, and returns its first result.
  ///
  /// Order of events: the source is compiled and runs immediately until it returns or waits. While
  /// it waits, the event loop and the rest of the program continue. The caller resumes when the
  /// code has returned. Cancelling the calling task cancels the run: the code after its wait does
  /// not run. Globals that the code sets remain set.
  ///
  ///     let status: Int = try await lua.run("return api('/users/1'):load():await().http_status")
  ///
  /// - Parameters:
  ///   - source: the Lua source code; a `#!` line at the beginning is skipped.
  ///   - name: the name of the source in messages and tracebacks.
  ///   - arguments: the values of `...` in the source.
  /// - Throws: `LuaError`: `syntax`, `runtime`, the kind of an exceeded limit, `mismatch` if the
  ///   result does not convert to `Result`, `cancelled`, `closed`.
  public func run<each Argument: LuaEncodable, Result: LuaDecodable>(
    _ source: String, name: String = "script", _ arguments: repeat each Argument
  ) async throws(LuaError) -> Result {
    try .first(of: await runForAll(source, name: name, repeat each arguments))
  }

  /// Runs Lua source code, waits until it returns, and returns its first result unconverted, or
  /// `nil` if there is none.
  ///
  /// - Throws: the errors of `run` with a typed result, except `mismatch` for the result.
  @discardableResult @_disfavoredOverload
  public func run<each Argument: LuaEncodable>(
    _ source: String, name: String = "script", _ arguments: repeat each Argument
  ) async throws(LuaError) -> Value {
    try await runForAll(source, name: name, repeat each arguments).first ?? .nil
  }

  /// Runs Lua source code, waits until it returns, and returns all results.
  ///
  /// - Throws: the errors of `run`, except `mismatch` for the result.
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

  /// Runs Lua source code without waiting, and returns its first result. Code that would have to
  /// wait raises an error at its line.
  ///
  /// - Throws: `LuaError`: `syntax`, `runtime`, the kind of an exceeded limit, `mismatch` if the
  ///   result does not convert to `Result`, `closed`.
  public func runNow<each Argument: LuaEncodable, Result: LuaDecodable>(
    _ source: String, name: String = "script", _ arguments: repeat each Argument
  ) throws(LuaError) -> Result {
    let values = try Value.all(repeat each arguments)
    return try .first(of: core.runNow(source, name: name, values))
  }

  /// Runs Lua source code without waiting, and returns its first result unconverted, or `nil`.
  ///
  /// - Throws: the errors of `runNow` with a typed result, except `mismatch` for the result.
  @discardableResult @_disfavoredOverload
  public func runNow<each Argument: LuaEncodable>(
    _ source: String, name: String = "script", _ arguments: repeat each Argument
  ) throws(LuaError) -> Value {
    let values = try Value.all(repeat each arguments)
    return try core.runNow(source, name: name, values).first ?? .nil
  }

  /// Runs a Lua file, waits until it returns, and returns its first result, as `run` does for
  /// source code.
  ///
  /// A relative path is resolved against the working directory of the process. Modules that the
  /// file loads with `require` are found as `access` specifies.
  ///
  /// - Throws: the errors of `run`, and `unreadable` if the file cannot be read.
  public func run<each Argument: LuaEncodable, Result: LuaDecodable>(
    file path: String, _ arguments: repeat each Argument
  ) async throws(LuaError) -> Result {
    try .first(of: await runForAll(file: path, repeat each arguments))
  }

  /// Runs a Lua file, waits until it returns, and returns its first result unconverted, or `nil`.
  ///
  /// - Throws: the errors of `run` for a file, except `mismatch` for the result.
  @discardableResult @_disfavoredOverload
  public func run<each Argument: LuaEncodable>(
    file path: String, _ arguments: repeat each Argument
  ) async throws(LuaError) -> Value {
    try await runForAll(file: path, repeat each arguments).first ?? .nil
  }

  /// Runs a Lua file, waits until it returns, and returns all results.
  ///
  /// - Throws: the errors of `run` for a file, except `mismatch` for the result.
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
