// Alarms: signals that the home thread gets at a certain time, even while it runs a C function.
// They end a session's line that takes too long, and tell a user who pressed Ctrl-C without effect
// how to leave.
//
// Unlike the watchdog's work, everything here runs on the home thread. So an alarm can't hit a
// line that has already ended.
#define _GNU_SOURCE
#include "ending/lull_alarm.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ending/lull_signal.h"

// Only newer versions of glibc define this name.
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static struct {
  timer_t timers[LULL_ALARM_COUNT];
  int is_open;
  struct sigaction previous;
} alarms;

static int alarm_signal(void) { return SIGRTMIN + 5; }

static void ring(int number, siginfo_t *info, void *context) {
  (void)number;
  (void)context;
  // A signal with the same number from another source.
  if (info->si_code != SI_TIMER) return;
  int error = errno;
  switch (info->si_value.sival_int) {
    case LULL_ALARM_LINE: lull_signals_pass_limit(LULL_LIMIT_TIME); break;
    case LULL_ALARM_STUCK: lull_signals_tell_stuck(); break;
    default: break;
  }
  errno = error;
}

// Home thread. If there are no timers, sessions have no alarms.
void lull_alarms_open(void) {
  if (alarms.is_open) return;
  struct sigaction action = {.sa_sigaction = ring, .sa_flags = SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  if (sigaction(alarm_signal(), &action, &alarms.previous) != 0) return;
  for (int which = 0; which < LULL_ALARM_COUNT; which++) {
    struct sigevent event = {
      .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = alarm_signal(), .sigev_value.sival_int = which};
    event.sigev_notify_thread_id = gettid();
    if (timer_create(CLOCK_MONOTONIC, &event, &alarms.timers[which]) == 0) continue;
    while (which-- > 0) timer_delete(alarms.timers[which]);
    sigaction(alarm_signal(), &alarms.previous, NULL);
    return;
  }
  alarms.is_open = 1;
}

// Home thread.
void lull_alarms_close(void) {
  if (!alarms.is_open) return;
  alarms.is_open = 0;
  for (int which = 0; which < LULL_ALARM_COUNT; which++) timer_delete(alarms.timers[which]);
  // A signal that has just been raised is ignored; its default action would end the process.
  struct sigaction ignored = {.sa_handler = SIG_IGN};
  sigaction(
    alarm_signal(), alarms.previous.sa_handler == SIG_DFL ? &ignored : &alarms.previous, NULL);
}

// Safe in signal handlers. 0 seconds cancels the alarm. Returns 0 if there are no alarms.
int lull_alarm_set(int which, double seconds) {
  if (!alarms.is_open) return seconds <= 0;
  // Limited to decades, which avoids an overflow.
  if (seconds > 1e9) seconds = 1e9;
  struct itimerspec time = {.it_value.tv_sec = (time_t)seconds};
  time.it_value.tv_nsec = (long)((seconds - (double)time.it_value.tv_sec) * 1e9);
  if (seconds > 0 && time.it_value.tv_sec == 0 && time.it_value.tv_nsec == 0) {
    time.it_value.tv_nsec = 1;
  }
  return timer_settime(alarms.timers[which], 0, &time, NULL) == 0;
}
