// Handles, ids and places that are noted for later, where nothing else may be done: in finalisers, and
// while values are pushed. Plain memory, none of it Lua's.
#ifndef LULL_QUEUE_H
#define LULL_QUEUE_H

#include <stddef.h>
#include <stdint.h>

typedef struct lull_queue {
  uint64_t *items;
  size_t count;
  size_t capacity;
} lull_queue;

// Makes room for one item more; 0 without memory.
int lull_queue_grow(lull_queue *queue);

// Without memory the item is not noted.
static inline void lull_queue_add(lull_queue *queue, uint64_t item) {
  if (queue->count == queue->capacity && !lull_queue_grow(queue)) return;
  queue->items[queue->count++] = item;
}

// Takes those from `first` to before `end` out.
void lull_queue_remove(lull_queue *queue, size_t first, size_t end);
// Empty afterwards, and usable.
void lull_queue_free(lull_queue *queue);

#endif
