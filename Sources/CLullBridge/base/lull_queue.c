#include "base/lull_queue.h"

#include <stdlib.h>
#include <string.h>

enum { LULL_FIRST_CAPACITY = 64 };

int lull_queue_grow(lull_queue *queue) {
  size_t capacity = queue->capacity ? queue->capacity * 2 : LULL_FIRST_CAPACITY;
  uint64_t *larger = realloc(queue->items, capacity * sizeof(uint64_t));
  if (larger == NULL) return 0;
  queue->items = larger;
  queue->capacity = capacity;
  return 1;
}

void lull_queue_remove(lull_queue *queue, size_t first, size_t end) {
  if (first == end) return;
  memmove(queue->items + first, queue->items + end, (queue->count - end) * sizeof(uint64_t));
  queue->count -= end - first;
}

void lull_queue_free(lull_queue *queue) {
  free(queue->items);
  *queue = (lull_queue){.items = NULL};
}
