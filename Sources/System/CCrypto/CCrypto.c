#define _GNU_SOURCE
#include "CCrypto.h"

#include <dlfcn.h>
#include <openssl/evp.h>
#include <pthread.h>

static struct {
  int (*digest)(
    const void *, size_t, unsigned char *, unsigned *, const EVP_MD *, ENGINE *);
  const EVP_MD *(*sha256)(void);
} crypto;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  *(void **)&crypto.sha256 = dlsym(library, "EVP_sha256");
  *(void **)&crypto.digest = dlsym(library, "EVP_Digest");
}

int ccrypto_sha256(const void *bytes, size_t count, unsigned char digest[CCRYPTO_SHA256_SIZE]) {
  pthread_once(&once, load);
  if (crypto.sha256 == NULL || crypto.digest == NULL) return 0;
  unsigned size = 0;
  return crypto.digest(bytes, count, digest, &size, crypto.sha256(), NULL) == 1
    && size == CCRYPTO_SHA256_SIZE;
}
