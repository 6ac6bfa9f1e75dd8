// The order in which the keys of a table are shown and compared.
#ifndef LULL_ORDER_H
#define LULL_ORDER_H

#include "base/lull_base.h"

// [-0, +0] sorts a list of `count` keys: numbers before strings before the rest, each by value; may raise
void lull_order_sort(lua_State *L, int list, lua_Integer count);

#endif
