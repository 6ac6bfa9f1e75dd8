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
