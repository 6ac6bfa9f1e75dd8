#ifndef LULL_WARNINGS_H
#define LULL_WARNINGS_H

#include "base/lull_base.h"

// Whether a state shows warnings, and whether the next message continues the last one.
typedef struct lull_warnings {
  int are_shown;
  int is_continued;
} lull_warnings;

void lull_warnings_open(lua_State *L, lull_warnings *warnings);

#endif
