// The reference of B5 and B6: a Lua interpreter with two additional functions, `now()` and
// `get(url)`. The latter sends a GET through libcurl over a persistent connection.
//
//   decode SCRIPT ARGUMENT …
#include <curl/curl.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct body {
  char *bytes;
  size_t length;
  size_t capacity;
} body;

static CURL *easy;
static body received;  // keeps its memory between responses

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
  (void)context;
  size_t length = size * count;
  if (received.length + length > received.capacity) {
    curl_off_t announced = -1;
    curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
    size_t capacity = 2 * (received.length + length);
    if (announced > (curl_off_t)capacity) capacity = (size_t)announced;
    char *larger = realloc(received.bytes, capacity);
    if (larger == NULL) return 0;
    received.bytes = larger;
    received.capacity = capacity;
  }
  memcpy(received.bytes + received.length, bytes, length);
  received.length += length;
  return length;
}

static int get(lua_State *L) {
  received.length = 0;
  curl_easy_setopt(easy, CURLOPT_URL, luaL_checkstring(L, 1));
  CURLcode code = curl_easy_perform(easy);
  if (code != CURLE_OK) return luaL_error(L, "%s", curl_easy_strerror(code));
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  if (status != 200) return luaL_error(L, "status %d", (int)status);
  lua_pushlstring(L, received.bytes, received.length);
  return 1;
}

static int now(lua_State *L) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  lua_pushnumber(L, (double)t.tv_sec + (double)t.tv_nsec / 1e9);
  return 1;
}

int main(int count, char **words) {
  if (count < 2) return 2;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  easy = curl_easy_init();
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // Same size as in Lull.
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 64L << 10);

  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  lua_register(L, "get", get);
  lua_register(L, "now", now);
  lua_createtable(L, count - 2, 1);
  for (int i = 1; i < count; i++) {
    lua_pushstring(L, words[i]);
    lua_rawseti(L, -2, i - 1);
  }
  lua_setglobal(L, "arg");
  int status = luaL_loadfile(L, words[1]);
  for (int i = 2; i < count; i++) lua_pushstring(L, words[i]);
  if (status == LUA_OK) status = lua_pcall(L, count - 2, 0, 0);
  if (status != LUA_OK) fprintf(stderr, "decode: %s\n", lua_tostring(L, -1));
  lua_close(L);
  curl_easy_cleanup(easy);
  free(received.bytes);
  return status == LUA_OK ? 0 : 1;
}
