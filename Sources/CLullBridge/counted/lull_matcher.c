// Matching a pattern at one position of a subject.
//
// The pattern is parsed as the match proceeds, so that a pattern error is raised where and when
// the stock functions raise it. If an item can match in several ways, a choice records how to
// continue if the rest fails. The number of pending choices is limited to the depth to which the
// stock matcher's C calls could nest.
#include "counted/lull_matcher.h"

#include <ctype.h>
#include <string.h>

#include "base/lull_stack.h"

enum { ESCAPE = '%' };

// What to undo or to try next.
enum { CHOICE_OPENED, CHOICE_CLOSED, CHOICE_OPTIONAL, CHOICE_GREEDY, CHOICE_LAZY };

static unsigned char byte_at(const char *place) { return (unsigned char)*place; }

// --- Single characters ---

static int is_of_letter(unsigned char c, unsigned char letter) {
  int is_of_class;
  switch (tolower(letter)) {
    case 'a': is_of_class = isalpha(c); break;
    case 'c': is_of_class = iscntrl(c); break;
    case 'd': is_of_class = isdigit(c); break;
    case 'g': is_of_class = isgraph(c); break;
    case 'l': is_of_class = islower(c); break;
    case 'p': is_of_class = ispunct(c); break;
    case 's': is_of_class = isspace(c); break;
    case 'u': is_of_class = isupper(c); break;
    case 'w': is_of_class = isalnum(c); break;
    case 'x': is_of_class = isxdigit(c); break;
    // No longer documented, but still supported.
    case 'z': is_of_class = c == 0; break;
    default: return c == letter;
  }
  return isupper(letter) ? !is_of_class : is_of_class != 0;
}

// `set` is its opening bracket, `last` the closing one.
static int is_of_set(unsigned char c, const char *set, const char *last) {
  const char *place = set + 1;
  int is_negated = *place == '^';
  if (is_negated) place++;
  while (place < last) {
    if (*place == ESCAPE) {
      if (is_of_letter(c, byte_at(place + 1))) return !is_negated;
      place += 2;
    } else if (place[1] == '-' && place + 2 < last) {
      if (byte_at(place) <= c && c <= byte_at(place + 2)) return !is_negated;
      place += 3;
    } else {
      if (byte_at(place) == c) return !is_negated;
      place++;
    }
  }
  return is_negated;
}

// [-0, +0] (unproved: called for every item) Returns the end of the item without its repetition.
static const char *item_end(lull_matcher *matcher, const char *item) {
  const char *place = item + 1;
  if (*item == ESCAPE) {
    if (place == matcher->pattern_end) {
      luaL_error(matcher->work.L, "malformed pattern (ends with '%%')");
    }
    return place + 1;
  }
  if (*item != '[') return place;
  if (*place == '^') place++;
  // The first character always belongs to the set, even a bracket.
  do {
    if (place == matcher->pattern_end) {
      luaL_error(matcher->work.L, "malformed pattern (missing ']')");
    }
    int is_escape = *place++ == ESCAPE;
    if (is_escape && place < matcher->pattern_end) place++;
  } while (*place != ']');
  lull_work_add(&matcher->work, (place - item) / 8);
  return place + 1;
}

// Returns whether the item that ends at `end` matches the character.
static int fits(lull_matcher *matcher, const char *subject, const char *item, const char *end) {
  lull_work_add(&matcher->work, 1);
  if (subject >= matcher->subject_end) return 0;
  unsigned char c = byte_at(subject);
  switch (*item) {
    case '.': return 1;
    case ESCAPE: return is_of_letter(c, byte_at(item + 1));
    case '[':
      matcher->work.steps += (end - item) / 4;
      return is_of_set(c, item, end - 1);
    default: return byte_at(item) == c;
  }
}

// --- Choices and captures ---

// [-0, +0] (unproved: called for every item) Adds a choice.
static lull_choice *choose(
  lull_matcher *matcher, int kind, const char *subject, const char *item, const char *after) {
  if (matcher->choice_count == LULL_MOST_CHOICES) {
    luaL_error(matcher->work.L, "pattern too complex");
  }
  lull_choice *choice = &matcher->choices[matcher->choice_count++];
  *choice = (lull_choice){.kind = kind, .subject = subject, .item = item, .after = after};
  return choice;
}

