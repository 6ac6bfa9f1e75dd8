#include "CCompression.h"

#include <CLoader.h>
#if !__has_include(<brotli/decode.h>)
#error "there is no <brotli/decode.h>: on Debian, apt-get install libbrotli-dev"
#endif
#include <brotli/decode.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#if !__has_include(<zlib.h>)
#error "there is no <zlib.h>: on Debian, apt-get install zlib1g-dev"
#endif
#include <zlib.h>
#if !__has_include(<zstd.h>)
#error "there is no <zstd.h>: on Debian, apt-get install libzstd-dev"
#endif
#include <zstd.h>
#include <zstd_errors.h>

// The largest window of a zstd body, as a power of two.
enum { ZSTD_WINDOW_BITS = 23 };

static struct {
  __typeof__(zlibVersion) *version;
  __typeof__(inflateInit2_) *init;
  __typeof__(inflate) *read;
  __typeof__(inflateReset) *reset;
  __typeof__(inflateEnd) *end;
} zlib;

static struct {
  __typeof__(BrotliDecoderVersion) *version;
  __typeof__(BrotliDecoderCreateInstance) *create;
  __typeof__(BrotliDecoderDecompressStream) *read;
  __typeof__(BrotliDecoderGetErrorCode) *error_code;
  __typeof__(BrotliDecoderDestroyInstance) *destroy;
} brotli;

static struct {
  __typeof__(ZSTD_versionString) *version;
  __typeof__(ZSTD_createDCtx) *create;
  __typeof__(ZSTD_DCtx_setParameter) *set;
  __typeof__(ZSTD_decompressStream) *read;
  __typeof__(ZSTD_isError) *is_error;
  __typeof__(ZSTD_getErrorCode) *error_code;
  __typeof__(ZSTD_DCtx_reset) *reset;
  __typeof__(ZSTD_freeDCtx) *free;
} zstd;

struct ccompression_stream {
  ccompression_format format;
  z_stream zlib;
  BrotliDecoderState *brotli;
  ZSTD_DCtx *zstd;
};

// ---- Loading

static const cloader_symbol zlib_symbols[] = {
  {"zlibVersion", &zlib.version},
  {"inflateInit2_", &zlib.init},
  {"inflate", &zlib.read},
  {"inflateReset", &zlib.reset},
  {"inflateEnd", &zlib.end},
};

static const cloader_symbol brotli_symbols[] = {
  {"BrotliDecoderVersion", &brotli.version},
  {"BrotliDecoderCreateInstance", &brotli.create},
  {"BrotliDecoderDecompressStream", &brotli.read},
  {"BrotliDecoderGetErrorCode", &brotli.error_code},
  {"BrotliDecoderDestroyInstance", &brotli.destroy},
};

static const cloader_symbol zstd_symbols[] = {
  {"ZSTD_versionString", &zstd.version},
  {"ZSTD_createDCtx", &zstd.create},
  {"ZSTD_DCtx_setParameter", &zstd.set},
  {"ZSTD_decompressStream", &zstd.read},
  {"ZSTD_isError", &zstd.is_error},
  {"ZSTD_getErrorCode", &zstd.error_code},
  {"ZSTD_DCtx_reset", &zstd.reset},
  {"ZSTD_freeDCtx", &zstd.free},
};

const char *ccompression_load(ccompression_format format) {
  static cloader_library zlib_library = {.file = "libz.so.1", CLOADER_SYMBOLS(zlib_symbols)};
  static cloader_library brotli_library = {
    .file = "libbrotlidec.so.1", CLOADER_SYMBOLS(brotli_symbols)};
  static cloader_library zstd_library = {.file = "libzstd.so.1", CLOADER_SYMBOLS(zstd_symbols)};
  switch (format) {
  case CCOMPRESSION_GZIP:
  case CCOMPRESSION_ZLIB:
  case CCOMPRESSION_DEFLATE: return cloader_load(&zlib_library);
  case CCOMPRESSION_BROTLI: return cloader_load(&brotli_library);
  case CCOMPRESSION_ZSTD: return cloader_load(&zstd_library);
  }
  return "an unknown format";
}

const char *ccompression_version(ccompression_format format, const char **problem) {
  static _Thread_local char text[32];
  *problem = ccompression_load(format);
  if (*problem) return NULL;
  if (format == CCOMPRESSION_ZSTD) return zstd.version();
  if (format != CCOMPRESSION_BROTLI) return zlib.version();
  uint32_t version = brotli.version();
  snprintf(
    text, sizeof text, "%u.%u.%u", (unsigned)(version >> 24), (unsigned)(version >> 12 & 0xfff),
    (unsigned)(version & 0xfff));
  return text;
}

// ---- Opening and closing

