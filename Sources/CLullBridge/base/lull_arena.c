#include "base/lull_arena.h"

#include <lull_ledger.h>
#include <stdlib.h>

int lull_arena_extend(lull_arena *arena, size_t size) {
  if (arena->count == arena->capacity) {
    size_t capacity = arena->capacity ? arena->capacity * 2 : 8;
    lull_chunk *larger = realloc(arena->chunks, capacity * sizeof(lull_chunk));
    if (larger == NULL) return 0;
    arena->chunks = larger;
    arena->capacity = capacity;
  }
  size_t bytes = size > LULL_CHUNK ? size : LULL_CHUNK;
  char *memory = lull_ledger_ask(bytes) ? malloc(bytes) : NULL;
  if (memory == NULL) return 0;
  arena->chunks[arena->count++] =
    (lull_chunk){.memory = memory, .size = bytes, .start = arena->top};
  return 1;
}

void lull_arena_shrink(lull_arena *arena, size_t mark) {
  while (arena->count > 1 && arena->chunks[arena->count - 1].start >= mark) {
    free(arena->chunks[--arena->count].memory);
  }
  if (arena->count == 1 && mark == 0 && arena->chunks[0].size > LULL_CHUNK) {
    free(arena->chunks[0].memory);
    arena->count = 0;
  }
}

void lull_arena_free(lull_arena *arena) {
  for (size_t i = 0; i < arena->count; i++) free(arena->chunks[i].memory);
  free(arena->chunks);
  *arena = (lull_arena){.top = 0};
}