// [-0, +0] (unproved: called for every item)
static void open_capture(lull_matcher *matcher, const char *subject, ptrdiff_t length) {
  if (matcher->capture_count >= LULL_MOST_CAPTURES) {
    luaL_error(matcher->work.L, "too many captures");
  }
  matcher->captures[matcher->capture_count++] =
    (lull_capture){.start = subject, .length = length};
  choose(matcher, CHOICE_OPENED, subject, NULL, NULL);
}

// [-0, +0] (unproved: called for every item)
static void close_capture(lull_matcher *matcher, const char *subject) {
  int index = matcher->capture_count - 1;
  while (index >= 0 && matcher->captures[index].length != LULL_CAPTURE_OPEN) index--;
  if (index < 0) luaL_error(matcher->work.L, "invalid pattern capture");
  matcher->captures[index].length = subject - matcher->captures[index].start;
  choose(matcher, CHOICE_CLOSED, subject, NULL, NULL)->capture = index;
}

// [-0, +0] (unproved: called for every item) Returns the position after a repetition of a
// capture's match; NULL if it is not repeated.
static const char *repeat_capture(lull_matcher *matcher, const char *subject, char digit) {
  int index = digit - '1';
  if (index < 0 || index >= matcher->capture_count
    || matcher->captures[index].length == LULL_CAPTURE_OPEN) {
    luaL_error(matcher->work.L, "invalid capture index %%%d", index + 1);
  }
  const lull_capture *capture = &matcher->captures[index];
  if (capture->length < 0 || matcher->subject_end - subject < capture->length) return NULL;
  lull_work_add_bytes(&matcher->work, (size_t)capture->length);
  int is_there = memcmp(capture->start, subject, (size_t)capture->length) == 0;
  return is_there ? subject + capture->length : NULL;
}

// [-0, +0] (unproved: called for every item) Returns the position after the balanced text that
// begins at `subject`.
static const char *balanced(lull_matcher *matcher, const char *subject, const char *signs) {
  if (signs >= matcher->pattern_end - 1) {
    luaL_error(matcher->work.L, "malformed pattern (missing arguments to '%%b')");
  }
  if (*subject != signs[0]) return NULL;
  size_t depth = 1;
  for (const char *place = subject + 1; place < matcher->subject_end; place++) {
    lull_work_add(&matcher->work, 1);
    if (*place == signs[1]) {
      if (--depth == 0) return place + 1;
    } else if (*place == signs[0]) {
      depth++;
    }
  }
  return NULL;
}

// [-0, +0] (unproved: called for every item) Returns the position after the set of a frontier;
// NULL if the subject does not match it.
static const char *behind_frontier(lull_matcher *matcher, const char *subject, const char *set) {
  if (*set != '[') luaL_error(matcher->work.L, "missing '[' after '%%f' in pattern");
  const char *end = item_end(matcher, set);
  unsigned char before = subject == matcher->subject ? 0 : byte_at(subject - 1);
  // At the end of the subject this is its terminating zero byte.
  int is_frontier =
    !is_of_set(before, set, end - 1) && is_of_set(byte_at(subject), set, end - 1);
  return is_frontier ? end : NULL;
}

// --- Matching ---

// The current position of a match.
typedef struct position {
  const char *subject;
  const char *pattern;
} position;

// Moves past a character item with its repetition; 0 if it does not match.
static int pass_character(lull_matcher *matcher, position *at) {
  const char *item = at->pattern, *subject = at->subject;
  const char *end = item_end(matcher, item);
  char repetition = *end;
  int is_there = fits(matcher, subject, item, end);
  switch (repetition) {
    case '?':
      at->pattern = end + 1;
      if (!is_there) return 1;
      choose(matcher, CHOICE_OPTIONAL, subject, item, end + 1);
      at->subject = subject + 1;
      return 1;
    case '-':
      at->pattern = end + 1;
      if (is_there) choose(matcher, CHOICE_LAZY, subject, item, end + 1);
      return 1;
    case '*':
    case '+': {
      int least = repetition == '+';
      if (!is_there) {
        at->pattern = end + 1;
        return !least;
      }
      size_t count = 1;
      while (fits(matcher, subject + count, item, end)) count++;
      lull_choice *choice = choose(matcher, CHOICE_GREEDY, subject + least, item, end + 1);
      choice->count = count - (size_t)least;
      at->subject = choice->subject + choice->count;
      at->pattern = end + 1;
      return 1;
    }
    default:
      at->subject = subject + 1;
      at->pattern = end;
      return is_there;
  }
}

