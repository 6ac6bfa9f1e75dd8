// Lua 5.4's patterns, matched iteratively and with counted steps.
#ifndef LULL_MATCHER_H
#define LULL_MATCHER_H

#include <stddef.h>

#include "ending/lull_work.h"

// As in the stock interpreter: the maximum number of captures in a pattern, and of pending
// choices. More are a pattern error.
enum { LULL_MOST_CAPTURES = 32, LULL_MOST_CHOICES = 199 };

// Captures without a length.
enum { LULL_CAPTURE_OPEN = -1, LULL_CAPTURE_POSITION = -2 };

typedef struct lull_capture {
  const char *start;
  ptrdiff_t length;  // or LULL_CAPTURE_*
} lull_capture;

// A pattern item that can match in another way, or be undone, if the rest fails.
typedef struct lull_choice {
  int kind;
  int capture;          // the capture closed here
  const char *subject;  // where the item began to match, or the text after it
  size_t count;         // the number of characters it matched
  const char *item;
  const char *after;    // the rest of the pattern
} lull_choice;

typedef struct lull_matcher {
  lull_work work;
  const char *subject;
  const char *subject_end;  // followed by a zero byte
  const char *pattern_end;  // followed by a zero byte
  int capture_count;
  int choice_count;
  lull_capture captures[LULL_MOST_CAPTURES];
  lull_choice *choices;  // LULL_MOST_CHOICES, while matching
} lull_matcher;

void lull_matcher_begin(
  lull_matcher *matcher, lua_State *L, const char *subject, size_t subject_length,
  const char *pattern_end);
// Returns the end of a match of the pattern that begins at `subject`; NULL if there is none.
// Raises an error for an invalid pattern, if the match gets that far, and at limits.
const char *lull_match(lull_matcher *matcher, const char *subject, const char *pattern);

#endif
