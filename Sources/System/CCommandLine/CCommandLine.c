// What Swift's `CommandLine` asks the runtime for, kept from what the C library passes at the start.
//
// The runtime's own way to find the words reads and parses /proc/self/maps before main, in every
// process: a twentieth of the time a short script takes. These two functions are all of that part of
// the runtime, which a program linked with them leaves out. Should a later runtime have more of it,
// linking fails for symbols defined twice: nothing then changes silently.
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
