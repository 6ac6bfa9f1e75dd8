#ifndef LULL_MALLOC_H
#define LULL_MALLOC_H

/* Nothing to call: the target replaces malloc and its relatives in the program it is linked to. */
extern const int lull_malloc_counts;

#endif
