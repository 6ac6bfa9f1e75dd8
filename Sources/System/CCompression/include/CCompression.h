// zlib, brotli and zstd as the system has them, each loaded when the first body comes that needs it.
// libcurl brings all three as a rule; it is not asked to undo codings because it does not say whether
// a compressed stream has come to its end.
#ifndef CCOMPRESSION_H
#define CCOMPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  /// gzip, or zlib where a server takes the one for the other.
  CCOMPRESSION_GZIP,
  CCOMPRESSION_ZLIB,
  /// What zlib holds, without its head and checksum.
  CCOMPRESSION_DEFLATE,
  CCOMPRESSION_BROTLI,
  /// With windows of up to 8 MB (RFC 9659).
  CCOMPRESSION_ZSTD,
} ccompression_format;

typedef enum {
  /// All the input was taken, or all the output is full.
  CCOMPRESSION_GOES_ON,
  /// The stream has ended; what is left of the input stands behind it.
  CCOMPRESSION_ENDED,
  CCOMPRESSION_INVALID,
  CCOMPRESSION_NO_MEMORY,
} ccompression_result;

typedef struct ccompression_stream ccompression_stream;

/// Loads what reads that format, once per process; NULL, or why that is impossible, to be kept by nobody
/// else. Any thread.
const char *ccompression_load(ccompression_format format);

/// A stream of which nothing has been read; NULL if memory runs out or nothing can be loaded. The
/// caller closes it.
ccompression_stream *ccompression_open(ccompression_format format);

/// Reads from `input` and writes to `output`, and leaves in both counts how much is left of each.
ccompression_result ccompression_read(
  ccompression_stream *stream, const uint8_t *input, size_t *input_count, uint8_t *output,
  size_t *output_count);

/// After the end: what is read next is a stream of its own; false if memory runs out.
bool ccompression_restart(ccompression_stream *stream);

void ccompression_close(ccompression_stream *stream);

#endif
