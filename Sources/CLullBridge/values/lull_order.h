// The order in which the keys of a table are shown, compared and written.
#ifndef LULL_ORDER_H
#define LULL_ORDER_H

#include "base/lull_base.h"

// [-0, +0] sorts a list of `count` keys: numbers before strings before the rest, each by value; may raise
void lull_order_sort(lua_State *L, int list, lua_Integer count);

// [-0, +1] the table from those of JSON objects to the order of their keys in the document
void lull_push_orders(lua_State *L);
// [-0, +0] whether the order of the keys of all tables is kept from now on, or only that of copies
void lull_keep_orders(lua_State *L, int keeps);
// [-0, +0] gives the table at `to` the order of keys of the one at `from`, if that has one; may raise (memory)
void lull_copy_key_order(lua_State *L, int from, int to);

#endif
