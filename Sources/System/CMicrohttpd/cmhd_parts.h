#ifndef CMICROHTTPD_PARTS_H
#define CMICROHTTPD_PARTS_H

#define _GNU_SOURCE
#include "CMicrohttpd.h"

#include <stdarg.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>

// After these headers, which it needs.
#if !__has_include(<microhttpd.h>)
#error "there is no <microhttpd.h>: on Debian, apt-get install libmicrohttpd-dev"
#endif
#include <microhttpd.h>

// An accepted socket. Its time limit counts from its first byte, or from the end of its previous
// activity.
typedef struct connection {
  struct connection *next;
  struct connection **link;
  int descriptor;
  // Whether the application is answering its request, which may take any time.
  int is_answered;
  // Whether a byte was received on it, as far as known.
  int has_begun;
  // Whether a response is being made or sent: the client need not send anything.
  int is_responding;
  // Whether libmicrohttpd was made to notice that the client has closed its side.
  int is_hung_up;
  double since;
} connection;

typedef struct {
  char *name;
  size_t name_count;
  char *value;
  size_t value_count;
  // Their position in libmicrohttpd's buffer while the head is checked.
  const char *name_place;
  const char *value_place;
} header;

struct cmhd_request {
  cmhd_server *server;
  cmhd_request *next;
  struct MHD_Connection *handle;
  connection *connection;
  cmhd_state state;
  const char *problem;
  int is_last;
  char *target;
  const char *target_place;
  char *method;
  size_t method_count;
  int is_current;
  header *headers;
  size_t header_count;
  size_t header_capacity;
  char *body;
  size_t count;
  size_t capacity;
  // Whether its head is known.
  int has_head;
  // Whether it is complete, for `cmhd_next`.
  int is_ready;
  // Whether it was handed out.
  int is_taken;
  int is_suspended;
  int is_dropped;
  unsigned status;
  struct MHD_Response *response;
  // The stream of a streamed body; NULL for a complete body.
  void *stream;
  char *piece;
  size_t piece_count;
  size_t piece_start;
  // Whether no further piece follows, and whether the body is then complete.
  int is_finished;
  int is_whole;
};

struct cmhd_server {
  struct MHD_Daemon *daemon;
  int descriptor;
  cmhd_limits limits;
  cmhd_screen screen;
  cmhd_stream_end ended;
  void *context;
  connection *connections;
  // An epoll descriptor that reports connections whose client has closed its side, and room for one
  // report each.
  int hangups;
  struct epoll_event *hangup_events;
  // The number of connections without any input.
  size_t silent;
  // When to check for connections that have exceeded their time limit; 0 if there are none.
  double next_look;
  // The size of all bodies in bytes.
  size_t held;
  cmhd_request *first;
  cmhd_request **last;
  // Requests whose streams wait for a piece.
  cmhd_request *first_waiting;
  cmhd_request **last_waiting;
};

// Returns the seconds since the system started.
double cmhd_now(void);

// Checks the head of a request whose headers have all been read: sets its state, its problem, and
// whether it is the last of its connection. Returns whether a body follows.
int cmhd_check_head(cmhd_request *request, const char *method, const char *version);

// Schedules a check for when the connection will have exceeded its time limit.
void cmhd_look_at(cmhd_server *server, const connection *one);

// Records that a byte was received on the connection.
void cmhd_has_begun(cmhd_server *server, connection *one);

// libmicrohttpd's callbacks that build a request from received data, in the order in which they are
// called.
void *cmhd_saw_target(void *context, const char *target, struct MHD_Connection *handle);
enum MHD_Result cmhd_saw_request(
  void *context, struct MHD_Connection *handle, const char *url, const char *method,
  const char *version, const char *data, size_t *count, void **mine);
void cmhd_ended(
  void *context, struct MHD_Connection *handle, void **mine, enum MHD_RequestTerminationCode code);

#endif
