// Small blocks of memory for Lua, whose tables, strings and closures are many, small and
// short-lived.
//
// A page holds blocks of one size, so blocks need no header, and neighbours were allocated one
// after the other. An empty page can hold blocks of another size. A region whose pages are all
// empty is returned to the system, except for as many as the C library would keep.
#define _GNU_SOURCE
#include "base/lull_blocks.h"

#include <lull_ledger.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
  LULL_BLOCK_STEP = 16,
  LULL_BLOCK_SIZES = LULL_LARGEST_BLOCK / LULL_BLOCK_STEP,
  LULL_PAGE_SIZE = 16 * 1024,
  LULL_REGION_SIZE = 64 * LULL_PAGE_SIZE,
  LULL_EMPTY_REGIONS = 32
};

// A member of a list.
typedef struct member {
  struct member *next;
  struct member *previous;
} member;

// The header of a page; its blocks follow. The address of a page is a multiple of its size.
typedef struct page {
  member place;    // among those with room for blocks of the same size
  void *free;      // freed blocks; each begins with the address of the next one
  uint32_t fresh;  // nothing from here on has been used
  uint32_t used;
  uint32_t size;  // of its blocks
} page;

enum { LULL_PAGE_HEADER = 48 };
_Static_assert(sizeof(page) <= LULL_PAGE_HEADER, "the header of a page is larger");

// The header of a region, in place of its first page. Regions are aligned like pages.
typedef struct region {
  member place;    // among those with an empty page
  uint64_t empty;  // the set of its empty pages
} region;

enum { LULL_HEADER_PAGE = 1 };  // the bit of the first page
static const uint64_t all_empty = ~(uint64_t)LULL_HEADER_PAGE;

struct lull_blocks {
  member *open[LULL_BLOCK_SIZES];  // pages with room, by the size of their blocks
  member *regions;                 // those with an empty page
  int empty_regions;
  size_t mapped;  // bytes of all regions
};

static void link_first(member **list, member *new) {
  *new = (member){.next = *list};
  if (*list) (*list)->previous = new;
  *list = new;
}

static void unlink_from(member **list, const member *old) {
  if (old->next) old->next->previous = old->previous;
  *(old->previous ? &old->previous->next : list) = old->next;
}

static region *region_of(const void *address) {
  return (region *)((uintptr_t)address & ~(uintptr_t)(LULL_REGION_SIZE - 1));
}

static page *page_of(const void *address) {
  return (page *)((uintptr_t)address & ~(uintptr_t)(LULL_PAGE_SIZE - 1));
}

static int place_of(size_t size) { return (int)((size - 1) / LULL_BLOCK_STEP); }

// Returns a region of the system's memory with only empty pages; NULL without memory, or if the
// ledger has no room for it.
static region *make_region(lull_blocks *blocks) {
  if (!lull_ledger_may(LULL_REGION_SIZE)) return NULL;
  size_t size = 2 * (size_t)LULL_REGION_SIZE;
  char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  char *start = (char *)region_of(memory + LULL_REGION_SIZE - 1);
  if (start > memory) munmap(memory, (size_t)(start - memory));
  size_t rest = (size_t)(memory + size - start - LULL_REGION_SIZE);
  if (rest > 0) munmap(start + LULL_REGION_SIZE, rest);
  region *made = (region *)start;
  made->empty = all_empty;
  blocks->mapped += LULL_REGION_SIZE;
  lull_ledger_add(LULL_REGION_SIZE);
  return made;
}

// Returns an empty page for blocks of that size, linked among those with room; NULL without
// memory.
static page *make_page(lull_blocks *blocks, size_t size) {
  region *source = (region *)blocks->regions;
  if (source == NULL) {
    source = make_region(blocks);
    if (source == NULL) return NULL;
    link_first(&blocks->regions, &source->place);
    blocks->empty_regions++;
  }
  if (source->empty == all_empty) blocks->empty_regions--;
  int number = __builtin_ctzll(source->empty);
  source->empty &= source->empty - 1;
  if (source->empty == 0) unlink_from(&blocks->regions, &source->place);
  page *made = (page *)((char *)source + (size_t)number * LULL_PAGE_SIZE);
  *made = (page){.fresh = LULL_PAGE_HEADER, .size = (uint32_t)size};
  link_first(&blocks->open[place_of(size)], &made->place);
  return made;
}

// Returns a region to the system.
static void drop_region(lull_blocks *blocks, region *empty) {
  unlink_from(&blocks->regions, &empty->place);
  munmap(empty, LULL_REGION_SIZE);
  blocks->mapped -= LULL_REGION_SIZE;
  lull_ledger_add(-LULL_REGION_SIZE);
}

// Makes an empty page available for any size again.
static void drop_page(lull_blocks *blocks, page *empty) {
  region *home = region_of(empty);
  unlink_from(&blocks->open[place_of(empty->size)], &empty->place);
  if (home->empty == 0) link_first(&blocks->regions, &home->place);
  home->empty |= (uint64_t)1 << (((char *)empty - (char *)home) / LULL_PAGE_SIZE);
  if (home->empty != all_empty) return;
  // An empty region counts as used memory; under a limit others may need it.
  if (blocks->empty_regions == (lull_ledger_is_kept() ? 1 : LULL_EMPTY_REGIONS)) {
    drop_region(blocks, home);
  } else {
    blocks->empty_regions++;
  }
}

static int is_full(const page *of) {
  return of->free == NULL && of->fresh + of->size > LULL_PAGE_SIZE;
}

void *lull_blocks_take(lull_blocks *blocks, size_t size) {
  member **open = &blocks->open[place_of(size)];
  page *source = (page *)*open;
  if (source == NULL) {
    size_t rounded = (size_t)(place_of(size) + 1) * LULL_BLOCK_STEP;
    source = make_page(blocks, rounded);
    if (source == NULL) return NULL;
  }
  void *block = source->free;
  if (block) {
    source->free = *(void **)block;
  } else {
    block = (char *)source + source->fresh;
    source->fresh += source->size;
  }
  source->used++;
  if (is_full(source)) unlink_from(open, &source->place);
  return block;
}

void lull_blocks_give(lull_blocks *blocks, void *block) {
  page *home = page_of(block);
  member **open = &blocks->open[place_of(home->size)];
  if (is_full(home)) link_first(open, &home->place);
  *(void **)block = home->free;
  home->free = block;
  // The last page with room is kept, because it would soon be needed again.
  if (--home->used == 0 && (home->place.next || home->place.previous)) drop_page(blocks, home);
}

int lull_blocks_fit(size_t size, size_t other) { return place_of(size) == place_of(other); }

size_t lull_blocks_mapped(const lull_blocks *blocks) { return blocks->mapped; }

lull_blocks *lull_blocks_new(void) { return calloc(1, sizeof(lull_blocks)); }

// All blocks must have been freed.
void lull_blocks_free(lull_blocks *blocks) {
  for (int place = 0; place < LULL_BLOCK_SIZES; place++) {
    while (blocks->open[place]) drop_page(blocks, (page *)blocks->open[place]);
  }
  while (blocks->regions) drop_region(blocks, (region *)blocks->regions);
  free(blocks);
}
