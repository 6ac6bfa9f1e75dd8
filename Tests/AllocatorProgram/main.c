// A program with the command's allocator, for AllocatorTests: argv[1] says what it does.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 20, SIZE = 40 };

// Not known to the compiler, which would leave out what has no use.
static void *(*volatile make)(size_t size) = malloc;
static void (*volatile let_go)(void *block) = free;

static int free_twice(void) {
  void *blocks[COUNT];
  for (int i = 0; i < COUNT; i++) blocks[i] = make(SIZE);
  for (int i = 0; i < COUNT; i++) let_go(blocks[i]);
  let_go(blocks[3]);
  return 0;
}

// A block that looks freed by its bytes alone.
static int free_a_likeness(void) {
  unsigned char bytes[SIZE];
  void *volatile block = make(SIZE);
  let_go(block);
  memcpy(bytes, block, SIZE);
  void *again = make(SIZE);
  if (again != block) return 1;
  memcpy(again, bytes, SIZE);
  let_go(again);
  uintptr_t *zeroed = calloc(1, SIZE);
  if ((void *)zeroed != block) return 2;
  for (int i = 0; i < (int)(SIZE / sizeof *zeroed); i++) {
    if (zeroed[i] != 0) return 3;
  }
  let_go(zeroed);
  return 0;
}

// More of each size than are kept, let go in another order, and none of them twice in use.
static int use_many(void) {
  enum { BLOCKS = 2000 };
  static unsigned char *blocks[BLOCKS];
  for (int round = 0; round < 50; round++) {
    for (int i = 0; i < BLOCKS; i++) {
      size_t size = (size_t)((i * 7 + round * 13) % 600);
      blocks[i] = make(size + 2);
      memset(blocks[i], i % 251, size + 2);
      blocks[i][0] = (unsigned char)(i / 251);
    }
    for (int i = 0; i < BLOCKS; i++) {
      unsigned char *block = blocks[(i * 7) % BLOCKS];
      int own = (i * 7) % BLOCKS;
      size_t size = (size_t)((own * 7 + round * 13) % 600);
      if (block[0] != own / 251 || block[size + 1] != own % 251) return 1;
      let_go(block);
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "twice") == 0) return free_twice();
  if (strcmp(what, "likeness") == 0) return free_a_likeness();
  if (strcmp(what, "many") == 0) return use_many();
  fprintf(stderr, "usage: allocator-program twice|likeness|many\n");
  return 64;
}
