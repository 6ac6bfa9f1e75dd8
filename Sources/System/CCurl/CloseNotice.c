#include "CCurl.h"
#include "CCurlInternal.h"

#include <pthread.h>
#include <stdlib.h>

// OpenSSL belongs to libcurl, not to Lull: its functions are looked up in the libraries that were
// loaded with libcurl, and its objects have no types here.
typedef void tls_message(int is_sent, int version, int type, const void *bytes, size_t count, void *tls,
                         void *notice);
typedef void tls_free(void *tls, void *notice, void *data, int index, long number, void *pointer);

enum {
  TLS_INDEX_OF_CONNECTIONS = 0,  // CRYPTO_EX_INDEX_SSL
  TLS_SET_MESSAGE_ARGUMENT = 16, // SSL_CTRL_SET_MSG_CALLBACK_ARG
  TLS_ALERT = 21,                // SSL3_RT_ALERT
  TLS_CLOSE_NOTIFY = 0           // SSL3_AD_CLOSE_NOTIFY
};

// Belongs to the connection and to the response that waits for the end of its body: either may be
// released first. Both are only used on the thread of their event loop.
struct ccurl_close_notice {
  int references;
  int came;
};

static struct {
  void (*on_message)(void *tls, tls_message *callback);
  long (*control)(void *tls, int command, long number, void *pointer);
  int (*set_data)(void *tls, int index, void *data);
  void *(*data)(const void *tls, int index);
  int (*new_index)(int kind, long number, void *pointer, void *make, void *copy, tls_free *release);
  int index;
} tls = {.index = -1};

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void connection_is_gone(void *connection, void *notice, void *data, int index, long number,
                               void *pointer) {
  (void)connection, (void)data, (void)index, (void)number, (void)pointer;
  ccurl_close_notice_release(notice);
}

static void find(void) {
#define FIND(field, name)                                                                          \
  if (!(*(void **)&tls.field = ccurl_symbol(name))) return;
  FIND(on_message, "SSL_set_msg_callback")
  FIND(control, "SSL_ctrl")
  FIND(set_data, "SSL_set_ex_data")
  FIND(data, "SSL_get_ex_data")
  FIND(new_index, "CRYPTO_get_ex_new_index")
#undef FIND
  tls.index = tls.new_index(TLS_INDEX_OF_CONNECTIONS, 0, NULL, NULL, NULL, connection_is_gone);
}

static void message(int is_sent, int version, int type, const void *bytes, size_t count,
                    void *connection, void *notice) {
  (void)version, (void)connection;
  if (is_sent || type != TLS_ALERT || count < 2) return;
  if (((const unsigned char *)bytes)[1] == TLS_CLOSE_NOTIFY) {
    ((ccurl_close_notice *)notice)->came = 1;
  }
}

ccurl_close_notice *ccurl_close_notice_watch(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  if (ccurl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
  if (session->backend != CURLSSLBACKEND_OPENSSL || !session->internals) return NULL;
  pthread_once(&once, find);
  if (tls.index < 0) return NULL;
  ccurl_close_notice *notice = calloc(1, sizeof *notice);
  if (!notice) return NULL;
  ccurl_close_notice *before = tls.data(session->internals, tls.index);
  if (!tls.set_data(session->internals, tls.index, notice)) {
    free(notice);
    return NULL;
  }
  if (before) ccurl_close_notice_release(before);
  notice->references = 2;
  tls.control(session->internals, TLS_SET_MESSAGE_ARGUMENT, 0, notice);
  tls.on_message(session->internals, message);
  return notice;
}

int ccurl_close_notice_came(const ccurl_close_notice *notice) { return notice->came; }

void ccurl_close_notice_release(ccurl_close_notice *notice) {
  // OpenSSL passes NULL for connections that were never watched.
  if (notice && --notice->references == 0) free(notice);
}
