#ifndef LULL_JSON_H
#define LULL_JSON_H

#include "runtime/lull_runtime.h"

void lull_open_json(lua_State *L, lull_runtime *runtime);

#endif
