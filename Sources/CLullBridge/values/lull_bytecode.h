// What the compiler has made of a function: the same bytes whatever lines and names of locals its text has.
#ifndef LULL_BYTECODE_H
#define LULL_BYTECODE_H

#include "base/lull_base.h"

// Is told of a piece of it.
typedef void (*lull_bytecode_listener)(
  lua_State *L, void *context, const char *text, size_t length);

// [-0, +0] tells of the Lua function on top, in pieces; may raise
void lull_bytecode_say(lua_State *L, lull_bytecode_listener say, void *context);

#endif
