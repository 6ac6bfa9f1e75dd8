// The functions of `string` that take patterns, as described in Lua's manual (section 6.4).
#define _GNU_SOURCE
#include "counted/lull_patterns.h"

#include <ctype.h>
#include <string.h>

#include "base/lull_stack.h"
#include "counted/lull_matcher.h"

// The characters with a special meaning in a pattern.
static const char specials[] = "^$*+?.([%-";

// --- Captures ---

// [-0, +1] Pushes the capture with that index, starting at zero. Without captures the first one is
// the whole match.
static void push_capture(
  const lull_matcher *matcher, lua_State *L, int index, const char *start, const char *end) {
  LULL_EFFECT(L, 0, 1);
  if (index >= matcher->capture_count) {
    if (index != 0) luaL_error(L, "invalid capture index %%%d", index + 1);
    lua_pushlstring(L, start, (size_t)(end - start));
    return;
  }
  const lull_capture *capture = &matcher->captures[index];
  if (capture->length == LULL_CAPTURE_OPEN) luaL_error(L, "unfinished capture");
  if (capture->length == LULL_CAPTURE_POSITION) {
    lua_pushinteger(L, capture->start - matcher->subject + 1);
  } else {
    lua_pushlstring(L, capture->start, (size_t)capture->length);
  }
}

// [-0, +m] Pushes all captures and returns their number. Without any, pushes the whole match if
// `start` is given.
static int push_captures(
  const lull_matcher *matcher, lua_State *L, const char *start, const char *end) {
  LULL_EFFECT(L, 0, LULL_M);
  int count = matcher->capture_count == 0 && start ? 1 : matcher->capture_count;
  luaL_checkstack(L, count, "too many captures");
  for (int index = 0; index < count; index++) push_capture(matcher, L, index, start, end);
  return LULL_COUNT(L, count);
}

// --- find and match ---

// Returns the number of characters before the start of a search, from an argument. If that is
// after the end, the number is larger than the length.
static size_t place_before(lua_Integer position, size_t length) {
  if (position > 0) return (size_t)position - 1;
  if (position == 0 || position < -(lua_Integer)length) return 0;
  return length - (size_t)-position;
}

// Returns whether a pattern has no special characters.
static int is_plain(const char *pattern, size_t length) {
  for (const char *special = specials; *special; special++) {
    if (memchr(pattern, *special, length)) return 0;
  }
  return 1;
}

// [-0, +2 or +1] Searches for a plain text and pushes its place, or nil.
static int find_text(
  lua_State *L, const char *subject, size_t length, size_t before, const char *text, size_t size) {
  LULL_EFFECT_EITHER(L, 0, 2, 1);
  lull_work work = {.L = L};
  // Linear in both lengths, for any contents.
  const char *found = memmem(subject + before, length - before, text, size);
  lull_work_add_bytes(&work, length - before + size);
  lull_work_end(&work);
  if (found == NULL) {
    luaL_pushfail(L);
    return 1;
  }
  lua_pushinteger(L, found - subject + 1);
  lua_pushinteger(L, found - subject + (lua_Integer)size);
  return 2;
}

// [-n, +m] find and match; `finds`: with the places
static int search(lua_State *L, int finds) {
  LULL_CALLED(L, LULL_N, LULL_M);
  size_t length, size;
  const char *subject = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &size);
  size_t before = place_before(luaL_optinteger(L, 3, 1), length);
  if (before > length) {
    luaL_pushfail(L);
    return LULL_COUNT(L, 1);
  }
  if (finds && (lua_toboolean(L, 4) || is_plain(pattern, size))) {
    return LULL_COUNT(L, find_text(L, subject, length, before, pattern, size));
  }
  lull_matcher matcher;
  lull_matcher_begin(&matcher, L, subject, length, pattern + size);
  int is_anchored = *pattern == '^';
  if (is_anchored) pattern++;
  for (const char *start = subject + before; start <= matcher.subject_end; start++) {
    const char *end = lull_match(&matcher, start, pattern);
    if (end) {
      lull_work_end(&matcher.work);
      if (!finds) return LULL_COUNT(L, push_captures(&matcher, L, start, end));
      lua_pushinteger(L, start - subject + 1);
      lua_pushinteger(L, end - subject);
      return LULL_COUNT(L, push_captures(&matcher, L, NULL, NULL) + 2);
    }
    if (is_anchored) break;
  }
  lull_work_end(&matcher.work);
  luaL_pushfail(L);
  return LULL_COUNT(L, 1);
}

// [-n, +m]
int lull_string_find(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  return LULL_COUNT(L, search(L, 1));
}

// [-n, +m]
int lull_string_match(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  return LULL_COUNT(L, search(L, 0));
}

// --- gmatch ---

// The position of a traversal, in characters of the subject.
typedef struct traversal {
  size_t next;
  size_t last_end;  // the end of the last match
  int has_last;
} traversal;

