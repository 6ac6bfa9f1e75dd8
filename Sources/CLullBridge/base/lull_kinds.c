#include "lull_kinds.h"

static const char *const names[LULL_KIND_COUNT] = {
#define LULL_KIND_NAME(constant, word, name) name,
  LULL_KINDS(LULL_KIND_NAME)
#undef LULL_KIND_NAME
};

static const char *const words[LULL_KIND_COUNT] = {
#define LULL_KIND_WORD(constant, word, name) #word,
  LULL_KINDS(LULL_KIND_WORD)
#undef LULL_KIND_WORD
};

const char *lull_kind_name(int32_t kind) { return names[kind]; }

const char *lull_kind_word(int32_t kind) { return words[kind]; }
