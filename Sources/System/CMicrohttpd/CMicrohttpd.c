#define _GNU_SOURCE
#include "CMicrohttpd.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Behind these, which it needs.
#include <microhttpd.h>

// One socket that was accepted. What it is given time for begins with its first byte, or with the end of what it did before.
typedef struct connection {
  struct connection *next;
  struct connection **link;
  int descriptor;
  // Whether its request is being answered by somebody here, who may take any time.
  int is_answered;
  double since;
} connection;

typedef struct {
  char *name;
  size_t name_count;
  char *value;
  size_t value_count;
} header;

struct cmhd_request {
  cmhd_server *server;
  cmhd_request *next;
  struct MHD_Connection *handle;
  connection *connection;
  cmhd_state state;
  char *target;
  char *method;
  int is_current;
  header *headers;
  size_t header_count;
  size_t header_capacity;
  char *body;
  size_t count;
  size_t capacity;
  // Whether its head is known.
  int has_head;
  // Whether it is there in full, for `cmhd_next`.
  int is_ready;
  // Whether somebody has it, or has had it.
  int is_taken;
  int is_suspended;
  int is_dropped;
  unsigned status;
  struct MHD_Response *response;
};

struct cmhd_server {
  struct MHD_Daemon *daemon;
  int descriptor;
  cmhd_limits limits;
  connection *connections;
  // When it is to be looked for connections that have taken too long; 0: there are none.
  double next_look;
  // Bytes of all bodies.
  size_t held;
  cmhd_request *first;
  cmhd_request **last;
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// --- Sockets

int cmhd_listen(const char *address, uint16_t port, int *descriptor, uint16_t *bound) {
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_PASSIVE, .ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  if (getaddrinfo(address, NULL, &hints, &found) != 0) return -1;
  struct sockaddr_storage place;
  socklen_t size = found->ai_addrlen;
  memcpy(&place, found->ai_addr, size);
  freeaddrinfo(found);
  if (place.ss_family == AF_INET) {
    ((struct sockaddr_in *)&place)->sin_port = htons(port);
  } else {
    ((struct sockaddr_in6 *)&place)->sin6_port = htons(port);
  }
  int made = socket(place.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (made < 0) return errno;
  int yes = 1;
  // A port that was used a moment ago is free.
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(made, (struct sockaddr *)&place, size) != 0 || listen(made, 511) != 0
      || getsockname(made, (struct sockaddr *)&place, &size) != 0) {
    int problem = errno;
    close(made);
    return problem;
  }
  *descriptor = made;
  *bound = ntohs(
    place.ss_family == AF_INET ? ((struct sockaddr_in *)&place)->sin_port
                               : ((struct sockaddr_in6 *)&place)->sin6_port);
  return 0;
}

static void look_at(cmhd_server *server, const connection *one) {
  double end = one->since + server->limits.seconds;
  if (server->next_look == 0 || end < server->next_look) server->next_look = end;
}

static void connection_changed(
  void *context, struct MHD_Connection *handle, void **mine,
  enum MHD_ConnectionNotificationCode code) {
  cmhd_server *server = context;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    connection *one = calloc(1, sizeof *one);
    *mine = one;
    if (one == NULL) return;
    one->descriptor = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    one->since = now();
    one->next = server->connections;
    one->link = &server->connections;
    if (one->next) one->next->link = &one->next;
    server->connections = one;
    look_at(server, one);
  } else if (*mine != NULL) {
    connection *one = *mine;
    *mine = NULL;
    *one->link = one->next;
    if (one->next) one->next->link = one->link;
    free(one);
  }
}

// Ends connections that have taken too long: libmicrohttpd itself lets one go on for as long as a byte comes now and then.
static void look(cmhd_server *server) {
  double time = now();
  if (server->next_look == 0 || time < server->next_look) return;
  server->next_look = 0;
  for (connection *one = server->connections; one != NULL; one = one->next) {
    if (one->is_answered) continue;
    if (time < one->since + server->limits.seconds) {
      look_at(server, one);
    } else {
      // What it is doing fails at once.
      shutdown(one->descriptor, SHUT_RDWR);
      one->since = time;
      look_at(server, one);
    }
  }
}

// --- Requests

static cmhd_request *begin(cmhd_server *server, const char *target) {
  cmhd_request *request = calloc(1, sizeof *request);
  if (request == NULL) return NULL;
  request->server = server;
  request->target = strdup(target);
  if (request->target == NULL) {
    free(request);
    return NULL;
  }
  return request;
}

// Called with the target before anything of it is undone.
static void *saw_target(void *context, const char *target, struct MHD_Connection *handle) {
  (void)handle;
  return begin(context, target);
}

