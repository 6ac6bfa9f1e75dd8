// Writing where the script's own `print` writes.
#define _GNU_SOURCE
#include "lull_bridge.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <unistd.h>

void lull_write_out(const char *bytes, size_t length) {
  if (length > 0) fwrite(bytes, 1, length, stdout);
}

// 0; the error number; -1 where something was lost earlier, and why is not known any more
int32_t lull_flush_out(void) {
  if (fflush(stdout) != 0) return errno;
  return ferror(stdout) ? -1 : 0;
}

// The process has each stream once. `io` keeps those of the beginning, which then hold back what is
// written; `print` asks for the present one and flushes it after each line, so it gets another one.
static struct {
  void (*clear)(void);
  FILE *out;
  FILE *err;
  FILE *above;
  int is_inside_line;
  char out_buffer[1 << 16];
  char err_buffer[1 << 12];
} held;

static void flush_held(FILE *stream, const char *buffer) {
  size_t count = stream ? __fpending(stream) : 0;
  if (count == 0) return;
  held.is_inside_line = buffer[count - 1] != '\n';
  fflush(stream);
}

void lull_output_flush(void) {
  flush_held(held.out, held.out_buffer);
  flush_held(held.err, held.err_buffer);
}

// What `print` writes goes where the lines have been, behind what was held back.
static ssize_t write_above(void *cookie, const char *bytes, size_t count) {
  (void)cookie;
  held.clear();
  size_t done = 0;
  while (done < count) {
    ssize_t written = write(STDOUT_FILENO, bytes + done, count - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return 0;
    done += (size_t)written;
  }
  if (count > 0) held.is_inside_line = bytes[count - 1] != '\n';
  return (ssize_t)count;
}

void lull_output_hold(void (*clear)(void)) {
  held.clear = clear;
  held.is_inside_line = 0;
  if (isatty(STDERR_FILENO)) {
    held.err = stderr;
    setvbuf(held.err, held.err_buffer, _IOFBF, sizeof held.err_buffer);
  }
  if (!isatty(STDOUT_FILENO)) return;
  fflush(stdout);
  held.out = stdout;
  setvbuf(held.out, held.out_buffer, _IOFBF, sizeof held.out_buffer);
  held.above = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_above});
  if (held.above) stdout = held.above;
}

void lull_output_release(void) {
  lull_output_flush();
  if (held.above) {
    stdout = held.out;
    fclose(held.above);
  }
  // In this order: the next write looks at where the last one has left the buffer.
  if (held.out) {
    setvbuf(held.out, NULL, _IOLBF, 0);
    fflush(held.out);
  }
  if (held.err) setvbuf(held.err, NULL, _IONBF, 0);
  held.out = held.err = held.above = NULL;
}

int32_t lull_output_has_held(void) {
  return (held.out && __fpending(held.out) > 0) || (held.err && __fpending(held.err) > 0);
}

int32_t lull_output_is_inside_line(void) { return held.is_inside_line; }
