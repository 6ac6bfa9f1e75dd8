// The watchdog: a timer of the command. Its signal tells the home thread when its time is over,
// and ends the process if interrupted code does not end.
//
// It is a signal and not a thread, because a thread would have to be started for every script, and
// most never need it. It reaches code that no hook does: even a C function that does not return is
// interrupted for the handler.
#define _GNU_SOURCE
#include "ending/lull_watchdog.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ending/lull_signal.h"

// Only newer versions of glibc define the name of the kernel structure's field.
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

// The time from the interruption to the end of the process.
static const int64_t grace = 1000000000;

enum { LULL_LINE = LULL_LIMIT_TEXT + 80 };

static struct {
  timer_t timer;
  _Atomic int runs;
  // The times in nanoseconds of the monotonic clock; 0: never.
  _Atomic int64_t time_limit;
  _Atomic int64_t end;
  _Atomic int32_t code;
  const char *_Atomic line;
  struct sigaction previous_action;
  int writes_json;
} watchdog;

// The message for each limit; the first one is for signals.
static char lines[LULL_LIMIT_COUNT][LULL_LINE] = {
  [LULL_LIMIT_NONE] = "lull: interrupted, but the script did not end\n"};

// The same for programs, which a signal other than SIGINT changes.
static char interrupted[] =
  "{\"kind\":\"interrupted\",\"message\":\"interrupted, but the script did not end\",\"exit\":130}\n";

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int watchdog_signal(void) { return SIGRTMIN + 4; }

// Arms the timer for the earlier time, or stops it. Safe in signal handlers, and when interrupted
// by a handler that arms the timer for another time.
static void arm(void) {
  int64_t end, limit;
  do {
    end = watchdog.end;
    limit = watchdog.time_limit;
    int64_t when = end != 0 && (limit == 0 || end < limit) ? end : limit;
    struct itimerspec time = {
      .it_value = {.tv_sec = when / 1000000000, .tv_nsec = when % 1000000000}};
    timer_settime(watchdog.timer, TIMER_ABSTIME, &time, NULL);
  } while (end != watchdog.end || limit != watchdog.time_limit);
}

// Runs on the home thread, where the hook may be set.
static void ring(int number) {
  (void)number;
  int error = errno;
  int64_t end = watchdog.end, limit = watchdog.time_limit, time = now();
  if (end != 0 && time >= end) {
    const char *line = watchdog.line;
    if (line && write(STDERR_FILENO, line, strlen(line)) < 0) _exit(watchdog.code);
    _exit(watchdog.code);
  }
  if (limit != 0 && time >= limit) {
    watchdog.time_limit = 0;
    lull_signals_pass_limit(LULL_LIMIT_TIME);
    // The home thread may be unable to react.
    lull_watchdog_expect_end(LULL_EXIT_SCRIPT_ERROR, LULL_LIMIT_TIME);
  }
  if (watchdog.runs) arm();
  errno = error;
}

// Home thread, which will get the signal; 0 on failure.
int lull_watchdog_start(void) {
  if (watchdog.runs) return 1;
  watchdog.end = watchdog.time_limit = 0;
  struct sigevent event = {
    .sigev_notify = SIGEV_THREAD_ID,
    .sigev_signo = watchdog_signal(),
    .sigev_notify_thread_id = gettid(),
  };
  if (timer_create(CLOCK_MONOTONIC, &event, &watchdog.timer) != 0) return 0;
  // Interrupted system calls are not restarted, so that io.read returns.
  struct sigaction action = {.sa_handler = ring};
  sigemptyset(&action.sa_mask);
  if (sigaction(watchdog_signal(), &action, &watchdog.previous_action) != 0) {
    timer_delete(watchdog.timer);
    return 0;
  }
  watchdog.runs = 1;
  return 1;
}

// Home thread.
void lull_watchdog_stop(void) {
  if (!watchdog.runs) return;
  watchdog.runs = 0;
  timer_delete(watchdog.timer);
  sigaction(watchdog_signal(), &watchdog.previous_action, NULL);
}

// Home thread; 0 if there is no watchdog.
int lull_watchdog_limit_time(double seconds) {
  if (!watchdog.runs) return 0;
  // Limited to decades, which avoids an overflow.
  watchdog.time_limit = now() + (int64_t)((seconds < 1e9 ? seconds : 1e9) * 1e9);
  arm();
  return 1;
}

void lull_watchdog_say(int32_t limit, const char *text) {
  char *line = lines[limit];
  size_t length = strlen(text);
  if (length > LULL_LIMIT_TEXT - 1) length = LULL_LIMIT_TEXT - 1;
  if (watchdog.writes_json) {
    // The texts are Lull's own, without a character that JSON escapes.
    snprintf(
      line, LULL_LINE, "{\"kind\":\"limit\",\"message\":\"%.*s\",\"exit\":%d}\n", (int)length, text,
      LULL_EXIT_SCRIPT_ERROR);
    return;
  }
  memcpy(line, "lull: ", 6);
  memcpy(line + 6, text, length);
  memcpy(line + 6 + length, "\n", 2);
}

// Safe in signal handlers; only the first call has an effect.
void lull_watchdog_expect_end(int32_t code, int32_t limit) {
  if (!watchdog.runs || watchdog.end != 0) return;
  watchdog.code = code;
  watchdog.line = lines[limit];
  if (watchdog.writes_json && limit == LULL_LIMIT_NONE) {
    // 130 or 143.
    char *digits = interrupted + sizeof interrupted - 6;
    digits[1] = (char)('0' + code / 10 % 10);
    digits[2] = (char)('0' + code % 10);
    watchdog.line = interrupted;
  }
  watchdog.end = now() + grace;
  arm();
}

int lull_watchdog_runs(void) { return watchdog.runs; }

// Any thread that can't continue: ends the process immediately, with the message for the memory
// limit.
void lull_watchdog_end_memory(void) {
  int is_expected = watchdog.end != 0;
  const char *line = is_expected ? watchdog.line : lines[LULL_LIMIT_MEMORY];
  int32_t code = is_expected ? watchdog.code : LULL_EXIT_SCRIPT_ERROR;
  if (line && write(STDERR_FILENO, line, strlen(line)) < 0) _exit(code);
  _exit(code);
}

void lull_watchdog_keep_quiet(void) { watchdog.line = NULL; }

void lull_watchdog_write_json(int is_on) { watchdog.writes_json = is_on; }

// Home thread: nothing needs to end any more.
void lull_watchdog_relax(void) {
  watchdog.end = 0;
  if (watchdog.runs) arm();
}
