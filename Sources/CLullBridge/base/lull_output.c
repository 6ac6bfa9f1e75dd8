// Writing where the script's own `print` writes.
#include "lull_bridge.h"

#include <errno.h>
#include <stdio.h>

// 0; the error number; -1 where something was lost earlier, and why is not known any more
int32_t lull_flush_out(void) {
  if (fflush(stdout) != 0) return errno;
  return ferror(stdout) ? -1 : 0;
}
