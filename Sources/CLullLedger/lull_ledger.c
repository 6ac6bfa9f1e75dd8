// One ledger per process, since the heap is the process's.
#define _GNU_SOURCE
#include "lull_ledger.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

// Whether there is an allocator that enters what it makes; absent where it is not linked.
extern const int lull_malloc_counts __attribute__((weak));

int32_t lull_ledger_kept = 0;

// What a process may have beside its heap: code that is loaded later, the stacks of threads.
static const int64_t beside_heap = 8 * 1024 * 1024;

// What is made between two looks at the whole process, at least.
static const int64_t smallest_step = 256 * 1024;

static struct {
  _Atomic int64_t grown;
  _Atomic int64_t most;
  _Atomic int64_t unseen;  // what was made since the process was looked at
  _Atomic int32_t has_refused;
  int64_t step;
  int64_t resident;  // at the start
  int statm;         // the kernel's count of the process's pages
  void (*end)(void);
} ledger = {.statm = -1};

// Bytes of memory of its own that the process has; 0 if that is not known.
static int64_t resident_now(void) {
  char text[128];
  ssize_t count = ledger.statm < 0 ? -1 : pread(ledger.statm, text, sizeof(text) - 1, 0);
  if (count <= 0) return 0;
  text[count] = 0;
  long resident, shared;
  if (sscanf(text, "%*u %ld %ld", &resident, &shared) != 2) return 0;
  return (int64_t)(resident - shared) * sysconf(_SC_PAGESIZE);
}

int lull_ledger_open(int64_t most, void (*end)(void)) {
  if (&lull_malloc_counts == NULL) return 0;
  // A size of its own for blocks that the system gives and takes one by one: else it grows with them,
  // and what was freed stays with the process.
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  if (ledger.statm < 0) ledger.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  ledger.resident = resident_now();
  ledger.grown = ledger.unseen = 0;
  ledger.has_refused = 0;
  ledger.most = most;
  ledger.step = most / 32 > smallest_step ? most / 32 : smallest_step;
  ledger.end = end;
  __atomic_store_n(&lull_ledger_kept, 1, __ATOMIC_RELEASE);
  return 1;
}

void lull_ledger_reserve(int64_t more) {
  if (!lull_ledger_is_kept()) return;
  int64_t most = ledger.most, grown = ledger.grown;
  ledger.most = (grown > most ? grown : most) + more;
}

int64_t lull_ledger_grown(void) { return ledger.grown; }

size_t lull_ledger_room(void) {
  if (!lull_ledger_is_kept()) return SIZE_MAX;
  int64_t most = ledger.most, grown = ledger.grown;
  return grown < most ? (size_t)(most - grown) : 0;
}

int lull_ledger_may(size_t more) {
  return !lull_ledger_is_kept() || lull_ledger_allows(ledger.most, ledger.grown, more);
}

int lull_ledger_ask(size_t more) {
  if (lull_ledger_may(more)) return 1;
  ledger.has_refused = 1;
  return 0;
}

int lull_ledger_has_refused(void) { return lull_ledger_is_kept() && ledger.has_refused; }

// What has been freed between blocks that are in use counts for the process, not for the heap.
static int is_process_too_large(void) {
  return resident_now() - ledger.resident > ledger.most + beside_heap;
}

void lull_ledger_demand(size_t more) {
  if (!lull_ledger_allows(ledger.most, ledger.grown, more)) ledger.end();
  if (atomic_fetch_add(&ledger.unseen, (int64_t)more) + (int64_t)more < ledger.step) return;
  ledger.unseen = 0;
  if (!is_process_too_large()) return;
  malloc_trim(0);
  if (is_process_too_large()) ledger.end();
}

void lull_ledger_add(int64_t bytes) {
  if (lull_ledger_is_kept()) atomic_fetch_add_explicit(&ledger.grown, bytes, memory_order_relaxed);
}
