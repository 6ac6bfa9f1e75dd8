// A server of HTTP/1.1 by libmicrohttpd, driven by a loop of somebody else's: `cmhd_run` does what can be done now and
// never waits. Of libmicrohttpd's header nothing is seen from here.
//
// Two functions are called back while `cmhd_run` runs. The screen gets each request whose body is still to come or whose
// head is malformed, and may answer or drop it. Then no byte of the body is kept. The other gets streams that have ended.
//
// A request is handed out once all of it is there, and is its taker's until it is answered or dropped; its connection
// waits meanwhile. What cannot be read as a request is answered here. One thread.
#ifndef CMICROHTTPD_H
#define CMICROHTTPD_H

#include <stddef.h>
#include <stdint.h>

typedef struct cmhd_server cmhd_server;
typedef struct cmhd_request cmhd_request;

typedef struct {
  unsigned connections;
  // How long a client may take to send a request, or to take an answer; 0: any time.
  double seconds;
  // Of one body, and of all that are kept at a time.
  size_t body;
  size_t bodies;
} cmhd_limits;

typedef struct {
  const char *bytes;
  size_t count;
} cmhd_text;

typedef enum {
  CMHD_COMPLETE,
  // The body is longer than it may be; nothing of it is kept.
  CMHD_TOO_LONG,
  // There was no room for the body beside those of others.
  CMHD_NO_ROOM,
  // RFC 9112 rejects its head; `cmhd_request_problem` has the reason.
  CMHD_MALFORMED,
  // The transfer coding of its body is not supported.
  CMHD_UNKNOWN_CODING
} cmhd_state;

// Returns whether the body is read; 0 after the request has been answered or dropped.
typedef int (*cmhd_screen)(void *context, cmhd_request *request);

// The body of a response was sent, or the connection has ended before: its request is gone.
typedef void (*cmhd_stream_end)(void *context, void *stream);

// Listens at an address in digits; 0, an error of the system's, or -1 for what is no such address.
int cmhd_listen(const char *address, uint16_t port, int *descriptor, uint16_t *bound);

// Serves what that descriptor accepts until the process ends; NULL if that cannot be. The descriptor is its own from
// now on.
cmhd_server *cmhd_start(
  int descriptor, cmhd_limits limits, cmhd_screen screen, cmhd_stream_end ended, void *context);
// Readable when there is something to run.
int cmhd_descriptor(const cmhd_server *server);
void cmhd_run(cmhd_server *server);
// In how many milliseconds it is to be run though nothing is readable; -1: not by itself.
int64_t cmhd_wait(cmhd_server *server);

// The next request that nobody has taken; NULL if there is none.
cmhd_request *cmhd_next(cmhd_server *server);

cmhd_state cmhd_request_state(const cmhd_request *request);
// Why it is rejected; NULL if it is complete.
const char *cmhd_request_problem(const cmhd_request *request);
// Whether the connection must close after the answer, since another server may find the end of the body elsewhere.
int cmhd_request_is_last(const cmhd_request *request);
cmhd_text cmhd_request_method(const cmhd_request *request);
// As it stands in the first line.
cmhd_text cmhd_request_target(const cmhd_request *request);
// Whether it is of HTTP/1.1.
int cmhd_request_is_current(const cmhd_request *request);
size_t cmhd_request_header_count(const cmhd_request *request);
void cmhd_request_header(
  const cmhd_request *request, size_t index, cmhd_text *name, cmhd_text *value);
cmhd_text cmhd_request_body(const cmhd_request *request);

// What it is answered with; its bytes are copied. Whether there was memory for it.
int cmhd_answer(cmhd_request *request, unsigned status, const void *body, size_t count);
// A line of the answer's head; whether it can be one.
int cmhd_answer_header(cmhd_request *request, const char *name, const char *value);
// Sends the answer; without one, or with `cmhd_drop`, the connection ends. The request is gone.
void cmhd_send(cmhd_request *request);
void cmhd_drop(cmhd_request *request);

// --- Bodies in pieces

// In place of `cmhd_answer`, for a body that is made while it is sent. After `cmhd_send` the request stays until the
// stream ends.
//
// count: the length of the body; -1 if it is not known: it is sent in chunks.
int cmhd_answer_stream(cmhd_request *request, unsigned status, int64_t count, void *stream);
// The next stream whose client waits for a piece; NULL if there is none. Its connection waits for `cmhd_give` or
// `cmhd_finish`.
void *cmhd_next_stream(cmhd_server *server);
// The next piece, which is copied; whether there was memory for it. After an empty one the stream waits again.
int cmhd_give(cmhd_request *request, const void *bytes, size_t count);
// No piece follows. Unless the body is whole, the connection ends in the middle of it.
void cmhd_finish(cmhd_request *request, int is_whole);

#endif
