// Blocks of at most LULL_LARGEST_BLOCK bytes; one goes back where it came from.
#ifndef LULL_BLOCKS_H
#define LULL_BLOCKS_H

#include <stddef.h>

enum { LULL_LARGEST_BLOCK = 512 };

// Small blocks of memory of one state.
typedef struct lull_blocks lull_blocks;

// NULL without memory.
lull_blocks *lull_blocks_new(void);
void lull_blocks_free(lull_blocks *blocks);
void *lull_blocks_take(lull_blocks *blocks, size_t size);
void lull_blocks_give(lull_blocks *blocks, void *block);
// How much of the system's memory it has, in use or not.
size_t lull_blocks_mapped(const lull_blocks *blocks);
// Whether a block for the one size is one for the other.
int lull_blocks_fit(size_t size, size_t other);

#endif
