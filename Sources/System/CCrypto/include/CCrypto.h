// The digests of libcrypto, found when somebody asks for one: no start is to wait for a library that
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

#endif
