#include "cmhd_parts.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double cmhd_now(void) {
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
  // Allows a port that was in use a moment ago.
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

void cmhd_look_at(cmhd_server *server, const connection *one) {
  if (server->limits.seconds <= 0) return;
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
    one->since = cmhd_now();
    one->next = server->connections;
    one->link = &server->connections;
    if (one->next) one->next->link = &one->next;
    server->connections = one;
    server->silent++;
    cmhd_look_at(server, one);
    struct epoll_event event = {.events = EPOLLRDHUP, .data.ptr = one};
    epoll_ctl(server->hangups, EPOLL_CTL_ADD, one->descriptor, &event);
  } else if (*mine != NULL) {
    connection *one = *mine;
    *mine = NULL;
    cmhd_has_begun(server, one);
    if (!one->is_hung_up) epoll_ctl(server->hangups, EPOLL_CTL_DEL, one->descriptor, NULL);
    *one->link = one->next;
    if (one->next) one->next->link = one->link;
    free(one);
  }
}

void cmhd_has_begun(cmhd_server *server, connection *one) {
  if (one->has_begun) return;
  one->has_begun = 1;
  server->silent--;
}

// Closes connections whose first byte is that of a TLS handshake: libmicrohttpd would wait for a
// line feed, and a TLS client does not understand any response.
static void end_handshakes(cmhd_server *server) {
  if (server->silent == 0) return;
  for (connection *one = server->connections; one != NULL; one = one->next) {
    unsigned char byte;
    if (one->has_begun || recv(one->descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 1) continue;
    cmhd_has_begun(server, one);
    if (byte == 0x16) shutdown(one->descriptor, SHUT_RDWR);
  }
}

// Closes connections whose client has closed its side without a complete request in progress.
// libmicrohttpd 0.9.75 polls edge-triggered and does not continue to read after a short read: it
// does not notice a FIN that arrives with the last bytes, and the connection stays open until its
// timeout.
static void end_half_closed(cmhd_server *server) {
  int count = epoll_wait(server->hangups, server->hangup_events, (int)server->limits.connections, 0);
  for (int index = 0; index < count; index++) {
    connection *one = server->hangup_events[index].data.ptr;
    char byte;
    if (one->is_responding || recv(one->descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) continue;
    one->is_hung_up = 1;
    epoll_ctl(server->hangups, EPOLL_CTL_DEL, one->descriptor, NULL);
    // This makes libmicrohttpd's descriptor readable again.
    shutdown(one->descriptor, SHUT_RD);
  }
}

// Closes connections that have exceeded their time limit: libmicrohttpd itself keeps a connection
// as long as a byte arrives occasionally.
static void look(cmhd_server *server) {
  double time = cmhd_now();
  if (server->next_look == 0 || time < server->next_look) return;
  server->next_look = 0;
  for (connection *one = server->connections; one != NULL; one = one->next) {
    if (one->is_answered) continue;
    if (time < one->since + server->limits.seconds) {
      cmhd_look_at(server, one);
    } else {
      // Its current operation fails immediately.
      shutdown(one->descriptor, SHUT_RDWR);
      one->since = time;
      cmhd_look_at(server, one);
    }
  }
}

// --- The server

static void log_nothing(void *context, const char *format, va_list arguments) {
  (void)context;
  (void)format;
  (void)arguments;
}

// Names and values are decoded later, by the reader of the target.
static size_t undo_nothing(void *context, struct MHD_Connection *handle, char *text) {
  (void)context;
  (void)handle;
  return strlen(text);
}

// Releases a server that has not started.
static cmhd_server *abandon(cmhd_server *server) {
  if (server->hangups >= 0) close(server->hangups);
  free(server->hangup_events);
  free(server);
  return NULL;
}

cmhd_server *cmhd_start(
  int descriptor, cmhd_limits limits, cmhd_screen screen, cmhd_stream_end ended, void *context) {
  cmhd_server *server = calloc(1, sizeof *server);
  if (server == NULL) return NULL;
  server->hangups = epoll_create1(EPOLL_CLOEXEC);
  server->hangup_events = calloc(limits.connections, sizeof *server->hangup_events);
  if (server->hangups < 0 || server->hangup_events == NULL) return abandon(server);
  server->limits = limits;
  server->screen = screen;
  server->ended = ended;
  server->context = context;
  server->last = &server->first;
  server->last_waiting = &server->first_waiting;
  server->daemon = MHD_start_daemon(
    MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL, cmhd_saw_request, server,
    MHD_OPTION_EXTERNAL_LOGGER, log_nothing, NULL,
    MHD_OPTION_LISTEN_SOCKET, descriptor,
    MHD_OPTION_CONNECTION_LIMIT, limits.connections,
    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)(limits.seconds + 0.999),
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)(64 * 1024),
    MHD_OPTION_NOTIFY_CONNECTION, connection_changed, server,
    MHD_OPTION_NOTIFY_COMPLETED, cmhd_ended, server,
    MHD_OPTION_URI_LOG_CALLBACK, cmhd_saw_target, server,
    MHD_OPTION_UNESCAPE_CALLBACK, undo_nothing, NULL,
#if MHD_VERSION >= 0x00097600
    // For older versions, cmhd_head.c does this.
    MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1,
#endif
    MHD_OPTION_END);
  const union MHD_DaemonInfo *info =
    server->daemon ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
  if (info == NULL) return abandon(server);
  server->descriptor = info->epoll_fd;
  return server;
}

int cmhd_descriptor(const cmhd_server *server) { return server->descriptor; }

void cmhd_run(cmhd_server *server) {
  look(server);
  end_handshakes(server);
  MHD_run(server->daemon);
  end_half_closed(server);
}

int64_t cmhd_wait(cmhd_server *server) {
  MHD_UNSIGNED_LONG_LONG milliseconds;
  int64_t wait = -1;
  if (MHD_get_timeout(server->daemon, &milliseconds) == MHD_YES) {
    wait = milliseconds > 3600000 ? 3600000 : (int64_t)milliseconds;
  }
  if (server->next_look != 0) {
    double left = server->next_look - cmhd_now();
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

void *cmhd_next_stream(cmhd_server *server) {
  cmhd_request *request = server->first_waiting;
  if (request == NULL) return NULL;
  server->first_waiting = request->next;
  if (server->first_waiting == NULL) server->last_waiting = &server->first_waiting;
  request->next = NULL;
  return request->stream;
}
