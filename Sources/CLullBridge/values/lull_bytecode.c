// What the compiler has made of a function: the same bytes whatever lines and names of locals its text has.
//
// It is what Lua 5.4 dumps without what is for debuggers (ldump.c), less the lines that are in it all the same.
#include "values/lull_bytecode.h"

#include "base/lull_stack.h"

// What is the same in each dump, up to the number of upvalues.
enum { HEADER = 4 + 1 + 1 + 6 + 3 + sizeof(lua_Integer) + sizeof(lua_Number) + 1 };

typedef struct dump {
  const unsigned char *at;
  const unsigned char *end;
  const unsigned char *taken;  // what is before is said already
  lull_bytecode_listener say;
  void *context;
} dump;

// Whether there are so many bytes, which are passed.
static int pass(dump *code, size_t count) {
  if (count > (size_t)(code->end - code->at)) return 0;
  code->at += count;
  return 1;
}

// A number of groups of seven bits, the last one marked.
static int read_number(dump *code, size_t *number) {
  *number = 0;
  while (code->at < code->end && *number < (size_t)1 << 56) {
    unsigned char byte = *code->at++;
    *number = *number << 7 | (byte & 0x7f);
    if (byte & 0x80) return 1;
  }
  return 0;
}

// So many things of so many bytes, with their number before them.
static int pass_list(dump *code, size_t size) {
  size_t count;
  return read_number(code, &count) && count <= (size_t)1 << 40 && pass(code, count * size);
}

static int pass_string(dump *code) {
  size_t size;
  return read_number(code, &size) && (size == 0 || pass(code, size - 1));
}

static int pass_constants(dump *code) {
  size_t count;
  if (!read_number(code, &count)) return 0;
  for (size_t i = 0; i < count; i++) {
    if (code->at == code->end) return 0;
    switch (*code->at++) {
      case 0x03: if (!pass(code, sizeof(lua_Integer))) return 0; break;
      case 0x13: if (!pass(code, sizeof(lua_Number))) return 0; break;
      case 0x04: case 0x14: if (!pass_string(code)) return 0; break;
      case 0x00: case 0x01: case 0x11: break;
      default: return 0;
    }
  }
  return 1;
}

// [-0, +0] says what has been passed
static void take(lua_State *L, dump *code) {
  LULL_EFFECT(L, 0, 0);
  code->say(L, code->context, (const char *)code->taken, (size_t)(code->at - code->taken));
  code->taken = code->at;
}

// [-0, +0] passes the places of what a function takes, and says them: of those that are local to what has made it
// which, where that is said too; false of other code
static int say_places(lua_State *L, dump *code, int depth) {
  LULL_EFFECT(L, 0, 0);
  size_t count;
  if (!read_number(code, &count)) return 0;
  take(L, code);
  for (size_t i = 0; i < count; i++) {
    if (depth > 0) {
      if (!pass(code, 2)) return 0;
      take(L, code);
      // Of what kind of local it is says nothing.
      if (!pass(code, 1)) return 0;
    } else if (!pass(code, 3)) {
      return 0;
    }
    code->taken = code->at;
  }
  return 1;
}

// [-0, +0] passes a function and those in it, and says all but the lines that they are on; false of other code
static int say_function(lua_State *L, dump *code, int depth) {
  LULL_EFFECT(L, 0, 0);
  size_t count;
  if (depth > 200 || !pass_string(code)) return 0;
  take(L, code);
  if (!read_number(code, &count) || !read_number(code, &count)) return 0;
  code->taken = code->at;
  if (!pass(code, 3) || !pass_list(code, 4) || !pass_constants(code)) return 0;
  if (!say_places(L, code, depth)) return 0;
  if (!read_number(code, &count)) return 0;
  for (size_t i = 0; i < count; i++) {
    if (!say_function(L, code, depth + 1)) return 0;
  }
  // Of lines, variables and upvalues, of which there are none.
  for (int i = 0; i < 4; i++) {
    if (!read_number(code, &count) || count != 0) return 0;
  }
  take(L, code);
  return 1;
}

typedef struct dumping {
  luaL_Buffer buffer;
  int is_open;
} dumping;

// [-0, +0] (unproved: the buffer may put a box on the stack, as that of string.dump does)
static int write_dump(lua_State *L, const void *part, size_t size, void *context) {
  dumping *dumped = context;
  if (!dumped->is_open) {
    dumped->is_open = 1;
    luaL_buffinit(L, &dumped->buffer);
  }
  luaL_addlstring(&dumped->buffer, part, size);
  return 0;
}

// [-0, +0]
void lull_bytecode_say(lua_State *L, lull_bytecode_listener say, void *context) {
  LULL_EFFECT(L, 0, 0);
  dumping dumped = {.is_open = 0};
  if (lua_dump(L, write_dump, &dumped, 1) != 0 || !dumped.is_open) luaL_error(L, "cannot be dumped");
  luaL_pushresult(&dumped.buffer);
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  const unsigned char *bytes = (const unsigned char *)text;
  dump code = {
    .at = bytes, .end = bytes + length, .taken = bytes, .say = say, .context = context};
  // Of another Lua: all of it, the lines too. What has moved is another one then.
  if (!pass(&code, HEADER) || !say_function(L, &code, 0)) say(L, context, text, length);
  lua_pop(L, 1);
}
