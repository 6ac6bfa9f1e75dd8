// Regular expressions by libpcre2, loaded at its first use, because few programs need it.
//
// Patterns and texts are untrusted input: the cost of a search is limited here.
#ifndef CPCRE2_H
#define CPCRE2_H

#include <stddef.h>
#include <stdint.h>

// Larger than any error message with its zero byte.
enum { CPCRE2_SIZE = 256 };

typedef struct cpcre2_pattern cpcre2_pattern;

// The syntax of a pattern: ECMA-262 with the flag `u`, or Perl's, optionally case-insensitive.
enum { CPCRE2_ECMA = 0, CPCRE2_PERL, CPCRE2_PERL_ANY_CASE };

// The maximum number of steps of a search. A search that exceeds it has no result.
enum { CPCRE2_MOST_STEPS = 1000000 };

// The version of the library; NULL if it cannot be loaded, and why in `problem`. Any thread.
const char *cpcre2_version(const char **problem);

// Compiles a UTF-8 pattern in the syntax of a CPCRE2_* constant. On failure, returns NULL and
// writes the reason to `problem`. Any thread.
cpcre2_pattern *cpcre2_create(const char *text, size_t count, int spelling, char problem[CPCRE2_SIZE]);
void cpcre2_free(cpcre2_pattern *pattern);

// Returns 1 if the pattern is found anywhere in a UTF-8 text, 0 if not, -1 if the search costs too
// much. `steps` is the work to charge for it: the bytes of the text, and the steps of each attempt
// that was given up. Any thread, also concurrently.
int cpcre2_finds(const cpcre2_pattern *pattern, const char *text, size_t count, int64_t *steps);

#endif
