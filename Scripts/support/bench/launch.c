// Measures whole processes: launch ROUNDS COMMAND … -- COMMAND … -- …
//
// Starts the commands in turn, ROUNDS times each, with standard output redirected to /dev/null.
// Prints a line for each process: the number of the command, wall time in ns, CPU time in µs, peak
// resident memory in KB. If a command fails, the program ends. It is small, so that the peak memory
// of a child is not that of the process it was forked from.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int count, char **words) {
  if (count < 3) return 2;
  int rounds = atoi(words[1]);
  char **commands[16];
  int command_count = 0;
  commands[command_count++] = &words[2];
  for (int i = 2; i < count; i++) {
    if (strcmp(words[i], "--") != 0) continue;
    words[i] = NULL;
    if (command_count == 16) return 2;
    commands[command_count++] = &words[i + 1];
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < command_count; i++) {
      pid_t child;
      int status;
      struct rusage use;
      long long start = now();
      if (posix_spawn(&child, commands[i][0], &actions, NULL, commands[i], environ) != 0 ||
          wait4(child, &status, 0, &use) != child) {
        fprintf(stderr, "launch: cannot start %s\n", commands[i][0]);
        return 1;
      }
      long long wall = now() - start;
      if (status != 0) {
        fprintf(stderr, "launch: %s failed (status %d)\n", commands[i][0], status);
        return 1;
      }
      long cpu = (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000 + use.ru_utime.tv_usec +
                 use.ru_stime.tv_usec;
      printf("%d %lld %ld %ld\n", i, wall, cpu, use.ru_maxrss);
    }
  }
  return 0;
}
