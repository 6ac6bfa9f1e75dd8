// The part of the Swift runtime that `CommandLine` calls. It stores the arguments that the C
// library passes at the start.
//
// The runtime's own version finds the arguments by parsing /proc/self/maps before main, in every
// process: this takes a twentieth of the time of a short script. These two functions are that
// entire part of the runtime, which is not linked into a program that contains them. If a later
// runtime has more functions in that part, linking fails because of duplicate symbols, so the
// change will be noticed.
#include "CCommandLine.h"

static struct {
  char **words;
  int count;
} command_line;

__attribute__((constructor)) static void keep(int count, char **words) {
  command_line.words = words;
  command_line.count = count;
}

char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
  *count = command_line.count;
  return command_line.words;
}

void _swift_stdlib_overrideUnsafeArgvArgc(char **words, int count) {
  command_line.words = words;
  command_line.count = count;
}
