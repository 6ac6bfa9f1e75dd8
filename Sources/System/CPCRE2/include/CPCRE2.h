// Regular expressions by libpcre2 in the manner of ECMA-262, opened when somebody asks for one: no start is to
// wait for a library that few programs need.
//
// Both patterns and texts are somebody else's input: what it costs to look for one is limited here.
#ifndef CPCRE2_H
#define CPCRE2_H

#include <stddef.h>

// Longer than what is said of a failure, with its zero byte.
enum { CPCRE2_SIZE = 256 };

typedef struct cpcre2_pattern cpcre2_pattern;

// A pattern of UTF-8; NULL, and why in `problem`. Any thread.
cpcre2_pattern *cpcre2_create(const char *text, size_t count, char problem[CPCRE2_SIZE]);
void cpcre2_free(cpcre2_pattern *pattern);

// 1 if it is found anywhere in a text of UTF-8, 0 if not, -1 if that costs too much to tell. Any thread, also at
// once.
int cpcre2_finds(const cpcre2_pattern *pattern, const char *text, size_t count);

#endif
