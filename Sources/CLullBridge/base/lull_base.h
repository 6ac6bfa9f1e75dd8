// The base of every room of the bridge: Lua, and the header that Swift sees. The only file that
// includes lua.h.
//
// A room is a source file with its header, a floor a folder. A room uses only rooms that come
// before it in this list, by headers and by calls. The rooms of `ending`, which end code that does
// not end by itself, may also use each other. Scripts/check reads the list and checks the files
// against it.
//
//   base     lull_base lull_stack lull_keys lull_kinds lull_queue lull_arena lull_blocks lull_output lull_warnings lull_scripts
//   runtime  lull_runtime
//   ending   lull_watchdog lull_alarm lull_signal lull_limit lull_interrupt lull_memory lull_work
//   values   lull_protect lull_stored lull_marks lull_readonly lull_integer lull_read lull_order lull_inspect lull_tables
//   values   lull_document lull_push lull_anchor lull_content lull_snapshot
//   json     lull_equal lull_pointer lull_difference lull_json
//   calls    lull_arguments lull_dispatch lull_objects lull_list
//   runs     lull_pool lull_position lull_traceback lull_failure lull_closing lull_coroutine lull_thread lull_sequence
//   runs     lull_chunks lull_load
//   counted  lull_matcher lull_patterns lull_elements lull_counted
//   states   lull_modules lull_sandbox lull_inspection lull_gate lull_limits lull_command lull_show lull_session
//   states   lull_module lull_state
#ifndef LULL_BASE_H
#define LULL_BASE_H

#if !__has_include(<lua5.4/lua.h>)
#error "there is no <lua5.4/lua.h>: on Debian, apt-get install liblua5.4-dev"
#endif
#include <lua5.4/lua.h>
#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>

#include "lull_bridge.h"

#endif
