// Blocks of at most LULL_LARGEST_BLOCK bytes. Each is returned to the page it came from.
#ifndef LULL_BLOCKS_H
#define LULL_BLOCKS_H

#include <stddef.h>

enum { LULL_LARGEST_BLOCK = 512 };

// The small blocks of one state.
typedef struct lull_blocks lull_blocks;

// Returns NULL without memory.
lull_blocks *lull_blocks_new(void);
void lull_blocks_free(lull_blocks *blocks);
void *lull_blocks_take(lull_blocks *blocks, size_t size);
void lull_blocks_give(lull_blocks *blocks, void *block);
// The system memory it has mapped, in use or not.
size_t lull_blocks_mapped(const lull_blocks *blocks);
// Whether blocks for the two sizes have the same capacity.
int lull_blocks_fit(size_t size, size_t other);

#endif