static char *copied(const char *bytes, size_t count) {
  char *copy = malloc(count + 1);
  if (copy == NULL) return NULL;
  if (count) memcpy(copy, bytes, count);
  copy[count] = 0;
  return copy;
}

static enum MHD_Result saw_header(
  void *context, enum MHD_ValueKind kind, const char *name, size_t name_count, const char *value,
  size_t value_count) {
  (void)kind;
  cmhd_request *request = context;
  if (request->header_count == request->header_capacity) {
    size_t capacity = request->header_capacity ? request->header_capacity * 2 : 16;
    header *larger = realloc(request->headers, capacity * sizeof *larger);
    if (larger == NULL) return MHD_NO;
    request->headers = larger;
    request->header_capacity = capacity;
  }
  if (value == NULL) value_count = 0;
  header line = {copied(name, name_count), name_count, copied(value, value_count), value_count};
  if (line.name == NULL || line.value == NULL) {
    free(line.name);
    free(line.value);
    return MHD_NO;
  }
  request->headers[request->header_count++] = line;
  return MHD_YES;
}

static void let_go_of_body(cmhd_request *request) {
  request->server->held -= request->capacity;
  free(request->body);
  request->body = NULL;
  request->count = request->capacity = 0;
}

// Keeps what has arrived; what there is no room for is read all the same, so that whoever sends it hears of it.
static void keep(cmhd_request *request, const char *bytes, size_t count) {
  cmhd_server *server = request->server;
  if (request->state != CMHD_COMPLETE) return;
  if (count > server->limits.body - request->count) {
    request->state = CMHD_TOO_LONG;
    return let_go_of_body(request);
  }
  if (count > request->capacity - request->count) {
    size_t capacity = request->capacity ? request->capacity : 1024;
    while (capacity - request->count < count) capacity *= 2;
    size_t others = server->held - request->capacity;
    char *larger = capacity > server->limits.bodies || others > server->limits.bodies - capacity
      ? NULL
      : realloc(request->body, capacity);
    if (larger == NULL) {
      request->state = CMHD_NO_ROOM;
      return let_go_of_body(request);
    }
    server->held = others + capacity;
    request->body = larger;
    request->capacity = capacity;
  }
  memcpy(request->body + request->count, bytes, count);
  request->count += count;
}

static void hand_out(cmhd_request *request) {
  cmhd_server *server = request->server;
  request->is_ready = 1;
  request->next = NULL;
  *server->last = request;
  server->last = &request->next;
  if (request->connection) request->connection->is_answered = 1;
}

static void suspend(cmhd_request *request) {
  request->is_suspended = 1;
  MHD_suspend_connection(request->handle);
}

static int has_long_body(const cmhd_request *request) {
  const char *text =
    MHD_lookup_connection_value(request->handle, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
  return text != NULL && strtoull(text, NULL, 10) > request->server->limits.body;
}

static enum MHD_Result saw_request(
  void *context, struct MHD_Connection *handle, const char *url, const char *method,
  const char *version, const char *data, size_t *count, void **mine) {
  (void)context;
  (void)url;
  cmhd_request *request = *mine;
  if (request == NULL) return MHD_NO;
  if (!request->has_head) {
    request->has_head = 1;
    request->handle = handle;
    request->connection =
      MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    request->is_current = strcmp(version, MHD_HTTP_VERSION_1_1) == 0;
    request->method = copied(method, strlen(method));
    if (request->method == NULL) return MHD_NO;
    int seen = MHD_get_connection_values_n(handle, MHD_HEADER_KIND, saw_header, request);
    if (seen < 0 || (size_t)seen > request->header_count) return MHD_NO;
    if (has_long_body(request)) {
      request->state = CMHD_TOO_LONG;
      hand_out(request);
      // Else it would be read.
      suspend(request);
    }
    return MHD_YES;
  }
  if (request->is_dropped) return MHD_NO;
  if (request->response != NULL) return MHD_queue_response(handle, request->status, request->response);
  if (*count > 0) {
    keep(request, data, *count);
    *count = 0;
  } else if (!request->is_ready) {
    hand_out(request);
  } else if (request->is_taken && !request->is_suspended) {
    // Not before: what is answered at once is answered also to who has ended his side meanwhile, which a connection
    // that goes on takes for the end of all.
    suspend(request);
  }
  return MHD_YES;
}

static void ended(
  void *context, struct MHD_Connection *handle, void **mine, enum MHD_RequestTerminationCode code) {
  (void)context;
  (void)handle;
  (void)code;
  cmhd_request *request = *mine;
  *mine = NULL;
  if (request == NULL) return;
  if (request->connection) request->connection->since = now();
  if (request->response) MHD_destroy_response(request->response);
  let_go_of_body(request);
  for (size_t index = 0; index < request->header_count; index++) {
    free(request->headers[index].name);
    free(request->headers[index].value);
  }
  free(request->headers);
  free(request->method);
  free(request->target);
  free(request);
}

// --- The server

static void log_nothing(void *context, const char *format, va_list arguments) {
  (void)context;
  (void)format;
  (void)arguments;
}

// Names and values are undone by whoever reads the target.
static size_t undo_nothing(void *context, struct MHD_Connection *handle, char *text) {
  (void)context;
  (void)handle;
  return strlen(text);
}

cmhd_server *cmhd_start(int descriptor, cmhd_limits limits) {
  cmhd_server *server = calloc(1, sizeof *server);
  if (server == NULL) return NULL;
  server->limits = limits;
  server->last = &server->first;
  server->daemon = MHD_start_daemon(
    MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL, saw_request, server,
    MHD_OPTION_EXTERNAL_LOGGER, log_nothing, NULL,
    MHD_OPTION_LISTEN_SOCKET, descriptor,
    MHD_OPTION_CONNECTION_LIMIT, limits.connections,
    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)(limits.seconds + 0.999),
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(64 * 1024),
    MHD_OPTION_NOTIFY_CONNECTION, connection_changed, server,
    MHD_OPTION_NOTIFY_COMPLETED, ended, server,
    MHD_OPTION_URI_LOG_CALLBACK, saw_target, server,
    MHD_OPTION_UNESCAPE_CALLBACK, undo_nothing, NULL,
    MHD_OPTION_END);
  const union MHD_DaemonInfo *info =
    server->daemon ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
  if (info == NULL) {
    free(server);
    return NULL;
  }
  server->descriptor = info->epoll_fd;
  return server;
}

