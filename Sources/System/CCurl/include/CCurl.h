// The system's libcurl, loaded at its first use: loading it with its thirty libraries takes two
// thirds of the time in which a script starts, and many scripts never need it.
//
// The declarations are curl's own: CCurl.c defines the functions that Lull calls and forwards them.
// Functions that create an object (`curl_easy_init`, `curl_multi_init`, `curl_share_init`,
// `curl_url`, `curl_slist_append`, `curl_version_info`) load the library. If it cannot be loaded,
// they fail as if memory had run out. The other functions require such an object.
#ifndef CCURL_H
#define CCURL_H

#if !__has_include(<curl/curl.h>)
#error "there is no <curl/curl.h>: on Debian, apt-get install libcurl4-openssl-dev"
#endif
#include <curl/curl.h>

/// Loads and initialises libcurl, once per process. Returns NULL, or why that is impossible; the
/// text belongs to the library. Any thread; a thread that comes while another one loads waits for
/// it.
const char *ccurl_load(void);

// Typed wrappers of the variadic functions, which Swift cannot call.

extern __typeof__((curl_easy_setopt)) *ccurl_easy_setopt;
extern __typeof__((curl_easy_getinfo)) *ccurl_easy_getinfo;
extern __typeof__((curl_multi_setopt)) *ccurl_multi_setopt;
extern __typeof__((curl_share_setopt)) *ccurl_share_setopt;

static inline CURLcode ccurl_easy_set_long(CURL *easy, CURLoption option, long value) {
  return ccurl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return ccurl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_set_string(CURL *easy, CURLoption option, const char *value) {
  return ccurl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_set_pointer(CURL *easy, CURLoption option, const void *value) {
  return ccurl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_set_list(CURL *easy, CURLoption option,
                                           struct curl_slist *value) {
  return ccurl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_set_writer(CURL *easy, CURLoption option,
                                             curl_write_callback value) {
  return ccurl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_easy_set_reader(CURL *easy, curl_read_callback value) {
  return ccurl_easy_setopt(easy, CURLOPT_READFUNCTION, value);
}

static inline CURLcode ccurl_easy_set_seeker(CURL *easy, curl_seek_callback value) {
  return ccurl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode ccurl_easy_set_opener(CURL *easy, curl_opensocket_callback value) {
  return ccurl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode ccurl_easy_set_closer(CURL *easy, curl_closesocket_callback value) {
  return ccurl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLcode ccurl_easy_set_prerequest(CURL *easy, curl_prereq_callback value) {
  return ccurl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode ccurl_easy_set_debugger(CURL *easy, curl_debug_callback value) {
  return ccurl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, value);
}

static inline CURLcode ccurl_easy_get_long(CURL *easy, CURLINFO info, long *value) {
  return ccurl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_easy_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
  return ccurl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_easy_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return ccurl_easy_getinfo(easy, info, value);
}

// The socket of an established connection only.
static inline CURLcode ccurl_easy_get_socket(CURL *easy, curl_socket_t *value) {
  return ccurl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return ccurl_multi_setopt(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return ccurl_multi_setopt(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_socket_watcher(CURLM *multi, curl_socket_callback value) {
  return ccurl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode ccurl_multi_set_timer_watcher(CURLM *multi,
                                                      curl_multi_timer_callback value) {
  return ccurl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

static inline CURLSHcode ccurl_share_addresses(CURLSH *share) {
  return ccurl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
}

static inline CURLSHcode ccurl_share_cookies(CURLSH *share) {
  return ccurl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
}

// Detects whether the server has ended a TLS connection with the close_notify alert. Without it, a
// body that ends with its connection may be truncated (RFC 9112, 9.8). libcurl (7.88) does not
// report it.
typedef struct ccurl_close_notice ccurl_close_notice;

/// Watches the current TLS connection of `easy`, for curl's callbacks; must be released. Returns
/// NULL without TLS, if the TLS library does not have OpenSSL's message callback, or without
/// memory.
ccurl_close_notice *ccurl_close_notice_watch(CURL *easy);

/// Whether the alert has arrived. The connection may be closed already.
int ccurl_close_notice_came(const ccurl_close_notice *notice);

void ccurl_close_notice_release(ccurl_close_notice *notice);

// The union inside CURLMsg, by its name in C.
static inline CURLcode ccurl_message_result(const CURLMsg *message) {
  return message->data.result;
}

#endif
