// The system's zlib, brotli and zstd, each loaded when the first body needs it. libcurl usually
// depends on all three. It is not used for decoding, because it does not report whether a
// compressed stream is complete.
#ifndef CCOMPRESSION_H
#define CCOMPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  /// gzip, or zlib, because some servers confuse them.
  CCOMPRESSION_GZIP,
  CCOMPRESSION_ZLIB,
  /// zlib data without its header and checksum.
  CCOMPRESSION_DEFLATE,
  CCOMPRESSION_BROTLI,
  /// With windows of up to 8 MB (RFC 9659).
  CCOMPRESSION_ZSTD,
} ccompression_format;

typedef enum {
  /// All input was read, or the output is full.
  CCOMPRESSION_GOES_ON,
  /// The stream has ended; the remaining input follows it.
  CCOMPRESSION_ENDED,
  CCOMPRESSION_INVALID,
  CCOMPRESSION_NO_MEMORY,
} ccompression_result;

typedef struct ccompression_stream ccompression_stream;

/// Loads the library for that format, once per process. Returns NULL, or why that is impossible;
/// the text belongs to the library. Any thread.
const char *ccompression_load(ccompression_format format);

/// The version of that library; NULL if it cannot be loaded, and why in `problem`. Any thread.
const char *ccompression_version(ccompression_format format, const char **problem);

/// Returns a new stream, or NULL if memory runs out or the library cannot be loaded. The caller
/// closes it.
ccompression_stream *ccompression_open(ccompression_format format);

/// Reads from `input` and writes to `output`. Sets both counts to the remaining sizes.
ccompression_result ccompression_read(
  ccompression_stream *stream, const uint8_t *input, size_t *input_count, uint8_t *output,
  size_t *output_count);

/// After the end of a stream, starts to read another one. Returns false if memory runs out.
bool ccompression_restart(ccompression_stream *stream);

void ccompression_close(ccompression_stream *stream);

#endif
