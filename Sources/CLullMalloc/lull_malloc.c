// The allocator of the command: the C library's, which tells the ledger what it makes while a script
// has a limit of memory. (glibc manual, "Replacing malloc")
//
// Without a limit each function does what the library's does, but for small blocks of the main thread,
// which does nearly all of the work: some that were freed stay at hand for the next of their size. The
// library keeps seven of each (glibc 2.36), and a turn of the loop frees those of all its exchanges
// together; nor does its calloc look among them.
#define _GNU_SOURCE
#include "lull_malloc.h"

#include <errno.h>
#include <lull_ledger.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The C library's own, by the names it keeps for this purpose.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

const int lull_malloc_counts = 1;

#define IS_COUNTED __builtin_expect(lull_ledger_is_kept(), 0)

// What the library writes before each block.
enum { HEADER = 8 };

static int64_t size_of(void *block) {
  return block ? (int64_t)malloc_usable_size(block) + HEADER : 0;
}

static void *entered(void *block) {
  lull_ledger_add(size_of(block));
  return block;
}

// Sizes of blocks with their headers: multiples of one, up to the other.
enum { STEP = 16, LARGEST = 512 };

// Blocks of one size that were freed; beside them, so that what writes into one cannot mislead this.
enum { MOST_AT_HAND = 128 };
typedef struct shelf {
  uint32_t count;
  void *blocks[MOST_AT_HAND];
} shelf;

static shelf shelves[LARGEST / STEP + 1];

// What the second word of a block at hand is, so that one freed twice ends the program, as it does in
// the library.
#define AT_HAND ((uintptr_t)shelves ^ (uintptr_t)0xa5a5a5a5a5a5a5a5)

static _Thread_local int is_main_thread;

__attribute__((constructor)) static void note_main_thread(void) { is_main_thread = 1; }

// Where blocks for so many bytes are; NULL if nowhere.
static inline shelf *shelf_for(size_t size) {
  if (!is_main_thread || size > LARGEST - HEADER) return NULL;
  return &shelves[size <= 2 * STEP - HEADER ? 2 : (size + HEADER + STEP - 1) / STEP];
}

// The last block of that many bytes that was freed; NULL if none is at hand.
static inline void *taken(size_t size) {
  shelf *place = shelf_for(size);
  if (!place || place->count == 0) return NULL;
  uintptr_t *block = place->blocks[--place->count];
  block[1] = 0;
  return block;
}

// The block looks like one that is at hand: either it is, or its bytes are the same by chance.
static __attribute__((noinline, cold)) void refuse_if_at_hand(const shelf *place, const void *block) {
  for (uint32_t i = 0; i < place->count; i++) {
    if (place->blocks[i] != block) continue;
    static const char text[] = "lull: a block of memory was freed twice\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) abort();
    abort();
  }
}

// Whether the block is at hand from now on, to be freed by nobody.
static inline int is_put_back(void *block) {
  shelf *place = shelf_for(malloc_usable_size(block));
  if (!place) return 0;
  uintptr_t *words = block;
  if (__builtin_expect(words[1] == AT_HAND, 0)) refuse_if_at_hand(place, block);
  if (place->count == MOST_AT_HAND) return 0;
  words[1] = AT_HAND;
  place->blocks[place->count++] = block;
  return 1;
}

__attribute__((visibility("default"))) void *malloc(size_t size) {
  if (!IS_COUNTED) {
    void *block = taken(size);
    return block ? block : __libc_malloc(size);
  }
  lull_ledger_demand(size);
  return entered(__libc_malloc(size));
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size) {
  size_t bytes;
  if (!IS_COUNTED) {
    void *block = __builtin_mul_overflow(count, size, &bytes) ? NULL : taken(bytes);
    return block ? memset(block, 0, bytes) : __libc_calloc(count, size);
  }
  if (!__builtin_mul_overflow(count, size, &bytes)) lull_ledger_demand(bytes);
  return entered(__libc_calloc(count, size));
}

__attribute__((visibility("default"))) void *realloc(void *block, size_t size) {
  if (!IS_COUNTED) return __libc_realloc(block, size);
  int64_t before = size_of(block);
  if ((uint64_t)before < size) lull_ledger_demand(size - (size_t)before);
  void *result = __libc_realloc(block, size);
  // Without memory the block stays; of size 0 it is freed.
  if (result || size == 0) lull_ledger_add(size_of(result) - before);
  return result;
}

// Apart from the question below, which is all there is to do for three of five: libcurl and OpenSSL free
// much that was never made.
static __attribute__((noinline)) void free_block(void *block) {
  if (IS_COUNTED) {
    lull_ledger_add(-size_of(block));
  } else if (is_put_back(block)) {
    return;
  }
  __libc_free(block);
}

__attribute__((visibility("default"))) void free(void *block) {
  if (block) free_block(block);
}

__attribute__((visibility("default"))) void *memalign(size_t alignment, size_t size) {
  if (!IS_COUNTED) return __libc_memalign(alignment, size);
  lull_ledger_demand(size);
  return entered(__libc_memalign(alignment, size));
}

__attribute__((visibility("default"))) void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

__attribute__((visibility("default"))) int posix_memalign(
  void **block, size_t alignment, size_t size) {
  int is_power = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!is_power || alignment % sizeof(void *) != 0) return EINVAL;
  int error = errno;
  void *result = memalign(alignment, size);
  errno = error;
  if (result == NULL) return ENOMEM;
  *block = result;
  return 0;
}

__attribute__((visibility("default"))) void *valloc(size_t size) {
  return memalign((size_t)sysconf(_SC_PAGESIZE), size);
}

__attribute__((visibility("default"))) void *pvalloc(size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return memalign(page, (size + page - 1) / page * page);
}
