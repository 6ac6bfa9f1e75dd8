#include "CCrypto.h"

#include <CLoader.h>
#include <limits.h>
#if !__has_include(<openssl/evp.h>)
#error "there is no <openssl/evp.h>: on Debian, apt-get install libssl-dev"
#endif
#include <openssl/evp.h>

enum { KIND_COUNT = CCRYPTO_SHA512_256 + 1 };

static struct {
  const char *(*version)(int);
  int (*digest)(
    const void *, size_t, unsigned char *, unsigned *, const EVP_MD *, ENGINE *);
  unsigned char *(*hmac)(
    const EVP_MD *, const void *, int, const unsigned char *, size_t, unsigned char *, unsigned *);
  int (*stretch)(
    const char *, int, const unsigned char *, int, int, const EVP_MD *, int, unsigned char *);
  EVP_MD_CTX *(*new)(void);
  void (*free)(EVP_MD_CTX *);
  int (*begin)(EVP_MD_CTX *, const EVP_MD *, ENGINE *);
  int (*add)(EVP_MD_CTX *, const void *, size_t);
  int (*end)(EVP_MD_CTX *, unsigned char *, unsigned *);
  const EVP_MD *(*kinds[KIND_COUNT])(void);
  const EVP_CIPHER *(*aes_256_gcm)(void);
  EVP_CIPHER_CTX *(*cipher_new)(void);
  void (*cipher_free)(EVP_CIPHER_CTX *);
  int (*control)(EVP_CIPHER_CTX *, int, int, void *);
  int (*cipher_begin)(
    EVP_CIPHER_CTX *, const EVP_CIPHER *, ENGINE *, const unsigned char *, const unsigned char *, int);
  int (*cipher_add)(EVP_CIPHER_CTX *, unsigned char *, int *, const unsigned char *, int);
  int (*cipher_end)(EVP_CIPHER_CTX *, unsigned char *, int *);
} crypto;

// Each symbol is used if it was found: a library may lack some of them.
static const cloader_symbol symbols[] = {
  {"OpenSSL_version", &crypto.version},
  {"EVP_md5", &crypto.kinds[CCRYPTO_MD5]},
  {"EVP_sha1", &crypto.kinds[CCRYPTO_SHA1]},
  {"EVP_sha224", &crypto.kinds[CCRYPTO_SHA224]},
  {"EVP_sha256", &crypto.kinds[CCRYPTO_SHA256]},
  {"EVP_sha384", &crypto.kinds[CCRYPTO_SHA384]},
  {"EVP_sha512", &crypto.kinds[CCRYPTO_SHA512]},
  {"EVP_sha512_256", &crypto.kinds[CCRYPTO_SHA512_256]},
  {"EVP_Digest", &crypto.digest},
  {"HMAC", &crypto.hmac},
  {"PKCS5_PBKDF2_HMAC", &crypto.stretch},
  {"EVP_MD_CTX_new", &crypto.new},
  {"EVP_MD_CTX_free", &crypto.free},
  {"EVP_DigestInit_ex", &crypto.begin},
  {"EVP_DigestUpdate", &crypto.add},
  {"EVP_DigestFinal_ex", &crypto.end},
  {"EVP_aes_256_gcm", &crypto.aes_256_gcm},
  {"EVP_CIPHER_CTX_new", &crypto.cipher_new},
  {"EVP_CIPHER_CTX_free", &crypto.cipher_free},
  {"EVP_CIPHER_CTX_ctrl", &crypto.control},
  {"EVP_CipherInit_ex", &crypto.cipher_begin},
  {"EVP_CipherUpdate", &crypto.cipher_add},
  {"EVP_CipherFinal_ex", &crypto.cipher_end},
};

static cloader_library library = {.file = "libcrypto.so.3", CLOADER_SYMBOLS(symbols)};

const char *ccrypto_version(const char **problem) {
  *problem = cloader_load(&library);
  return crypto.version ? crypto.version(0) : NULL;
}

