#ifndef LULL_LEDGER_H
#define LULL_LEDGER_H

/*
 * The ledger of a process that runs a script under a limit of memory: how much more than at the start
 * of the script there is, and how much more there may be. Whoever is about to make something large
 * asks first, on any thread: what reads values, what takes bodies, what parses.
 *
 * It is kept in the command, whose allocator (lull_malloc.c) enters every block there is, so that
 * what did not ask is counted too, and ends the process before the block that would be too much.
 * Elsewhere everything may be made.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether there is a limit; for lull_ledger_is_kept. */
extern int32_t lull_ledger_kept;

/* Cheap: what is made without a limit costs no more than this. On any thread, as all below. */
static inline int lull_ledger_is_kept(void) {
  return __atomic_load_n(&lull_ledger_kept, __ATOMIC_RELAXED) != 0;
}

/* The rule: whether so much more keeps to what there may be. Never overflows. */
static inline int lull_ledger_allows(int64_t most, int64_t grown, size_t more) {
  return grown <= most && more <= (uint64_t)(most - grown);
}

/*
 * Begins to count, from nothing. There may be `most` bytes; `end` is called where more would be made
 * by code that cannot do without, on any thread, and does not return. 0 where nobody counts.
 */
int lull_ledger_open(int64_t most, void (*end)(void));

/* The limit has been passed: there may be so much more than there is, to report it. Safe anywhere. */
void lull_ledger_reserve(int64_t more);

/* Bytes there are more than at the start; may be below 0. */
int64_t lull_ledger_grown(void);

/* How many more there may be; SIZE_MAX without a limit. */
size_t lull_ledger_room(void);

/* Whether so many more may be made. */
int lull_ledger_may(size_t more);

/* The same, for those who go without if not: a refusal is remembered, and the run is to end. */
int lull_ledger_ask(size_t more);

/* Whether somebody had to go without. */
int lull_ledger_has_refused(void);

/* So many bytes are about to be made by code that cannot do without: may not return. */
void lull_ledger_demand(size_t more);

/* So many bytes have been made, or given back if it is below 0. */
void lull_ledger_add(int64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
