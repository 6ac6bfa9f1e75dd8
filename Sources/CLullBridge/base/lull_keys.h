// The registry keys of a state: the addresses of these variables.
#ifndef LULL_KEYS_H
#define LULL_KEYS_H

#include "base/lull_base.h"
#include "base/lull_stack.h"

extern const char lull_kind_key;     // in a metatable: the kind
extern const char lull_runtime_key;  // in the registry: the runtime
extern const char lull_array_key;    // in the registry: the metatable of JSON arrays
extern const char lull_orders_key;   // in the registry: table of a JSON object → its keys in order, weak keys
extern const char lull_ordered_key;  // in the registry: true if that holds all tables of JSON, not only copies
extern const char lull_shown_key;    // in the registry: the metatable of JSON objects
extern const char lull_omitted_key;  // in the registry: the names of nulls that tables were made without
extern const char lull_sandbox_key;  // in the registry: true in the sandbox
extern const char lull_host_key;     // in the registry: a host waiting for luaopen_lull

// [-0, +1] the value under a registry reference.
static inline void lull_registry_push(lua_State *L, int reference) {
  LULL_EFFECT(L, 0, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
}

#endif
