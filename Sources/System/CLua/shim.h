// The system interpreter's headers. No `link` line: see the note beside `lua` in Package.swift.
#include <lua5.4/lua.h>
#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>
