// Writing where the script's own `print` writes.
#include "lull_internal.h"

#include <errno.h>
#include <stdio.h>

// Through the C library's buffer, as print does, so that the order of lines is that of the calls.
void lull_write_out(const void *bytes, size_t count) {
  fwrite(bytes, 1, count, stdout);
  fflush(stdout);
}

// [-0, +0] 0; the error number; -1 where something was lost earlier, and why is not known any more
int32_t lull_flush_out(void) {
  if (fflush(stdout) != 0) return errno;
  return ferror(stdout) ? -1 : 0;
}
