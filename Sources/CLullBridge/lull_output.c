// Writing where the script's own `print` writes.
#include "lull_internal.h"

#include <stdio.h>

// Through the C library's buffer, as print does, so that the order of lines is that of the calls.
void lull_write_out(const void *bytes, size_t count) {
  fwrite(bytes, 1, count, stdout);
  fflush(stdout);
}
