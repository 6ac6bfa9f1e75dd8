extension Lua {
  /// The table of globals, `_G`.
  ///
  /// - Throws: `closed`, `memoryLimit`.
  public func globals() throws(LuaError) -> Table {
    let core = try core
    return try .first(of: core.callNow(core.helpers().globals, []))
  }

  /// The global of that name.
  ///
  ///     let handler: Lua.Function = try lua.get("handler")
  ///
  /// - Throws: `mismatch` if it is no `Global`; a global that is not set is `nil`, which an optional type
  ///   takes.
  public func get<Global: LuaDecodable>(_ name: String) throws(LuaError) -> Global {
    try globals().get(name)
  }

  /// Sets the global of that name; `nil` takes it away.
  ///
  /// - Throws: `mismatch` if the value has no form in Lua, `runtime` what a metatable of the globals raises; `closed`,
  ///   `memoryLimit`.
  public func set(_ name: String, _ value: some LuaEncodable) throws(LuaError) {
    try globals().set(name, value)
  }

  /// A new, empty table.
  ///
  /// - Throws: `closed`, `memoryLimit`.
  public func makeTable() throws(LuaError) -> Table {
    let core = try core
    let values = try core.callNow(core.helpers().same, [.map([])])
    return try .first(of: values)
  }
}
