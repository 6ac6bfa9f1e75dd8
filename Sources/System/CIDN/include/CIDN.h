// International host names by libidn2, which libcurl uses too; found when somebody asks for one: no
// start is to wait for a library that few programs need.
#ifndef CIDN_H
#define CIDN_H

#include <stddef.h>

// Longer than any name with its zero byte.
enum { CIDN_SIZE = 256 };

// Writes what a name of UTF-8, ended by a zero byte, is in ASCII (UTS 46, whatever the locale); NULL, or
// why there is no such thing, to be kept by nobody else. Any thread.
const char *cidn_to_ascii(const char *name, char ascii[CIDN_SIZE]);

#endif
