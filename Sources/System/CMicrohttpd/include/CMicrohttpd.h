// An HTTP/1.1 server by libmicrohttpd, driven by an external loop: `cmhd_run` does the work that is
// possible now and never waits. libmicrohttpd's header is not visible here.
//
// Two callbacks are called while `cmhd_run` runs. `cmhd_screen` receives each request whose body
// has not arrived or whose head is malformed, and may answer or drop it; no byte of the body is
// stored then. `cmhd_stream_end` receives streams that have ended.
//
// A request is handed out when it is complete. The caller that takes it owns it until it is
// answered or dropped; its connection waits meanwhile. Input that cannot be parsed as a request is
// answered here. One thread.
#ifndef CMICROHTTPD_H
#define CMICROHTTPD_H

#include <stddef.h>
#include <stdint.h>

typedef struct cmhd_server cmhd_server;
typedef struct cmhd_request cmhd_request;

typedef struct {
  unsigned connections;
  // The time limit for a client to send a request or receive a response; 0 for none.
  double seconds;
  // The maximum size of one body, and of all stored bodies.
  size_t body;
  size_t bodies;
} cmhd_limits;

typedef struct {
  const char *bytes;
  size_t count;
} cmhd_text;

typedef enum {
  CMHD_COMPLETE,
  // The body is too long and not stored.
  CMHD_TOO_LONG,
  // There was no room for the body because of other bodies.
  CMHD_NO_ROOM,
  // RFC 9112 rejects its head; `cmhd_request_problem` returns the reason.
  CMHD_MALFORMED,
  // The transfer coding of its body is not supported.
  CMHD_UNKNOWN_CODING
} cmhd_state;

// Returns whether to read the body; 0 after the request has been answered or dropped.
typedef int (*cmhd_screen)(void *context, cmhd_request *request);

// Called when the body of a response was sent, or its connection ended before. The request no
// longer exists.
typedef void (*cmhd_stream_end)(void *context, void *stream);

// Listens at a numeric address. Returns 0, a system error, or -1 for an invalid address.
int cmhd_listen(const char *address, uint16_t port, int *descriptor, uint16_t *bound);

// Serves the connections of that descriptor until the process ends. Returns NULL on failure. The
// server owns the descriptor from now on.
cmhd_server *cmhd_start(
  int descriptor, cmhd_limits limits, cmhd_screen screen, cmhd_stream_end ended, void *context);
// Readable when there is work for `cmhd_run`.
int cmhd_descriptor(const cmhd_server *server);
void cmhd_run(cmhd_server *server);
// Returns the milliseconds after which it must run even if nothing is readable; -1 for no limit.
int64_t cmhd_wait(cmhd_server *server);

// Returns the next request that was not taken yet, or NULL.
cmhd_request *cmhd_next(cmhd_server *server);

cmhd_state cmhd_request_state(const cmhd_request *request);
// Why the request is rejected; NULL if it is complete.
const char *cmhd_request_problem(const cmhd_request *request);
// Whether the connection must close after the response, because another server may determine the
// end of the body differently.
int cmhd_request_is_last(const cmhd_request *request);
cmhd_text cmhd_request_method(const cmhd_request *request);
// The target as in the request line.
cmhd_text cmhd_request_target(const cmhd_request *request);
// Whether it is HTTP/1.1.
int cmhd_request_is_current(const cmhd_request *request);
size_t cmhd_request_header_count(const cmhd_request *request);
void cmhd_request_header(
  const cmhd_request *request, size_t index, cmhd_text *name, cmhd_text *value);
cmhd_text cmhd_request_body(const cmhd_request *request);

// Sets the response; its bytes are copied. Returns whether there was memory for it.
int cmhd_answer(cmhd_request *request, unsigned status, const void *body, size_t count);
// Adds a header to the response. Returns whether it is valid.
int cmhd_answer_header(cmhd_request *request, const char *name, const char *value);
// Sends the response. Without one, or with `cmhd_drop`, the connection is closed. The request no
// longer exists afterwards.
void cmhd_send(cmhd_request *request);
void cmhd_drop(cmhd_request *request);

// --- Streamed bodies

// Used instead of `cmhd_answer` for a body that is produced while it is sent. After `cmhd_send` the
// request exists until the stream ends.
//
// count: the length of the body; -1 if it is unknown, which sends it in chunks.
int cmhd_answer_stream(cmhd_request *request, unsigned status, int64_t count, void *stream);
// Returns the next stream whose client waits for a piece, or NULL. Its connection waits for
// `cmhd_give` or `cmhd_finish`.
void *cmhd_next_stream(cmhd_server *server);
// Sends the next piece, which is copied. Returns whether there was memory for it. After an empty
// piece the stream waits again.
int cmhd_give(cmhd_request *request, const void *bytes, size_t count);
// Ends the body. Unless it is whole, the connection is closed before its end.
void cmhd_finish(cmhd_request *request, int is_whole);

#endif
