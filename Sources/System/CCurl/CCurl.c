#define _GNU_SOURCE
#include "CCurl.h"

#include <CLoader.h>
#include <dlfcn.h>
#include <pthread.h>

// Their plain names are macros that check types.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#undef curl_share_setopt

// The functions that Swift calls by curl's own names.
#define PASSED_ON(X)                                                                               \
  X(easy_init) X(easy_cleanup) X(easy_pause) X(easy_send) X(easy_recv) X(multi_init)               \
  X(multi_cleanup) X(multi_add_handle)                                                             \
  X(multi_remove_handle) X(multi_info_read) X(multi_socket_action) X(share_init) X(share_cleanup)  \
  X(slist_append) X(slist_free_all) X(url) X(url_cleanup) X(url_get) X(url_set) X(version_info)    \
  X(free)

#define VARIADIC(X) X(easy_setopt) X(easy_getinfo) X(multi_setopt) X(share_setopt)

static struct {
#define POINTER(name) __typeof__(curl_##name) *name;
  PASSED_ON(POINTER)
#undef POINTER
} curl;

#define POINTER(name) __typeof__(curl_##name) *ccurl_##name;
VARIADIC(POINTER)
#undef POINTER

static __typeof__(curl_global_init) *set_up;

static const cloader_symbol symbols[] = {
#define FIELD(name) {"curl_" #name, &curl.name},
#define FACE(name) {"curl_" #name, &ccurl_##name},
  PASSED_ON(FIELD)
  VARIADIC(FACE)
#undef FIELD
#undef FACE
  {"curl_global_init", &set_up},
};

// Lazy, because curl and OpenSSL call few of the functions that they refer to.
static cloader_library library = {
  .file = "libcurl.so.4", .purpose = "libcurl cannot be used", .is_lazy = 1,
  CLOADER_SYMBOLS(symbols)};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *failure;
static int is_loaded;

// The loader looks up each symbol of a library first in the program and its libraries, then in the
// libraries that were loaded with the requested one, starting from that. These two have the most
// symbols of libcurl's libraries. When they are loaded separately, each is the first of its own
// list, which saves a tenth of the instructions of a script that makes one request. If libcurl does
// not use them, they are usually not installed, and nothing is lost.
static void load_largest(void) {
  dlopen("libcrypto.so.3", RTLD_LAZY | RTLD_LOCAL);
  dlopen("libgnutls.so.30", RTLD_LAZY | RTLD_LOCAL);
}

static void load(void) {
  load_largest();
  failure = cloader_load(&library);
  if (failure) return;
  if (set_up(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    failure = "libcurl cannot be used: curl_global_init failed";
    return;
  }
  __atomic_store_n(&is_loaded, 1, __ATOMIC_RELEASE);
}

const char *ccurl_load(void) {
  if (__atomic_load_n(&is_loaded, __ATOMIC_ACQUIRE)) return NULL;
  pthread_once(&once, load);
  return failure;
}

void *ccurl_symbol(const char *name) {
  return library.handle ? dlsym(library.handle, name) : NULL;
}

CURL *curl_easy_init(void) { return ccurl_load() ? NULL : curl.easy_init(); }

void curl_easy_cleanup(CURL *easy) { curl.easy_cleanup(easy); }

CURLcode curl_easy_pause(CURL *easy, int what) { return curl.easy_pause(easy, what); }

CURLcode curl_easy_send(CURL *easy, const void *bytes, size_t count, size_t *sent) {
  return curl.easy_send(easy, bytes, count, sent);
}

CURLcode curl_easy_recv(CURL *easy, void *bytes, size_t count, size_t *received) {
  return curl.easy_recv(easy, bytes, count, received);
}

CURLM *curl_multi_init(void) { return ccurl_load() ? NULL : curl.multi_init(); }

CURLMcode curl_multi_cleanup(CURLM *multi) { return curl.multi_cleanup(multi); }

CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy) {
  return curl.multi_add_handle(multi, easy);
}

CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy) {
  return curl.multi_remove_handle(multi, easy);
}

CURLMsg *curl_multi_info_read(CURLM *multi, int *left) { return curl.multi_info_read(multi, left); }

CURLMcode curl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running) {
  return curl.multi_socket_action(multi, socket, events, running);
}

CURLSH *curl_share_init(void) { return ccurl_load() ? NULL : curl.share_init(); }

CURLSHcode curl_share_cleanup(CURLSH *share) { return curl.share_cleanup(share); }

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *line) {
  return ccurl_load() ? NULL : curl.slist_append(list, line);
}

void curl_slist_free_all(struct curl_slist *list) {
  if (list) curl.slist_free_all(list);
}

CURLU *curl_url(void) { return ccurl_load() ? NULL : curl.url(); }

void curl_url_cleanup(CURLU *url) {
  if (url) curl.url_cleanup(url);
}

CURLUcode curl_url_get(CURLU *url, CURLUPart part, char **text, unsigned flags) {
  return curl.url_get(url, part, text, flags);
}

CURLUcode curl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned flags) {
  return curl.url_set(url, part, text, flags);
}

curl_version_info_data *curl_version_info(CURLversion age) {
  return ccurl_load() ? NULL : curl.version_info(age);
}

void curl_free(void *text) {
  if (text) curl.free(text);
}
