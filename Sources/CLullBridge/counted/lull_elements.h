// The functions of `table` that iterate over elements, whose work counts.
#ifndef LULL_ELEMENTS_H
#define LULL_ELEMENTS_H

#include "runtime/lull_runtime.h"

// [-n, +0]
int lull_table_insert(lua_State *L);
// [-n, +1]
int lull_table_remove(lua_State *L);
// [-n, +1]
int lull_table_move(lua_State *L);
// [-n, +1]
int lull_table_concat(lua_State *L);
// [-n, +m] upvalue: the stock function
int lull_table_sort(lua_State *L);

#endif
