#ifndef LULL_CHUNKS_H
#define LULL_CHUNKS_H

#include "runtime/lull_runtime.h"

void lull_refuse_bytecode(lua_State *L, int sandboxed);
const char *lull_reworded(lua_State *L, const char *message);

#endif
