// The system interpreter's headers. No `link` line: see the note beside `lua` in Package.swift.
#if !__has_include(<lua5.4/lua.h>)
#error "there is no <lua5.4/lua.h>: on Debian, apt-get install liblua5.4-dev"
#endif
#include <lua5.4/lua.h>
#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>
