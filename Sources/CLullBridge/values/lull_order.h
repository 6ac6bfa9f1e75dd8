// The order in which the keys of a table are shown, compared and written.
#ifndef LULL_ORDER_H
#define LULL_ORDER_H

#include "base/lull_base.h"

// [-0, +0] Sorts a list of `count` keys: numbers before strings before the rest, each by value;
// may raise.
void lull_order_sort(lua_State *L, int list, lua_Integer count);

// [-0, +1] Pushes the table from tables of JSON objects to the order of their keys in the
// document.
void lull_push_orders(lua_State *L);
// [-0, +0] Sets whether the key order is kept for all tables from now on, or only for copies.
void lull_keep_orders(lua_State *L, int keeps);
// [-0, +0] Copies the key order of the table at `from`, if it has one, to the table at `to`; may
// raise (memory).
void lull_copy_key_order(lua_State *L, int from, int to);

#endif
