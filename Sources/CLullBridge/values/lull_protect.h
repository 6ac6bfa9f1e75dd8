#ifndef LULL_PROTECT_H
#define LULL_PROTECT_H

#include "runtime/lull_runtime.h"

int lull_protect(lull_runtime *runtime, lua_CFunction function, void *context);

#endif
