// libcurl as the system has it, with typed faces for its variadic functions, which Swift cannot
// call. The names in parentheses keep curl's own type-checking macros out: the option is not a
// constant here.
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

static inline CURLcode ccurl_easy_set_long(CURL *easy, CURLoption option, long value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_easy_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_easy_set_string(CURL *easy, CURLoption option, const char *value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_easy_set_pointer(CURL *easy, CURLoption option, const void *value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_easy_set_list(CURL *easy, CURLoption option,
                                           struct curl_slist *value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_easy_set_writer(CURL *easy, CURLoption option,
                                             curl_write_callback value) {
  return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode ccurl_easy_set_opener(CURL *easy, curl_opensocket_callback value) {
  return (curl_easy_setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode ccurl_easy_set_closer(CURL *easy, curl_closesocket_callback value) {
  return (curl_easy_setopt)(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLcode ccurl_easy_set_prerequest(CURL *easy, curl_prereq_callback value) {
  return (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode ccurl_easy_get_long(CURL *easy, CURLINFO info, long *value) {
  return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode ccurl_easy_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
  return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode ccurl_easy_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return (curl_multi_setopt)(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return (curl_multi_setopt)(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_socket_watcher(CURLM *multi, curl_socket_callback value) {
  return (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode ccurl_multi_set_timer_watcher(CURLM *multi,
                                                      curl_multi_timer_callback value) {
  return (curl_multi_setopt)(multi, CURLMOPT_TIMERFUNCTION, value);
}

static inline CURLSHcode ccurl_share_addresses(CURLSH *share) {
  return (curl_share_setopt)(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
}

static inline CURLSHcode ccurl_share_cookies(CURLSH *share) {
  return (curl_share_setopt)(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
}

// curl_global_init's flag is a macro of macros, which Swift does not import.
static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

// The union inside CURLMsg, by its name in C.
static inline CURLcode ccurl_message_result(const CURLMsg *message) {
  return message->data.result;
}

#endif
