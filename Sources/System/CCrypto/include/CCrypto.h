// The digests of libcrypto and one of its ciphers. The library is loaded at the first use, because
// most programs only need it for their first connection.
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <stddef.h>

enum {
  CCRYPTO_MD5, CCRYPTO_SHA1, CCRYPTO_SHA224, CCRYPTO_SHA256, CCRYPTO_SHA384, CCRYPTO_SHA512,
  CCRYPTO_SHA512_256
};

// The size of the longest digest.
enum { CCRYPTO_MAX_SIZE = 64 };

// The version of the library; NULL if it cannot be loaded, and why in `problem`. Any thread.
const char *ccrypto_version(const char **problem);

// Writes the digest of the bytes. Returns its size, or 0 if libcrypto is not installed, does not
// support the digest, or fails. Any thread.
size_t ccrypto_digest(
  int kind, const void *bytes, size_t count, unsigned char digest[CCRYPTO_MAX_SIZE]);

// Computes the digest of bytes that come in pieces. Each digest that was begun must be ended once,
// with or without a result buffer; that releases it. Returns NULL, or 0 as above, on failure. One
// thread at a time.
void *ccrypto_digest_begin(int kind);
int ccrypto_digest_add(void *digest, const void *bytes, size_t count);
size_t ccrypto_digest_end(void *digest, unsigned char result[CCRYPTO_MAX_SIZE]);

// Computes a keyed digest (RFC 2104); otherwise like `ccrypto_digest`.
size_t ccrypto_hmac(
  int kind, const void *key, size_t key_count, const void *bytes, size_t count,
  unsigned char digest[CCRYPTO_MAX_SIZE]);

// Derives `size` bytes from the bytes and the salt in `rounds` iterations (PBKDF2, RFC 8018,
// section 5.2); otherwise like `ccrypto_digest`.
size_t ccrypto_stretch(
  int kind, const void *bytes, size_t count, const void *salt, size_t salt_count, int rounds,
  unsigned char digest[CCRYPTO_MAX_SIZE], size_t size);

enum { CCRYPTO_KEY_SIZE = 32, CCRYPTO_NONCE_SIZE = 12, CCRYPTO_TAG_SIZE = 16 };

// Encrypts with AES-256-GCM (NIST SP 800-38D): writes `count` bytes and the tag to `sealed`. The
// bytes `beside` are authenticated with them. A nonce must only be used once with a key. Returns 1,
// or 0 on failure. Any thread.
int ccrypto_seal(
  const unsigned char key[CCRYPTO_KEY_SIZE], const unsigned char nonce[CCRYPTO_NONCE_SIZE],
  const void *beside, size_t beside_count, const void *bytes, size_t count, unsigned char *sealed);

// Decrypts `count` bytes, which are followed by their tag. Also returns 0 if any of them was
// changed; the content of `bytes` is then undefined.
int ccrypto_unseal(
  const unsigned char key[CCRYPTO_KEY_SIZE], const unsigned char nonce[CCRYPTO_NONCE_SIZE],
  const void *beside, size_t beside_count, const unsigned char *sealed, size_t count, void *bytes);

#endif