int cmhd_descriptor(const cmhd_server *server) { return server->descriptor; }

void cmhd_run(cmhd_server *server) {
  look(server);
  MHD_run(server->daemon);
}

int64_t cmhd_wait(cmhd_server *server) {
  MHD_UNSIGNED_LONG_LONG milliseconds;
  int64_t wait = -1;
  if (MHD_get_timeout(server->daemon, &milliseconds) == MHD_YES) {
    wait = milliseconds > 3600000 ? 3600000 : (int64_t)milliseconds;
  }
  if (server->next_look != 0) {
    double left = server->next_look - now();
    int64_t look = left <= 0 ? 0 : left > 3600 ? 3600000 : (int64_t)(left * 1000) + 1;
    if (wait < 0 || look < wait) wait = look;
  }
  return wait;
}

cmhd_request *cmhd_next(cmhd_server *server) {
  cmhd_request *request = server->first;
  if (request == NULL) return NULL;
  server->first = request->next;
  if (server->first == NULL) server->last = &server->first;
  request->next = NULL;
  request->is_taken = 1;
  return request;
}

cmhd_state cmhd_request_state(const cmhd_request *request) { return request->state; }

cmhd_text cmhd_request_method(const cmhd_request *request) {
  return (cmhd_text){request->method, strlen(request->method)};
}

cmhd_text cmhd_request_target(const cmhd_request *request) {
  return (cmhd_text){request->target, strlen(request->target)};
}

int cmhd_request_is_current(const cmhd_request *request) { return request->is_current; }

size_t cmhd_request_header_count(const cmhd_request *request) { return request->header_count; }

void cmhd_request_header(
  const cmhd_request *request, size_t index, cmhd_text *name, cmhd_text *value) {
  const header *line = &request->headers[index];
  *name = (cmhd_text){line->name, line->name_count};
  *value = (cmhd_text){line->value, line->value_count};
}

cmhd_text cmhd_request_body(const cmhd_request *request) {
  return (cmhd_text){request->body, request->count};
}

int cmhd_answer(cmhd_request *request, unsigned status, const void *body, size_t count) {
  request->status = status;
  // It is copied, and not written to.
  request->response = MHD_create_response_from_buffer(count, (void *)body, MHD_RESPMEM_MUST_COPY);
  return request->response != NULL;
}

int cmhd_answer_header(cmhd_request *request, const char *name, const char *value) {
  return request->response != NULL && MHD_add_response_header(request->response, name, value) == MHD_YES;
}

void cmhd_send(cmhd_request *request) {
  if (request->response == NULL) request->is_dropped = 1;
  if (request->connection) {
    request->connection->is_answered = 0;
    request->connection->since = now();
    look_at(request->server, request->connection);
  }
  if (request->is_suspended) MHD_resume_connection(request->handle);
}

void cmhd_drop(cmhd_request *request) {
  request->is_dropped = 1;
  cmhd_send(request);
}