// Returns zlib's code for the expected format.
static int window_bits(ccompression_format format) {
  switch (format) {
  case CCOMPRESSION_GZIP: return MAX_WBITS + 32;
  case CCOMPRESSION_DEFLATE: return -MAX_WBITS;
  default: return MAX_WBITS;
  }
}

static bool begin(ccompression_stream *stream) {
  switch (stream->format) {
  case CCOMPRESSION_BROTLI:
    stream->brotli = brotli.create(NULL, NULL, NULL);
    return stream->brotli != NULL;
  case CCOMPRESSION_ZSTD:
    stream->zstd = zstd.create();
    return stream->zstd
      && !zstd.is_error(zstd.set(stream->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_BITS));
  default:
    return zlib.init(&stream->zlib, window_bits(stream->format), ZLIB_VERSION, sizeof(z_stream))
      == Z_OK;
  }
}

ccompression_stream *ccompression_open(ccompression_format format) {
  if (ccompression_load(format)) return NULL;
  ccompression_stream *stream = calloc(1, sizeof *stream);
  if (!stream) return NULL;
  stream->format = format;
  if (begin(stream)) return stream;
  ccompression_close(stream);
  return NULL;
}

bool ccompression_restart(ccompression_stream *stream) {
  switch (stream->format) {
  case CCOMPRESSION_BROTLI:
    brotli.destroy(stream->brotli);
    return begin(stream);
  case CCOMPRESSION_ZSTD:
    return !zstd.is_error(zstd.reset(stream->zstd, ZSTD_reset_session_only));
  default: return zlib.reset(&stream->zlib) == Z_OK;
  }
}

void ccompression_close(ccompression_stream *stream) {
  if (!stream) return;
  if (stream->brotli) brotli.destroy(stream->brotli);
  if (stream->zstd) zstd.free(stream->zstd);
  if (stream->zlib.state) zlib.end(&stream->zlib);
  free(stream);
}

// ---- Reading

static ccompression_result read_zlib(
  z_stream *stream, const uint8_t *input, size_t *input_count, uint8_t *output,
  size_t *output_count) {
  // If a size exceeds zlib's counters, the rest is left for the next call.
  const uInt in = *input_count > UINT_MAX ? UINT_MAX : (uInt)*input_count;
  const uInt out = *output_count > UINT_MAX ? UINT_MAX : (uInt)*output_count;
  stream->next_in = (Bytef *)input;
  stream->avail_in = in;
  stream->next_out = output;
  stream->avail_out = out;
  const int code = zlib.read(stream, Z_SYNC_FLUSH);
  *input_count -= in - stream->avail_in;
  *output_count -= out - stream->avail_out;
  switch (code) {
  case Z_OK:
  case Z_BUF_ERROR: return CCOMPRESSION_GOES_ON;
  case Z_STREAM_END: return CCOMPRESSION_ENDED;
  case Z_MEM_ERROR: return CCOMPRESSION_NO_MEMORY;
  default: return CCOMPRESSION_INVALID;
  }
}

static ccompression_result read_brotli(
  BrotliDecoderState *stream, const uint8_t *input, size_t *input_count, uint8_t *output,
  size_t *output_count) {
  switch (brotli.read(stream, input_count, &input, output_count, &output, NULL)) {
  case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
  case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: return CCOMPRESSION_GOES_ON;
  case BROTLI_DECODER_RESULT_SUCCESS: return CCOMPRESSION_ENDED;
  case BROTLI_DECODER_RESULT_ERROR: break;
  }
  const BrotliDecoderErrorCode code = brotli.error_code(stream);
  const bool is_memory = code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES
    && code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
  return is_memory ? CCOMPRESSION_NO_MEMORY : CCOMPRESSION_INVALID;
}

static ccompression_result read_zstd(
  ZSTD_DCtx *stream, const uint8_t *input, size_t *input_count, uint8_t *output,
  size_t *output_count) {
  ZSTD_inBuffer in = {input, *input_count, 0};
  ZSTD_outBuffer out = {output, *output_count, 0};
  const size_t code = zstd.read(stream, &out, &in);
  *input_count -= in.pos;
  *output_count -= out.pos;
  if (!zstd.is_error(code)) return code == 0 ? CCOMPRESSION_ENDED : CCOMPRESSION_GOES_ON;
  return zstd.error_code(code) == ZSTD_error_memory_allocation ? CCOMPRESSION_NO_MEMORY
                                                                : CCOMPRESSION_INVALID;
}

ccompression_result ccompression_read(
  ccompression_stream *stream, const uint8_t *input, size_t *input_count, uint8_t *output,
  size_t *output_count) {
  switch (stream->format) {
  case CCOMPRESSION_BROTLI:
    return read_brotli(stream->brotli, input, input_count, output, output_count);
  case CCOMPRESSION_ZSTD:
    return read_zstd(stream->zstd, input, input_count, output, output_count);
  default: return read_zlib(&stream->zlib, input, input_count, output, output_count);
  }
}
