// The Lua code that is part of the product: the files in `scripts`.
#include "base/lull_scripts.h"

// From C23; this compiler supports it in every language version.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char list_text[] = {
#embed "../scripts/list.lua"
};
static const char test_text[] = {
#embed "../scripts/test.lua"
};
static const char filter_text[] = {
#embed "../scripts/filter.lua"
};
static const char environment_text[] = {
#embed "../scripts/environment.lua"
};
static const char gate_text[] = {
#embed "../scripts/gate.lua"
};

const char *lull_script_text(lull_script script, size_t *length) {
  switch (script) {
    case LULL_SCRIPT_LIST: *length = sizeof list_text; return list_text;
    case LULL_SCRIPT_TEST: *length = sizeof test_text; return test_text;
    case LULL_SCRIPT_FILTER: *length = sizeof filter_text; return filter_text;
    case LULL_SCRIPT_ENVIRONMENT: *length = sizeof environment_text; return environment_text;
    case LULL_SCRIPT_GATE: *length = sizeof gate_text; return gate_text;
  }
  *length = 0;
  return NULL;
}
