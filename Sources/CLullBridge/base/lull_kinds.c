#include "lull_kinds.h"

static const char *const names[LULL_KIND_COUNT] = {
#define LULL_KIND_NAME(constant, word, name) name,
  LULL_KINDS(LULL_KIND_NAME)
#undef LULL_KIND_NAME
};

const char *lull_kind_name(int32_t kind) { return names[kind]; }
