// Ctrl-C and SIGTERM: a flag, a hook on the code that runs now, and a wake-up of the loop.
#define _POSIX_C_SOURCE 200809L
#include "lull_internal.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

// A signal handler has no argument of ours, so what it needs is process-wide, and one runtime at a
// time owns it.
static struct {
  lull_runtime *volatile runtime;
  void (*volatile wake)(void *);
  void *volatile context;
  volatile sig_atomic_t pending;
  struct sigaction previous_int;
  struct sigaction previous_term;
  struct sigaction previous_pipe;
  int has_int;
  int has_term;
} signals;

// [-0, +0] raises in the code that runs when the signal came
void lull_interrupt_hook(lua_State *L, lua_Debug *info) {
  (void)info;
  lua_sethook(L, NULL, 0, 0);
  luaL_error(L, "interrupted!");
}

// Only what is safe in a handler: flags, lua_sethook (as the stock interpreter does), the wake-up.
static void handle_signal(int number) {
  if (signals.pending != 0) _exit(128 + number);
  signals.pending = number;
  lull_runtime *runtime = signals.runtime;
  if (runtime == NULL) return;
  if (runtime->depth > 0 || runtime->L != runtime->main) lull_interrupt_arm(runtime->L);
  if (signals.wake) signals.wake(signals.context);
}

// A closed standard output ends the program as it ends any other, without a word; a peer that closed
// its socket does not.
static void handle_pipe(int number) {
  struct pollfd output = {.fd = STDOUT_FILENO};
  if (poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLNVAL))) {
    signal(number, SIG_DFL);
    raise(number);
  }
}

// [-0, +0] safe in a signal handler
void lull_interrupt_arm(lua_State *L) {
  int events = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  lua_sethook(L, lull_interrupt_hook, events, 1);
}

void lull_signals_install(
  lull_runtime *runtime, void (*wake)(void *), void *context, int32_t with_term) {
  signals.runtime = runtime;
  signals.wake = wake;
  signals.context = context;
  struct sigaction action = {.sa_handler = handle_signal};
  sigemptyset(&action.sa_mask);
  if (!signals.has_int) signals.has_int = sigaction(SIGINT, &action, &signals.previous_int) == 0;
  if (with_term && !signals.has_term) {
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
  }
  signals.has_int = signals.has_term = 0;
  signals.runtime = NULL;
  signals.wake = NULL;
  signals.pending = 0;
}

int32_t lull_signals_pending(void) { return signals.pending; }

void lull_signals_clear(void) { signals.pending = 0; }

