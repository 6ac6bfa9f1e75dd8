// The digests of libcrypto and one of its ciphers, found when somebody asks for one: no start is to wait for a library that
// most programs need only with their first connection.
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <stddef.h>

enum {
  CCRYPTO_MD5, CCRYPTO_SHA1, CCRYPTO_SHA224, CCRYPTO_SHA256, CCRYPTO_SHA384, CCRYPTO_SHA512,
  CCRYPTO_SHA512_256
};

// The longest digest there is.
enum { CCRYPTO_MAX_SIZE = 64 };

// Writes the digest of the bytes; how many bytes that are, 0 if libcrypto is not installed, does not do
// that one, or fails. Any thread.
size_t ccrypto_digest(
  int kind, const void *bytes, size_t count, unsigned char digest[CCRYPTO_MAX_SIZE]);

// The same of bytes that come piece by piece. Begun it is ended once: that gives it back, with or without
// room for the digest. NULL, or 0 as above, if there is no way. One thread at a time.
void *ccrypto_digest_begin(int kind);
int ccrypto_digest_add(void *digest, const void *bytes, size_t count);
size_t ccrypto_digest_end(void *digest, unsigned char result[CCRYPTO_MAX_SIZE]);

// The same as the first for a keyed digest. (RFC 2104)
size_t ccrypto_hmac(
  int kind, const void *key, size_t key_count, const void *bytes, size_t count,
  unsigned char digest[CCRYPTO_MAX_SIZE]);

// The same as the first for one that takes that many times as long to make, and is another one for each salt:
// `size` bytes. (PBKDF2, RFC 8018, section 5.2)
size_t ccrypto_stretch(
  int kind, const void *bytes, size_t count, const void *salt, size_t salt_count, int rounds,
  unsigned char digest[CCRYPTO_MAX_SIZE], size_t size);

enum { CCRYPTO_KEY_SIZE = 32, CCRYPTO_NONCE_SIZE = 12, CCRYPTO_TAG_SIZE = 16 };

// AES-256-GCM (NIST SP 800-38D): writes `count` bytes and the tag to `sealed`. What is beside the bytes is
// authenticated with them. A nonce is used once with a key. 1, or 0 if there is no way. Any thread.
int ccrypto_seal(
  const unsigned char key[CCRYPTO_KEY_SIZE], const unsigned char nonce[CCRYPTO_NONCE_SIZE],
  const void *beside, size_t beside_count, const void *bytes, size_t count, unsigned char *sealed);

// The way back, of `count` bytes with their tag behind them; 0 as well if any of it is not what was sealed,
// and then what is in `bytes` means nothing.
int ccrypto_unseal(
  const unsigned char key[CCRYPTO_KEY_SIZE], const unsigned char nonce[CCRYPTO_NONCE_SIZE],
  const void *beside, size_t beside_count, const unsigned char *sealed, size_t count, void *bytes);

#endif
