// Handles, IDs and indices recorded for later, in places where nothing else may be done: in
// finalisers, and while values are pushed. Plain memory, not Lua's.
#ifndef LULL_QUEUE_H
#define LULL_QUEUE_H

#include <stddef.h>
#include <stdint.h>

typedef struct lull_queue {
  uint64_t *items;
  size_t count;
  size_t capacity;
} lull_queue;

// Makes room for one more item; 0 without memory.
int lull_queue_grow(lull_queue *queue);

// Without memory the item is not recorded.
static inline void lull_queue_add(lull_queue *queue, uint64_t item) {
  if (queue->count == queue->capacity && !lull_queue_grow(queue)) return;
  queue->items[queue->count++] = item;
}

// Removes the items from `first` up to, but not including, `end`.
void lull_queue_remove(lull_queue *queue, size_t first, size_t end);
// Frees the memory. The queue can be used again.
void lull_queue_free(lull_queue *queue);

#endif
