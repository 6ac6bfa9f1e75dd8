#define _GNU_SOURCE
#include "CCrypto.h"

#include <dlfcn.h>
#include <limits.h>
#include <openssl/evp.h>
#include <pthread.h>

static const char *const names[] = {
  [CCRYPTO_MD5] = "EVP_md5",       [CCRYPTO_SHA1] = "EVP_sha1",     [CCRYPTO_SHA224] = "EVP_sha224",
  [CCRYPTO_SHA256] = "EVP_sha256", [CCRYPTO_SHA384] = "EVP_sha384", [CCRYPTO_SHA512] = "EVP_sha512",
};

enum { KIND_COUNT = sizeof(names) / sizeof(*names) };

static struct {
  int (*digest)(
    const void *, size_t, unsigned char *, unsigned *, const EVP_MD *, ENGINE *);
  unsigned char *(*hmac)(
    const EVP_MD *, const void *, int, const unsigned char *, size_t, unsigned char *, unsigned *);
  const EVP_MD *(*kinds[KIND_COUNT])(void);
} crypto;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  for (int kind = 0; kind < KIND_COUNT; kind++) {
    *(void **)&crypto.kinds[kind] = dlsym(library, names[kind]);
  }
  *(void **)&crypto.digest = dlsym(library, "EVP_Digest");
  *(void **)&crypto.hmac = dlsym(library, "HMAC");
}

static const EVP_MD *find(int kind) {
  pthread_once(&once, load);
  if (kind < 0 || kind >= KIND_COUNT || crypto.kinds[kind] == NULL) return NULL;
  return crypto.kinds[kind]();
}

size_t ccrypto_digest(
  int kind, const void *bytes, size_t count, unsigned char digest[CCRYPTO_MAX_SIZE]) {
  const EVP_MD *type = find(kind);
  if (type == NULL || crypto.digest == NULL) return 0;
  unsigned size = 0;
  return crypto.digest(bytes, count, digest, &size, type, NULL) == 1 ? size : 0;
}

size_t ccrypto_hmac(
  int kind, const void *key, size_t key_count, const void *bytes, size_t count,
  unsigned char digest[CCRYPTO_MAX_SIZE]) {
  const EVP_MD *type = find(kind);
  if (type == NULL || crypto.hmac == NULL || key_count > INT_MAX) return 0;
  unsigned size = 0;
  // A key that is NULL stands for the one before.
  const void *start = key == NULL ? "" : key;
  return crypto.hmac(type, start, (int)key_count, bytes, count, digest, &size) ? size : 0;
}
