#ifndef LULL_LIST_H
#define LULL_LIST_H

#include "base/lull_base.h"

// The name in tracebacks of the source of these functions.
#define LULL_LIST_CHUNK "=lull.list"

void lull_list_open(lua_State *L);

#endif
