// Writing to the destination of the script's own `print`.
#define _GNU_SOURCE
#include "lull_bridge.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <unistd.h>

void lull_write_out(const char *bytes, size_t length) {
  if (length > 0) fwrite(bytes, 1, length, stdout);
}

// Returns 0 on success, else the error number. Returns -1 if earlier output was lost and its error
// number is unknown.
int32_t lull_flush_out(void) {
  if (fflush(stdout) != 0) return errno;
  return ferror(stdout) ? -1 : 0;
}

// Each stream exists once per process. `io` keeps the initial ones, which then buffer the output;
// `print` uses the current one and flushes it after each line, so it gets a different one.
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

// Writes the output of `print` in place of the removed lines, after the buffered output.
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
  // In this order, because the next write depends on the buffer position left by the last one.
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
