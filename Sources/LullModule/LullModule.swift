// The dynamic product `lull.so`: `luaopen_lull`, in the C half of the bridge, asks here for the host of
// the interpreter's thread, and this target is what links all of it into one library.
import LullClients
@_exported public import LullHost
@_exported public import LullREPL

/// Makes the host of an interpreter that is not Lull's own, and attaches it to its runtime.
///
/// What `luaopen_lull` calls if no host was preloaded: the bridge knows no target above it.
@c(lull_library_attach)
public func attachLibrary(_ runtime: OpaquePointer?) -> UnsafeMutableRawPointer? {
  guard let runtime else { return nil }
  return LuaHost.attachedPointer(library: .withClients, runtime: runtime)
}
