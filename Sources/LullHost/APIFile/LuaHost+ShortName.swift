import LullCore

extension LuaHost {
  /// A file as the interpreter's messages name it: of a long path they keep the end. (Lua 5.4 manual,
  /// `lua_Debug`, `short_src`)
  static func shortName(ofFile path: String) -> String {
    let size = 59
    let bytes = Array(path.utf8)
    guard bytes.count > size else { return path }
    return "..." + String(escaping: bytes.suffix(size - 3))
  }
}
