// Library functions whose running time depends only on their arguments.
#ifndef LULL_COUNTED_H
#define LULL_COUNTED_H

#include "runtime/lull_runtime.h"

// [-0, +0] Replaces the stock functions of `string` and `table`, as far as they are present, with
// functions whose work counts.
void lull_count_functions(lua_State *L);

#endif
