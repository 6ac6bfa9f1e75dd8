// Lua 5.4's patterns, matched without recursion and step by step.
#ifndef LULL_MATCHER_H
#define LULL_MATCHER_H

#include <stddef.h>

#include "ending/lull_work.h"

// As in the stock interpreter: the captures of a pattern, and the items that may be waiting for what
// follows them. More are errors of the pattern.
enum { LULL_MOST_CAPTURES = 32, LULL_MOST_CHOICES = 199 };

// A capture that has no length.
enum { LULL_CAPTURE_OPEN = -1, LULL_CAPTURE_POSITION = -2 };

typedef struct lull_capture {
  const char *start;
  ptrdiff_t length;  // or LULL_CAPTURE_*
} lull_capture;

// An item of the pattern that can be taken back, or matched another way, if what follows it fails.
typedef struct lull_choice {
  int kind;
  int capture;          // that is closed here
  const char *subject;  // where the item began to match, or what follows it
  size_t count;         // how many characters it has taken
  const char *item;
  const char *after;    // the rest of the pattern
} lull_choice;

typedef struct lull_matcher {
  lull_work work;
  const char *subject;
  const char *subject_end;  // there is a zero byte
  const char *pattern_end;  // there is a zero byte
  int capture_count;
  int choice_count;
  lull_capture captures[LULL_MOST_CAPTURES];
  lull_choice *choices;  // LULL_MOST_CHOICES, while it matches
} lull_matcher;

void lull_matcher_begin(
  lull_matcher *matcher, lua_State *L, const char *subject, size_t subject_length,
  const char *pattern_end);
// Where a match of the pattern that begins right there ends; NULL: none does. Raises for patterns that
// make no sense where the match comes to that, and at limits.
const char *lull_match(lull_matcher *matcher, const char *subject, const char *pattern);

#endif
