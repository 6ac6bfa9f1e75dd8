// The digest of libcrypto, found when somebody asks for it: no start is to wait for a library that
// most programs need only with their first connection.
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <stddef.h>

enum { CCRYPTO_SHA256_SIZE = 32 };

// Writes the SHA-256 of the bytes; 0 if libcrypto is not installed or fails. Any thread.
int ccrypto_sha256(const void *bytes, size_t count, unsigned char digest[CCRYPTO_SHA256_SIZE]);

#endif
