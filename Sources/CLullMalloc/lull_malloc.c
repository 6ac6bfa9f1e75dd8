// The allocator of the command: the C library's, which tells the ledger what it makes while a script
// has a limit of memory. (glibc manual, "Replacing malloc")
//
// Without a limit each function does what the library's does, after one look at a flag.
#define _GNU_SOURCE
#include "lull_malloc.h"

#include <errno.h>
#include <lull_ledger.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
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

__attribute__((visibility("default"))) void *malloc(size_t size) {
  if (!IS_COUNTED) return __libc_malloc(size);
  lull_ledger_demand(size);
  return entered(__libc_malloc(size));
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size) {
  if (!IS_COUNTED) return __libc_calloc(count, size);
  size_t bytes;
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

__attribute__((visibility("default"))) void free(void *block) {
  if (IS_COUNTED) lull_ledger_add(-size_of(block));
  __libc_free(block);
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
