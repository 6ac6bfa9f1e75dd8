#ifndef LULL_MODULE_H
#define LULL_MODULE_H

#include "runtime/lull_runtime.h"

void lull_make_module(lull_runtime *runtime, lua_State *L);

#endif
