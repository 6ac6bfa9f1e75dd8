#ifndef LULL_OBJECTS_H
#define LULL_OBJECTS_H

#include "runtime/lull_runtime.h"

void lull_make_metatables(lull_runtime *runtime, lua_State *L);
// Sets the closure of a method as a field of the table at the top.
void lull_set_closure(lua_State *L, const char *field, int index);

#endif
