// The dynamic product `lull.so`. Its entry point `luaopen_lull` is in the C half of the bridge,
// which asks this module for the host of the interpreter's thread. This target links all modules
// into one library.
import LullClients
@_exported public import LullHost
@_exported public import LullREPL

/// Creates the host for an interpreter that is not Lull's own, and attaches it to the runtime.
///
/// `luaopen_lull` calls this function if no host was preloaded. The function is exported to C,
/// because the bridge can't refer to a Swift target that depends on the bridge.
@c(lull_library_attach)
public func attachLibrary(_ runtime: OpaquePointer?) -> UnsafeMutableRawPointer? {
  guard let runtime else { return nil }
  return LuaHost.attachedPointer(library: .withClients, runtime: runtime)
}
