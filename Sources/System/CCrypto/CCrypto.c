#define _GNU_SOURCE
#include "CCrypto.h"

#include <dlfcn.h>
#include <limits.h>
#include <openssl/evp.h>
#include <pthread.h>

static const char *const names[] = {
  [CCRYPTO_MD5] = "EVP_md5",       [CCRYPTO_SHA1] = "EVP_sha1",     [CCRYPTO_SHA224] = "EVP_sha224",
  [CCRYPTO_SHA256] = "EVP_sha256", [CCRYPTO_SHA384] = "EVP_sha384", [CCRYPTO_SHA512] = "EVP_sha512",
  [CCRYPTO_SHA512_256] = "EVP_sha512_256",
};

enum { KIND_COUNT = sizeof(names) / sizeof(*names) };

static struct {
  int (*digest)(
    const void *, size_t, unsigned char *, unsigned *, const EVP_MD *, ENGINE *);
  unsigned char *(*hmac)(
    const EVP_MD *, const void *, int, const unsigned char *, size_t, unsigned char *, unsigned *);
  EVP_MD_CTX *(*new)(void);
  void (*free)(EVP_MD_CTX *);
  int (*begin)(EVP_MD_CTX *, const EVP_MD *, ENGINE *);
  int (*add)(EVP_MD_CTX *, const void *, size_t);
  int (*end)(EVP_MD_CTX *, unsigned char *, unsigned *);
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
  *(void **)&crypto.new = dlsym(library, "EVP_MD_CTX_new");
  *(void **)&crypto.free = dlsym(library, "EVP_MD_CTX_free");
  *(void **)&crypto.begin = dlsym(library, "EVP_DigestInit_ex");
  *(void **)&crypto.add = dlsym(library, "EVP_DigestUpdate");
  *(void **)&crypto.end = dlsym(library, "EVP_DigestFinal_ex");
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

void *ccrypto_digest_begin(int kind) {
  const EVP_MD *type = find(kind);
  if (type == NULL || !crypto.new || !crypto.free || !crypto.begin || !crypto.add || !crypto.end) {
    return NULL;
  }
  EVP_MD_CTX *context = crypto.new();
  if (context == NULL || crypto.begin(context, type, NULL) == 1) return context;
  crypto.free(context);
  return NULL;
}

int ccrypto_digest_add(void *digest, const void *bytes, size_t count) {
  return crypto.add(digest, bytes, count) == 1;
}

size_t ccrypto_digest_end(void *digest, unsigned char result[CCRYPTO_MAX_SIZE]) {
  unsigned size = 0;
  if (result != NULL && crypto.end(digest, result, &size) != 1) size = 0;
  crypto.free(digest);
  return size;
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
