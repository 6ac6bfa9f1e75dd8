// The watchdog: a thread of the command that tells the home thread when its time is over, and ends the
// process where code that was told to end does not.
//
// It touches neither Lua nor the home thread's memory: it sends a signal, or writes one line and leaves.
#define _GNU_SOURCE
#include "lull_internal.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// From being told to end to being ended.
static const int64_t grace = 1000000000;

enum { LULL_WATCHDOG_STACK = 64 * 1024, LULL_LINE = LULL_LIMIT_TEXT + 16 };

static struct {
  pthread_t thread;
  pthread_t home;
  int runs;
  sem_t wake;
  _Atomic int ends;
  // When, in nanoseconds of the monotonic clock; 0: never.
  _Atomic int64_t time_limit;
  _Atomic int64_t end;
  _Atomic int32_t code;
  const char *_Atomic line;
  struct sigaction previous_action;
} watchdog;

// What it writes for each limit; the last one is for signals.
static char lines[LULL_LIMIT_COUNT][LULL_LINE] = {
  [LULL_LIMIT_NONE] = "lull: interrupted, but the script did not end\n"};

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int lull_watchdog_signal(void) { return SIGRTMIN + 4; }

// Runs on the home thread, where the hook may be set.
static void time_is_over(int number) {
  (void)number;
  int error = errno;
  lull_signals_pass_limit(LULL_LIMIT_TIME);
  errno = error;
}

static void sleep_until(int64_t when) {
  if (when == 0) {
    sem_wait(&watchdog.wake);
    return;
  }
  struct timespec time = {.tv_sec = when / 1000000000, .tv_nsec = when % 1000000000};
  sem_clockwait(&watchdog.wake, CLOCK_MONOTONIC, &time);
}

static void *watch(void *unused) {
  while (!watchdog.ends) {
    int64_t end = watchdog.end, limit = watchdog.time_limit, time = now();
    if (end != 0 && time >= end) {
      const char *line = watchdog.line;
      if (line && write(STDERR_FILENO, line, strlen(line)) < 0) _exit(watchdog.code);
      _exit(watchdog.code);
    }
    if (limit != 0 && time >= limit) {
      watchdog.time_limit = 0;
      pthread_kill(watchdog.home, lull_watchdog_signal());
      // The home thread may be unable to hear of it.
      lull_watchdog_expect_end(LULL_EXIT_SCRIPT_ERROR, LULL_LIMIT_TIME);
      continue;
    }
    sleep_until(end != 0 && (limit == 0 || end < limit) ? end : limit);
  }
  return unused;
}

// Home thread; 0 on failure.
int lull_watchdog_start(void) {
  if (watchdog.runs) return 1;
  watchdog.home = pthread_self();
  watchdog.ends = 0;
  watchdog.end = watchdog.time_limit = 0;
  if (sem_init(&watchdog.wake, 0, 0) != 0) return 0;
  struct sigaction action = {.sa_handler = time_is_over};
  sigemptyset(&action.sa_mask);
  sigaction(lull_watchdog_signal(), &action, &watchdog.previous_action);
  // Signals are the home thread's.
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, LULL_WATCHDOG_STACK);
  watchdog.runs = pthread_create(&watchdog.thread, &attributes, watch, NULL) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  return watchdog.runs;
}

// Home thread.
void lull_watchdog_stop(void) {
  if (!watchdog.runs) return;
  watchdog.ends = 1;
  sem_post(&watchdog.wake);
  pthread_join(watchdog.thread, NULL);
  sem_destroy(&watchdog.wake);
  sigaction(lull_watchdog_signal(), &watchdog.previous_action, NULL);
  watchdog.runs = 0;
}

// Home thread; 0 if there is no watchdog.
int lull_watchdog_limit_time(double seconds) {
  if (!watchdog.runs) return 0;
  // Centuries are enough, and no overflow.
  watchdog.time_limit = now() + (int64_t)((seconds < 1e9 ? seconds : 1e9) * 1e9);
  sem_post(&watchdog.wake);
  return 1;
}

void lull_watchdog_say(int32_t limit, const char *text) {
  char *line = lines[limit];
  size_t length = strlen(text);
  if (length > LULL_LIMIT_TEXT - 1) length = LULL_LIMIT_TEXT - 1;
  memcpy(line, "lull: ", 6);
  memcpy(line + 6, text, length);
  memcpy(line + 6 + length, "\n", 2);
}

// Safe in signal handlers; the first call counts.
void lull_watchdog_expect_end(int32_t code, int32_t limit) {
  if (!watchdog.runs || watchdog.end != 0) return;
  watchdog.code = code;
  watchdog.line = lines[limit];
  watchdog.end = now() + grace;
  sem_post(&watchdog.wake);
}

void lull_watchdog_keep_quiet(void) { watchdog.line = NULL; }

// Home thread: nothing needs to end any more.
void lull_watchdog_relax(void) {
  watchdog.end = 0;
  if (watchdog.runs) sem_post(&watchdog.wake);
}