// Moves past the item at the position; 0 if it does not match.
static int pass_item(lull_matcher *matcher, position *at) {
  const char *pattern = at->pattern, *subject = at->subject, *end;
  switch (*pattern) {
    case '(': {
      int is_position = pattern[1] == ')';
      at->pattern += is_position ? 2 : 1;
      open_capture(
        matcher, subject, is_position ? LULL_CAPTURE_POSITION : LULL_CAPTURE_OPEN);
      return 1;
    }
    case ')':
      at->pattern++;
      close_capture(matcher, subject);
      return 1;
    case '$':
      if (pattern + 1 != matcher->pattern_end) return pass_character(matcher, at);
      at->pattern++;
      return subject == matcher->subject_end;
    case ESCAPE:
      switch (pattern[1]) {
        case 'b':
          end = balanced(matcher, subject, pattern + 2);
          if (end == NULL) return 0;
          *at = (position){.subject = end, .pattern = pattern + 4};
          return 1;
        case 'f':
          end = behind_frontier(matcher, subject, pattern + 2);
          if (end == NULL) return 0;
          at->pattern = end;
          return 1;
        case '0': case '1': case '2': case '3': case '4':
        case '5': case '6': case '7': case '8': case '9':
          end = repeat_capture(matcher, subject, pattern[1]);
          if (end == NULL) return 0;
          *at = (position){.subject = end, .pattern = pattern + 2};
          return 1;
        default: return pass_character(matcher, at);
      }
    default: return pass_character(matcher, at);
  }
}

// Backtracks to the last choice with another alternative; 0 if there is none.
static int choose_again(lull_matcher *matcher, position *at) {
  while (matcher->choice_count > 0) {
    lull_choice *choice = &matcher->choices[matcher->choice_count - 1];
    lull_work_add(&matcher->work, 1);
    *at = (position){.subject = choice->subject, .pattern = choice->after};
    switch (choice->kind) {
      case CHOICE_OPENED: matcher->capture_count--; break;
      case CHOICE_CLOSED: matcher->captures[choice->capture].length = LULL_CAPTURE_OPEN; break;
      case CHOICE_OPTIONAL:
        // Both alternatives have been tried then.
        matcher->choice_count--;
        return 1;
      case CHOICE_GREEDY:
        if (choice->count == 0) break;
        choice->count--;
        at->subject += choice->count;
        return 1;
      default:
        if (!fits(matcher, choice->subject, choice->item, item_end(matcher, choice->item))) break;
        choice->subject++;
        at->subject++;
        return 1;
    }
    matcher->choice_count--;
  }
  return 0;
}

const char *lull_match(lull_matcher *matcher, const char *subject, const char *pattern) {
  position at = {.subject = subject, .pattern = pattern};
  // Stored on the C stack, only while nothing else is called.
  lull_choice choices[LULL_MOST_CHOICES];
  matcher->choices = choices;
  matcher->capture_count = 0;
  matcher->choice_count = 0;
  while (at.pattern != matcher->pattern_end) {
    lull_work_add(&matcher->work, 1);
    if (!pass_item(matcher, &at) && !choose_again(matcher, &at)) return NULL;
  }
  return at.subject;
}

// [-0, +0]
void lull_matcher_begin(
  lull_matcher *matcher, lua_State *L, const char *subject, size_t subject_length,
  const char *pattern_end) {
  LULL_EFFECT(L, 0, 0);
  matcher->work = (lull_work){.L = L};
  matcher->subject = subject;
  matcher->subject_end = subject + subject_length;
  matcher->pattern_end = pattern_end;
}
