// The dynamic product `lull.so`: `luaopen_lull`, in the C half of the bridge, asks `LullHost` for the
// host of the interpreter's thread, and this target is what links the two into one library.
@_exported public import LullHost
@_exported public import LullREPL
