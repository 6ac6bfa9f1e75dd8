#ifndef LULL_LIST_H
#define LULL_LIST_H

#include "base/lull_base.h"

// What tracebacks know the text by that these functions are written in.
#define LULL_LIST_CHUNK "=lull.list"

void lull_list_open(lua_State *L);

#endif
