// Regular expressions by libpcre2, opened with the first of them: no start is to wait for a library that few
// programs need.
//
// Both patterns and texts are somebody else's input: what it costs to look for one is limited here.
#ifndef CPCRE2_H
#define CPCRE2_H

#include <stddef.h>
#include <stdint.h>

// Longer than what is said of a failure, with its zero byte.
enum { CPCRE2_SIZE = 256 };

typedef struct cpcre2_pattern cpcre2_pattern;

// How a pattern is spelled: in the manner of ECMA-262 with the flag `u`, or as Perl has it, in which case letter
// case may be ignored.
enum { CPCRE2_ECMA = 0, CPCRE2_PERL, CPCRE2_PERL_ANY_CASE };

// The steps that a search may take. One that takes more has no result.
enum { CPCRE2_MOST_STEPS = 1000000 };

// A pattern of UTF-8, spelled as CPCRE2_* says; NULL, and why in `problem`. Any thread.
cpcre2_pattern *cpcre2_create(const char *text, size_t count, int spelling, char problem[CPCRE2_SIZE]);
void cpcre2_free(cpcre2_pattern *pattern);

// 1 if it is found anywhere in a text of UTF-8, 0 if not, -1 if that costs too much to tell. `steps` is the
// work to charge for it: the bytes of the text, and the steps of each trial that was given up. Any thread,
// also at once.
int cpcre2_finds(const cpcre2_pattern *pattern, const char *text, size_t count, int64_t *steps);

#endif
