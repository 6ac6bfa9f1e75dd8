// Ctrl-C and SIGTERM: a flag, a hook on the running code, and a wake-up of the loop.
#define _POSIX_C_SOURCE 200809L
#include "ending/lull_signal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "ending/lull_alarm.h"
#include "ending/lull_interrupt.h"
#include "ending/lull_limit.h"
#include "ending/lull_watchdog.h"

// A signal handler has no argument of ours, so its data is process-wide, and owned by one runtime
// at a time.
static struct {
  lull_runtime *volatile runtime;
  void (*volatile wake)(void *);
  void *volatile context;
  volatile sig_atomic_t pending;
  volatile sig_atomic_t owner;
  struct sigaction previous_int;
  struct sigaction previous_term;
  struct sigaction previous_pipe;
  int has_int;
  int has_term;
} signals;

// The number of seconds from Ctrl-C to the message that it has had no effect.
static const double patience = 1;

// Only operations that are safe in a handler: flags, lua_sethook (as in the stock interpreter),
// the wake-up.
static void handle_signal(int number) {
  if (signals.pending != 0) _exit(128 + number);
  int error = errno;
  signals.pending = number;
  lull_runtime *runtime = signals.runtime;
  if (runtime || signals.wake) {
    if (runtime && lull_runtime_runs(runtime)) lull_interrupt_arm(runtime->L);
    lull_signals_wake();
    int ends_process = signals.owner == LULL_SIGNALS_PROCESS || number != SIGINT;
    if (ends_process) {
      lull_watchdog_expect_end(128 + number, LULL_LIMIT_NONE);
    } else {
      lull_alarm_set(LULL_ALARM_STUCK, patience);
    }
  }
  errno = error;
}

// A closed standard output ends the program silently, as any other program. A peer that closed its
// socket does not.
static void handle_pipe(int number) {
  struct pollfd output = {.fd = STDOUT_FILENO};
  if (poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLNVAL))) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

// In a signal handler: an interrupted line has not ended. Only C code can cause that.
void lull_signals_tell_stuck(void) {
  static const char text[] =
    "\nlull: a C function that runs cannot be interrupted; a second Ctrl-C ends the session\n";
  if (signals.pending == 0) return;
  // The terminal may be gone.
  if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) return;
}

// Safe in a signal handler.
void lull_signals_wake(void) {
  if (signals.wake) signals.wake(signals.context);
}

// Safe in a signal handler.
void lull_signals_pass_limit(int32_t limit) {
  lull_runtime *runtime = signals.runtime;
  if (runtime) lull_limit_pass(runtime, limit);
}

// Called when the state is closed.
void lull_signals_forget(const lull_runtime *runtime) {
  if (signals.runtime != runtime) return;
  signals.runtime = NULL;
  signals.wake = NULL;
}

void lull_signals_install(
  lull_runtime *runtime, void (*wake)(void *), void *context, int32_t owner) {
  signals.runtime = runtime;
  signals.wake = wake;
  signals.context = context;
  signals.owner = owner;
  struct sigaction action = {.sa_handler = handle_signal};
  sigemptyset(&action.sa_mask);
  if (!signals.has_int) signals.has_int = sigaction(SIGINT, &action, &signals.previous_int) == 0;
  if (owner != LULL_SIGNALS_GUEST && !signals.has_term) {
    lull_watchdog_start();
    signals.has_term = sigaction(SIGTERM, &action, &signals.previous_term) == 0;
    struct sigaction pipe_action = {.sa_handler = handle_pipe};
    sigemptyset(&pipe_action.sa_mask);
    sigaction(SIGPIPE, &pipe_action, &signals.previous_pipe);
  }
}

void lull_signals_restore(void) {
  if (signals.has_int) sigaction(SIGINT, &signals.previous_int, NULL);
  if (signals.has_term) {
    sigaction(SIGTERM, &signals.previous_term, NULL);
    sigaction(SIGPIPE, &signals.previous_pipe, NULL);
    lull_watchdog_stop();
  }
  lull_alarms_close();
  signals.has_int = signals.has_term = 0;
  if (signals.runtime) lull_interrupt_clear(signals.runtime);
  signals.runtime = NULL;
  signals.wake = NULL;
  signals.pending = 0;
}

int32_t lull_signals_pending(void) { return signals.pending; }

void lull_signals_clear(void) {
  lull_alarm_set(LULL_ALARM_STUCK, 0);
  signals.pending = 0;
  lull_runtime *runtime = signals.runtime;
  if (runtime == NULL) return;
  lull_watchdog_relax();
  lull_interrupt_clear(runtime);
}
