// The server of B12: holds each poll until another request releases it. One thread, epoll.
//
//   longpoll
//
// Prints its port on the loopback interface. Exits when its standard input closes. Requests:
//
//   GET /poll/…     held until one of the requests below releases it
//   GET /held       responds at once with the number of held polls
//   GET /tick/N     releases N polls one after the other: one that is held now, and one more each
//                   time a new poll arrives. Responds after the last one
//   GET /release    releases all held polls in the order of arrival, and responds with their number
//   GET /drain      like /release; from then on, polls get a response on arrival
//   GET /hold       responds at once; polls are held again
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_SIZE = 1024 };

typedef struct connection {
  int place;  // position among the held polls, starting at 1; 0: not held
  int length;
  char request[REQUEST_SIZE];
} connection;

static connection **connections;  // by descriptor
static int *held;                 // descriptors, unordered after one has been picked
static long *arrivals;            // by descriptor: the arrival number of its poll
static int capacity, held_count;
static long arrived, ticks_left;
static int ticker = -1;  // the connection that waits for the ticks
static int is_draining;
static int epoll_fd, listener;

static void fail(const char *what) {
  fprintf(stderr, "longpoll: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void answer(int fd, const char *body) {
  char text[256];
  int length = snprintf(
    text, sizeof(text),
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
    strlen(body), body);
  // The client is waiting, so its buffer is empty and 100 bytes always fit.
  if (send(fd, text, (size_t)length, MSG_NOSIGNAL) != length && errno != EPIPE &&
      errno != ECONNRESET)
    fail("cannot answer");
}

static void answer_number(int fd, long number) {
  char body[32];
  snprintf(body, sizeof(body), "%ld", number);
  answer(fd, body);
}

static void forget(int fd) {
  int place = connections[fd]->place;
  if (place == 0) return;
  int last = held[--held_count];
  held[place - 1] = last;
  connections[last]->place = place;
  connections[fd]->place = 0;
}

static void answer_poll(int fd) {
  forget(fd);
  answer(fd, "{\"news\":true}");
}

// Releases a random held poll.
static void tick(void) {
  if (held_count == 0 || ticks_left == 0) return;
  static unsigned random = 1;
  random = random * 1664525u + 1013904223u;
  ticks_left--;
  answer_poll(held[(random >> 8) % (unsigned)held_count]);
}

static int by_arrival(const void *a, const void *b) {
  long difference = arrivals[*(const int *)a] - arrivals[*(const int *)b];
  return difference < 0 ? -1 : difference > 0;
}

static long release_all(void) {
  int count = held_count;
  int *all = malloc(sizeof(int) * (size_t)(count + 1));
  if (all == NULL) fail("malloc");
  memcpy(all, held, sizeof(int) * (size_t)count);
  qsort(all, (size_t)count, sizeof(int), by_arrival);
  for (int i = 0; i < count; i++) answer_poll(all[i]);
  free(all);
  return count;
}

static void hold(int fd) {
  arrivals[fd] = arrived++;
  held[held_count++] = fd;
  connections[fd]->place = held_count;
  if (ticker < 0) return;
  if (ticks_left > 0) {
    tick();
  } else {
    answer(ticker, "true");
    ticker = -1;
  }
}

static void serve(int fd, const char *path) {
  if (strncmp(path, "/poll/", 6) == 0) {
    if (is_draining) answer_poll(fd); else hold(fd);
  } else if (strncmp(path, "/held ", 6) == 0) {
    answer_number(fd, held_count);
  } else if (strncmp(path, "/tick/", 6) == 0) {
    ticks_left = atol(path + 6);
    ticker = fd;
    tick();
  } else if (strncmp(path, "/release ", 9) == 0) {
    answer_number(fd, release_all());
  } else if (strncmp(path, "/drain ", 7) == 0) {
    is_draining = 1;
    answer_number(fd, release_all());
  } else if (strncmp(path, "/hold ", 6) == 0) {
    is_draining = 0;
    answer(fd, "true");
  } else {
    errno = EINVAL;
    fail(path);
  }
}

static void end(int fd) {
  forget(fd);
  if (ticker == fd) ticker = -1;
  free(connections[fd]);
  connections[fd] = NULL;
  close(fd);
}

static void read_from(int fd) {
  connection *c = connections[fd];
  if (c == NULL) return;
  ssize_t count = recv(fd, c->request + c->length, (size_t)(REQUEST_SIZE - 1 - c->length), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    end(fd);
    return;
  }
  c->length += (int)count;
  c->request[c->length] = 0;
  if (strstr(c->request, "\r\n\r\n") == NULL) {
    if (c->length == REQUEST_SIZE - 1) fail("a request is too long");
    return;
  }
  if (strncmp(c->request, "GET ", 4) != 0) fail("not a GET");
  c->length = 0;
  serve(fd, c->request + 4);
}

static void accept_all(void) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return;
      fail("cannot accept");
    }
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    connections[fd] = calloc(1, sizeof(connection));
    if (connections[fd] == NULL) fail("calloc");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll_ctl");
  }
}

int main(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  capacity = limit.rlim_cur > 1 << 20 ? 1 << 20 : (int)limit.rlim_cur;
  connections = calloc((size_t)capacity, sizeof(*connections));
  held = calloc((size_t)capacity, sizeof(*held));
  arrivals = calloc((size_t)capacity, sizeof(*arrivals));
  if (connections == NULL || held == NULL || arrivals == NULL) fail("calloc");

  listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {
    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof(address);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
      listen(listener, 16384) != 0 || getsockname(listener, (struct sockaddr *)&address, &size) != 0)
    fail("cannot listen");
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);

  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < 2; i++) {
    int fd = i == 0 ? listener : STDIN_FILENO;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll_ctl");
  }
  for (;;) {
    struct epoll_event events[256];
    int count = epoll_wait(epoll_fd, events, 256, -1);
    if (count < 0 && errno != EINTR) fail("epoll_wait");
    for (int i = 0; i < count; i++) {
      int fd = events[i].data.fd;
      if (fd == STDIN_FILENO) return 0;
      if (fd == listener) accept_all(); else read_from(fd);
    }
  }
}
