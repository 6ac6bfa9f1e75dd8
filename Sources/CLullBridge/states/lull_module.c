// The module table: what `require "lull"` gives.
#include "states/lull_module.h"

#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "calls/lull_list.h"
#include "calls/lull_objects.h"
#include "json/lull_json.h"
#include "values/lull_inspect.h"
#include "values/lull_push.h"

// [-0, +1] the module table, from the method table; a dot in a name makes a sub-table
void lull_make_module(lull_runtime *runtime, lua_State *L) {
  LULL_EFFECT(L, 0, 1);
  lua_newtable(L);
  for (int i = 0; i < runtime->method_count; i++) {
    const lull_method *method = &runtime->methods[i];
    if (method->kind != LULL_KIND_MODULE || method->role != LULL_ROLE_METHOD) continue;
    // Not part of the module: lull_replace_exit puts it elsewhere.
    if (strcmp(method->name, "os.exit") == 0) continue;
    const char *dot = strchr(method->name, '.');
    if (dot) {
      lua_pushlstring(L, method->name, (size_t)(dot - method->name));
      lua_pushvalue(L, -1);
      if (lua_rawget(L, -3) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -2);
        lua_pushvalue(L, -2);
        lua_rawset(L, -5);
      }
      lull_set_closure(L, dot + 1, i);
      lua_pop(L, 2);
    } else {
      lull_set_closure(L, method->name, i);
    }
  }
  lull_registry_push(L, runtime->null);
  lua_setfield(L, -2, "null");
  lull_value log = {
    .kind = LULL_OBJECT, .aux = LULL_KIND_LOG, .handle = lull_host_log(runtime->host)};
  lull_push(runtime, L, NULL, &log);
  lua_setfield(L, -2, "log");
  lua_pushstring(L, lull_host_version());
  lua_setfield(L, -2, "version");
  lull_open_json(L, runtime);
  lull_list_open(L);
  lua_pushcfunction(L, lull_inspect);
  lua_setfield(L, -2, "inspect");
  lua_pushcfunction(L, lull_copy);
  lua_setfield(L, -2, "copy");
}
