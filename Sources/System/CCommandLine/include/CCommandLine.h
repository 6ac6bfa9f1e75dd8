// The arguments of the process for Swift's `CommandLine`; see CCommandLine.c.
#ifndef LULL_C_COMMAND_LINE_H
#define LULL_C_COMMAND_LINE_H

char **_swift_stdlib_getUnsafeArgvArgc(int *count);
void _swift_stdlib_overrideUnsafeArgvArgc(char **words, int count);

#endif