static const EVP_MD *find(int kind) {
  cloader_load(&library);
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
  // A NULL key would mean the previous one.
  const void *start = key == NULL ? "" : key;
  return crypto.hmac(type, start, (int)key_count, bytes, count, digest, &size) ? size : 0;
}

size_t ccrypto_stretch(
  int kind, const void *bytes, size_t count, const void *salt, size_t salt_count, int rounds,
  unsigned char digest[CCRYPTO_MAX_SIZE], size_t size) {
  const EVP_MD *type = find(kind);
  if (type == NULL || crypto.stretch == NULL || count > INT_MAX || salt_count > INT_MAX) return 0;
  if (size > CCRYPTO_MAX_SIZE) return 0;
  int made = crypto.stretch(
    count == 0 ? "" : bytes, (int)count, salt, (int)salt_count, rounds, type, (int)size, digest);
  return made == 1 ? size : 0;
}

// Returns a cipher that has read the bytes `beside`, or NULL on failure.
static EVP_CIPHER_CTX *begin_cipher(
  const unsigned char *key, const unsigned char *nonce, const void *beside, size_t beside_count,
  int is_sealing) {
  cloader_load(&library);
  if (!crypto.aes_256_gcm || !crypto.cipher_new || !crypto.cipher_free || !crypto.control
      || !crypto.cipher_begin || !crypto.cipher_add || !crypto.cipher_end || beside_count > INT_MAX) {
    return NULL;
  }
  EVP_CIPHER_CTX *context = crypto.cipher_new();
  if (context == NULL) return NULL;
  int size = 0;
  // The cipher's default nonce size is the one used here.
  if (crypto.cipher_begin(context, crypto.aes_256_gcm(), NULL, key, nonce, is_sealing) == 1
      && (beside_count == 0
          || crypto.cipher_add(context, NULL, &size, beside, (int)beside_count) == 1)) {
    return context;
  }
  crypto.cipher_free(context);
  return NULL;
}

int ccrypto_seal(
  const unsigned char *key, const unsigned char *nonce, const void *beside, size_t beside_count,
  const void *bytes, size_t count, unsigned char *sealed) {
  if (count > INT_MAX - CCRYPTO_TAG_SIZE) return 0;
  EVP_CIPHER_CTX *context = begin_cipher(key, nonce, beside, beside_count, 1);
  if (context == NULL) return 0;
  int size = 0, rest = 0;
  int is_done =
    (count == 0 || crypto.cipher_add(context, sealed, &size, bytes, (int)count) == 1)
    && crypto.cipher_end(context, sealed + size, &rest) == 1 && (size_t)size + (size_t)rest == count
    && crypto.control(context, EVP_CTRL_AEAD_GET_TAG, CCRYPTO_TAG_SIZE, sealed + count) == 1;
  crypto.cipher_free(context);
  return is_done;
}

int ccrypto_unseal(
  const unsigned char *key, const unsigned char *nonce, const void *beside, size_t beside_count,
  const unsigned char *sealed, size_t count, void *bytes) {
  if (count < CCRYPTO_TAG_SIZE || count > INT_MAX) return 0;
  EVP_CIPHER_CTX *context = begin_cipher(key, nonce, beside, beside_count, 0);
  if (context == NULL) return 0;
  size_t length = count - CCRYPTO_TAG_SIZE;
  int size = 0, rest = 0;
  int is_done =
    (length == 0 || crypto.cipher_add(context, bytes, &size, sealed, (int)length) == 1)
    // The tag is only compared, although the parameter's type is not const.
    && crypto.control(context, EVP_CTRL_AEAD_SET_TAG, CCRYPTO_TAG_SIZE, (void *)(sealed + length)) == 1
    && crypto.cipher_end(context, (unsigned char *)bytes + size, &rest) == 1;
  crypto.cipher_free(context);
  return is_done;
}
