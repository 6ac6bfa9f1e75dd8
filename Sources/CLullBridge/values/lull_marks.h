#ifndef LULL_MARKS_H
#define LULL_MARKS_H

#include "base/lull_base.h"

int lull_is_array(lua_State *L, int index);
int lull_is_plain_object(lua_State *L, int index);

#endif