// [-n, +m] Returns the next match; upvalues: subject, pattern, traversal
static int next_match(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  size_t length, size;
  const char *subject = lua_tolstring(L, lua_upvalueindex(1), &length);
  const char *pattern = lua_tolstring(L, lua_upvalueindex(2), &size);
  traversal *place = lua_touserdata(L, lua_upvalueindex(3));
  lull_matcher matcher;
  lull_matcher_begin(&matcher, L, subject, length, pattern + size);
  for (size_t start = place->next; start <= length; start++) {
    const char *end = lull_match(&matcher, subject + start, pattern);
    if (end == NULL || (place->has_last && (size_t)(end - subject) == place->last_end)) continue;
    *place = (traversal){.next = (size_t)(end - subject), .has_last = 1};
    place->last_end = place->next;
    lull_work_end(&matcher.work);
    return LULL_COUNT(L, push_captures(&matcher, L, subject + start, end));
  }
  lull_work_end(&matcher.work);
  return 0;
}

// [-n, +1]
int lull_string_gmatch(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  size_t length;
  luaL_checklstring(L, 1, &length);
  luaL_checkstring(L, 2);
  size_t before = place_before(luaL_optinteger(L, 3, 1), length);
  lua_settop(L, 2);
  traversal *place = lua_newuserdatauv(L, sizeof(traversal), 0);
  *place = (traversal){.next = before > length ? length + 1 : before};
  lua_pushcclosure(L, next_match, 3);
  return 1;
}

// --- gsub ---

// A match to be replaced.
typedef struct replacing {
  lull_matcher *matcher;
  luaL_Buffer *result;
  const char *start;
  const char *end;
} replacing;

// [-0, +0] (unproved: a buffer may keep a value on top of the stack) Adds the capture's text, or
// its position.
static void add_capture(const replacing *context, lua_State *L, char digit) {
  const lull_matcher *matcher = context->matcher;
  int index = digit - '1';
  // '%0' is the whole match, even if there are captures.
  if (index < 0) {
    luaL_addlstring(context->result, context->start, (size_t)(context->end - context->start));
  } else if (index < matcher->capture_count && matcher->captures[index].length >= 0) {
    const lull_capture *capture = &matcher->captures[index];
    luaL_addlstring(context->result, capture->start, (size_t)capture->length);
  } else {
    push_capture(matcher, L, index, context->start, context->end);
    luaL_addvalue(context->result);
  }
}

// [-0, +0] (unproved: as add_capture) Adds a replacement string with its captures filled in.
static void add_template(const replacing *context, lua_State *L) {
  size_t length;
  const char *text = lua_tolstring(L, 3, &length), *end = text + length;
  const char *sign;
  while ((sign = memchr(text, '%', (size_t)(end - text))) != NULL) {
    luaL_addlstring(context->result, text, (size_t)(sign - text));
    // At the end this is the terminating zero byte.
    char c = sign[1];
    if (c == '%') {
      luaL_addchar(context->result, '%');
    } else if (isdigit((unsigned char)c)) {
      add_capture(context, L, c);
      lull_work_add(&context->matcher->work, 1);
    } else {
      luaL_error(L, "invalid use of '%c' in replacement string", '%');
    }
    text = sign + 2;
  }
  luaL_addlstring(context->result, text, (size_t)(end - text));
}

// [-0, +0] (unproved: as add_capture) Adds the replacement of the match; 0 if the match is kept.
static int add_replacement(const replacing *context, lua_State *L, int type) {
  switch (type) {
    case LUA_TFUNCTION:
      lua_pushvalue(L, 3);
      lua_call(L, push_captures(context->matcher, L, context->start, context->end), 1);
      break;
    case LUA_TTABLE:
      push_capture(context->matcher, L, 0, context->start, context->end);
      lua_gettable(L, 3);
      break;
    default: add_template(context, L); return 1;
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    luaL_addlstring(context->result, context->start, (size_t)(context->end - context->start));
    return 0;
  }
  if (!lua_isstring(L, -1)) {
    return luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  }
  luaL_addvalue(context->result);
  return 1;
}

// [-n, +2]
int lull_string_gsub(lua_State *L) {
  LULL_CALLED(L, LULL_N, 2);
  size_t length, size;
  const char *subject = luaL_checklstring(L, 1, &length);
  const char *pattern = luaL_checklstring(L, 2, &size);
  int type = lua_type(L, 3);
  lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)length + 1);
  luaL_argexpected(
    L,
    type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
    "string/function/table");
  lull_matcher matcher;
  lull_matcher_begin(&matcher, L, subject, length, pattern + size);
  int is_anchored = *pattern == '^';
  if (is_anchored) pattern++;
  luaL_Buffer result;
  luaL_buffinit(L, &result);
  const char *place = subject, *last_end = NULL;
  lua_Integer count = 0;
  int has_changed = 0;
  while (count < most) {
    const char *end = lull_match(&matcher, place, pattern);
    if (end && end != last_end) {
      count++;
      size_t before = luaL_bufflen(&result);
      replacing context = {.matcher = &matcher, .result = &result, .start = place, .end = end};
      if (add_replacement(&context, L, type)) has_changed = 1;
      lull_work_add_bytes(&matcher.work, luaL_bufflen(&result) - before);
      place = last_end = end;
    } else if (place < matcher.subject_end) {
      luaL_addchar(&result, *place++);
    } else {
      break;
    }
    if (is_anchored) break;
  }
  if (has_changed) {
    luaL_addlstring(&result, place, (size_t)(matcher.subject_end - place));
    luaL_pushresult(&result);
  } else {
    lua_pushvalue(L, 1);
  }
  lua_pushinteger(L, count);
  lull_work_end(&matcher.work);
  return 2;
}
