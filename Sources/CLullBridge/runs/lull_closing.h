#ifndef LULL_CLOSING_H
#define LULL_CLOSING_H

#include "runtime/lull_runtime.h"

int lull_thread_reset(lull_runtime *runtime, lua_State *thread, int *is_interrupted);
void lull_thread_close(lull_runtime *runtime, lua_State *thread);

#endif
