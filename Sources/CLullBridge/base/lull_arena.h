// Memory that lives until a mark is released, for data that is needed only during a call.
#ifndef LULL_ARENA_H
#define LULL_ARENA_H

#include <stddef.h>

enum { LULL_CHUNK = 64 * 1024 };

typedef struct lull_chunk {
  char *memory;
  size_t size;
  size_t start;  // the offset of its first byte
} lull_chunk;

typedef struct lull_arena {
  lull_chunk *chunks;
  size_t count;
  size_t capacity;
  size_t top;
} lull_arena;

// Adds a chunk with room for at least `size` bytes; 0 without memory.
int lull_arena_extend(lull_arena *arena, size_t size);
// Frees chunks that are unused below the mark.
void lull_arena_shrink(lull_arena *arena, size_t mark);
// Frees all chunks. The arena can be used again.
void lull_arena_free(lull_arena *arena);

// Returns NULL without memory.
static inline void *lull_arena_take(lull_arena *arena, size_t size) {
  size = (size + 15) & ~(size_t)15;
  const lull_chunk *last = arena->count ? &arena->chunks[arena->count - 1] : NULL;
  if (last == NULL || arena->top - last->start + size > last->size) {
    if (!lull_arena_extend(arena, size)) return NULL;
    last = &arena->chunks[arena->count - 1];
  }
  char *result = last->memory + (arena->top - last->start);
  arena->top += size;
  return result;
}

// Frees everything that was taken since the top was at the mark.
static inline void lull_arena_drop(lull_arena *arena, size_t mark) {
  if (arena->count > 1 || (arena->count == 1 && arena->chunks[0].size > LULL_CHUNK)) {
    lull_arena_shrink(arena, mark);
  }
  arena->top = mark;
}

#endif
