#include "cmhd_parts.h"

#include <string.h>
#include <strings.h>

// Rejects requests that libmicrohttpd accepts although RFC 9112 requires servers to reject them. Up
// to 0.9.75 it reads texts up to their first zero byte, uses the first of several headers about the
// length of a body, and drops folded lines.

// --- Positions of texts

#if MHD_VERSION < 0x00097600
// The maximum distance within a buffer, which is smaller.
static const ptrdiff_t farthest = 1 << 20;

// Whether there are only line ends between two positions in the buffer: each has two bytes, or only
// a line feed.
static int is_line_end(const char *end, const char *next, ptrdiff_t ends) {
  ptrdiff_t gap = next - end;
  return gap >= ends && gap <= 2 * ends;
}

static int has_all_bytes(const cmhd_request *request, const char *method, const char *version) {
  // One space follows the method, and one the target.
  if (request->target_place != method + request->method_count + 1) return 0;
  if (version != request->target_place + strlen(request->target) + 1) return 0;
  const char *end = version + strlen(version);
  for (size_t index = 0; index < request->header_count; index++) {
    const header *line = &request->headers[index];
    if (line->value_place == NULL || !is_line_end(end, line->name_place, 1)) return 0;
    const char *place = line->name_place + line->name_count + 1;
    if (line->value_place < place || line->value_place - place > farthest) return 0;
    for (; place < line->value_place; place++) {
      if (*place != ' ' && *place != '\t') return 0;
    }
    end = line->value_place + line->value_count;
  }
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info(request->handle, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info != NULL && is_line_end(end, method + info->header_size, 2);
}
#else
static int has_all_bytes(const cmhd_request *request, const char *method, const char *version) {
  (void)request;
  (void)method;
  (void)version;
  return 1;
}
#endif

// --- Content of texts

// RFC 9110, section 5.6.2.
static int is_token(const char *text, size_t count) {
  if (count == 0) return 0;
  for (size_t index = 0; index < count; index++) {
    unsigned char byte = (unsigned char)text[index];
    if (byte <= ' ' || byte >= 0x7F || strchr("\"(),/:;<=>?@[\\]{}", byte) != NULL) return 0;
  }
  return 1;
}

static int is_target(const char *text) {
  for (; *text != 0; text++) {
    if ((unsigned char)*text <= ' ' || *text == 0x7F) return 0;
  }
  return 1;
}

static int is_value(const char *text, size_t count) {
  for (size_t index = 0; index < count; index++) {
    if (text[index] == 0 || text[index] == '\r' || text[index] == '\n') return 0;
  }
  return 1;
}

// --- The end of the body (RFC 9112, section 6)

static int is_called(const header *line, const char *name) { return strcasecmp(line->name, name) == 0; }

// Whether the last coding is `chunked`, and no other one is.
static int ends_in_chunked(const char *codings) {
  const char *last = strrchr(codings, ',');
  if (last != NULL && strcasestr(codings, "chunked") < last) return 0;
  last = last == NULL ? codings : last + 1;
  while (*last == ' ' || *last == '\t') last++;
  size_t count = strlen(last);
  while (count > 0 && (last[count - 1] == ' ' || last[count - 1] == '\t')) count--;
  return count == 7 && strncasecmp(last, "chunked", 7) == 0;
}

static int refuse(cmhd_request *request, cmhd_state state, const char *problem) {
  request->state = state;
  request->problem = problem;
  request->is_last = 1;
  return 0;
}

int cmhd_check_head(cmhd_request *request, const char *method, const char *version) {
  size_t lengths = 0, codings = 0;
  const char *length = NULL, *coding = NULL;
  if (!is_token(request->method, request->method_count)) {
    return refuse(request, CMHD_MALFORMED, "the request method is not a token");
  }
  if (!is_target(request->target)) {
    return refuse(request, CMHD_MALFORMED, "the request target contains a space or a control character");
  }
  for (size_t index = 0; index < request->header_count; index++) {
    const header *line = &request->headers[index];
    if (!is_token(line->name, line->name_count)) {
      return refuse(
        request, CMHD_MALFORMED, "the name of a header is empty or contains a space or another invalid character");
    }
    if (!is_value(line->value, line->value_count)) {
      return refuse(
        request, CMHD_MALFORMED, "the value of a header contains a carriage return");
    }
    if (is_called(line, MHD_HTTP_HEADER_CONTENT_LENGTH)) {
      lengths++;
      length = line->value;
    } else if (is_called(line, MHD_HTTP_HEADER_TRANSFER_ENCODING)) {
      codings++;
      coding = line->value;
    }
  }
  if (!has_all_bytes(request, method, version)) {
    return refuse(
      request, CMHD_MALFORMED, "the head contains a zero byte, a folded line or an extra space");
  }
  if (lengths > 1) return refuse(request, CMHD_MALFORMED, "the header Content-Length is repeated");
  if (codings == 0) return lengths == 1 && strcmp(length, "0") != 0;
  if (!request->is_current) {
    return refuse(request, CMHD_MALFORMED, "HTTP/1.0 has no Transfer-Encoding");
  }
  if (codings > 1 || !ends_in_chunked(coding)) {
    return refuse(request, CMHD_MALFORMED, "Transfer-Encoding does not end in a single chunked");
  }
  if (strcasecmp(coding, "chunked") != 0) {
    return refuse(request, CMHD_UNKNOWN_CODING, "chunked is the only transfer coding that is supported");
  }
  // A proxy may have used the other header.
  if (lengths > 0) request->is_last = 1;
  return 1;
}
