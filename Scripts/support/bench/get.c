// The reference of B1, B2 and B14: GETs through libcurl's multi-socket interface on epoll, with
// reused handles. Nothing is parsed. The status and size of every response are checked.
//
//   get BASE_URL COUNT IN_FLIGHT RESOURCES WARM_UP USER_AGENT ACCEPT ACCEPT_ENCODING
//
// Over TLS, it trusts the certificates in $CURL_CA_BUNDLE and multiplexes requests over HTTP/2.
//
// Fetches BASE_URL/item/1 … BASE_URL/item/RESOURCES in turn. Prints the wall and CPU seconds of
// COUNT requests after WARM_UP others, and the length of a request in bytes.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>

enum { BODY_SIZE = 54 };

typedef struct transfer {
  CURL *easy;
  size_t received;
} transfer;

static CURLM *multi;
static int epoll_fd;
static double timer_at = -1;  // when curl wants to be called; < 0: never
static const char *base_url;
static const char *only_path;  // requested instead of the items
static long to_start, started, finished, resources;
static char text[64];  // the first bytes of the response
static size_t text_length;

static void fail(const char *what) {
  fprintf(stderr, "get: %s\n", what);
  exit(1);
}

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu_seconds(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static int watch_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
  (void)easy;
  (void)context;
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(epoll_fd, EPOLL_CTL_DEL, socket, NULL);
    curl_multi_assign(multi, socket, NULL);
    return 0;
  }
  struct epoll_event event = {.data.fd = socket};
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  if (epoll_ctl(epoll_fd, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event) != 0) {
    if (errno != EEXIST || epoll_ctl(epoll_fd, EPOLL_CTL_MOD, socket, &event) != 0) return -1;
  }
  if (!known) curl_multi_assign(multi, socket, &epoll_fd);
  return 0;
}

static int set_timer(CURLM *handle, long milliseconds, void *context) {
  (void)handle;
  (void)context;
  timer_at = milliseconds < 0 ? -1 : seconds(CLOCK_MONOTONIC) + (double)milliseconds / 1e3;
  return 0;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
  transfer *t = context;
  size_t length = size * count;
  if (text_length + length < sizeof(text)) {
    memcpy(text + text_length, bytes, length);
    text_length += length;
  }
  t->received += length;
  return length;
}

static void start(transfer *t) {
  char url[256];
  if (only_path) {
    snprintf(url, sizeof(url), "%s%s", base_url, only_path);
  } else {
    snprintf(url, sizeof(url), "%s/item/%ld", base_url, started % resources + 1);
  }
  started++;
  t->received = 0;
  curl_easy_setopt(t->easy, CURLOPT_URL, url);
  if (curl_multi_add_handle(multi, t->easy) != CURLM_OK) fail("curl_multi_add_handle failed");
}

static void read_completions(void) {
  int left;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL *easy = message->easy_handle;
    CURLcode code = message->data.result;
    if (code != CURLE_OK) fail(curl_easy_strerror(code));
    transfer *t;
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &t);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200 || (t->received != BODY_SIZE && !only_path)) fail("a wrong answer");
    curl_multi_remove_handle(multi, easy);
    finished++;
    if (started < to_start) start(t);
  }
}

static void run(transfer *transfers, long in_flight, long count) {
  started = finished = 0;
  to_start = count;
  for (long i = 0; i < in_flight && started < to_start; i++) start(&transfers[i]);
  int running;
  while (finished < count) {
    struct epoll_event events[64];
    int timeout = -1;
    if (timer_at >= 0) {
      double rest = timer_at - seconds(CLOCK_MONOTONIC);
      timeout = rest <= 0 ? 0 : (int)(rest * 1e3) + 1;
    }
    // If a timer has expired, don't wait for the sockets.
    int ready = timeout == 0 ? 0 : epoll_wait(epoll_fd, events, 64, timeout);
    if (ready < 0 && errno != EINTR) fail("epoll_wait failed");
    for (int i = 0; i < ready; i++) {
      int flags = 0;
      if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) flags |= CURL_CSELECT_IN;
      if (events[i].events & EPOLLOUT) flags |= CURL_CSELECT_OUT;
      curl_multi_socket_action(multi, events[i].data.fd, flags, &running);
    }
    if (timer_at >= 0 && timer_at <= seconds(CLOCK_MONOTONIC)) {
      timer_at = -1;
      curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    read_completions();
  }
}

int main(int count, char **words) {
  if (count != 9) fail("8 arguments expected");
  base_url = words[1];
  long requests = atol(words[2]), in_flight = atol(words[3]), warm_up = atol(words[5]);
  resources = atol(words[4]);
  const char *trusted = getenv("CURL_CA_BUNDLE");
  const char *agent = words[6], *accept = words[7], *encoding = words[8];

  curl_global_init(CURL_GLOBAL_DEFAULT);
  multi = curl_multi_init();
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, in_flight);

  struct curl_slist *headers = NULL;
  char line[256];
  snprintf(line, sizeof(line), "Accept: %s", accept);
  headers = curl_slist_append(headers, line);
  transfer *transfers = calloc((size_t)in_flight, sizeof(transfer));
  for (long i = 0; i < in_flight; i++) {
    CURL *easy = transfers[i].easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &transfers[i]);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfers[i]);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    if (strncmp(base_url, "https:", 6) == 0) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    if (trusted) curl_easy_setopt(easy, CURLOPT_CAINFO, trusted);
    if (*agent) curl_easy_setopt(easy, CURLOPT_USERAGENT, agent);
    if (*encoding) curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, encoding);
    if (*accept) curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  }

  run(transfers, in_flight, warm_up);
  double wall = seconds(CLOCK_MONOTONIC), cpu = cpu_seconds();
  run(transfers, in_flight, requests);
  wall = seconds(CLOCK_MONOTONIC) - wall;
  cpu = cpu_seconds() - cpu;

  // The length of a request as received by the server.
  only_path = "/request-length";
  text_length = 0;
  run(transfers, 1, 1);
  text[text_length] = 0;

  printf("%.6f %.6f %s\n", wall, cpu, text);
  return 0;
}
