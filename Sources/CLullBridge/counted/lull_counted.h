// Functions of the interpreter's library that would run for as long as their arguments make them.
#ifndef LULL_COUNTED_H
#define LULL_COUNTED_H

#include "runtime/lull_runtime.h"

// [-0, +0] puts functions whose work counts in the place of those of `string` and `table`, as far as
// these are there, and of the kind that takes limits.
void lull_count_functions(lua_State *L);

#endif
