// The protocol of Redis and Valkey (RESP 2) by libhiredis, loaded at its first use: its reader and
// its formatter, but not its connections. hiredis' headers are not visible here.
//
// A reply is a list of nodes in the order in which they were read: an array is followed by its
// elements. All of it is untrusted input. This module limits the number of nodes, the caller that
// feeds bytes limits their number, and hiredis reads at most seven nested arrays.
#ifndef CHIREDIS_H
#define CHIREDIS_H

#include <stddef.h>
#include <stdint.h>

typedef struct chiredis_reader chiredis_reader;

typedef enum {
  CHIREDIS_BYTES,
  CHIREDIS_STATUS,
  CHIREDIS_ERROR,
  CHIREDIS_INTEGER,
  CHIREDIS_NULL,
  CHIREDIS_ARRAY
} chiredis_kind;

typedef struct {
  chiredis_kind kind;
  // The integer, or the number of elements of an array, or of bytes.
  int64_t value;
  // The offset of the bytes in the text of the reply.
  size_t offset;
} chiredis_node;

// Loads the library. Returns NULL, or why that failed. Any thread, any number of times; must be
// called first.
const char *chiredis_load(void);
// The version of the library; NULL if it cannot be loaded, and why in `problem`. Any thread.
const char *chiredis_version(const char **problem);

// Returns NULL without memory. A reply with more nodes is rejected.
chiredis_reader *chiredis_reader_create(size_t most_nodes);
void chiredis_reader_free(chiredis_reader *reader);

// Copies received bytes. Returns whether that succeeded; after a failure the reader cannot be used.
int chiredis_reader_feed(chiredis_reader *reader, const void *bytes, size_t count);

// Returns 1 if a reply is complete, 0 if more bytes are needed, -1 if the input is invalid (see the
// message).
int chiredis_reader_next(chiredis_reader *reader);

// The nodes and text of the complete reply; valid until the next reply is read.
const chiredis_node *chiredis_reader_nodes(const chiredis_reader *reader, size_t *count);
const char *chiredis_reader_text(const chiredis_reader *reader);
// Why the input is invalid; the text belongs to the reader.
const char *chiredis_reader_message(const chiredis_reader *reader);

// Formats a command for sending; release it with `chiredis_free`. Returns NULL without memory.
char *chiredis_format(
  int count, const char *const *words, const size_t *lengths, size_t *byte_count);
void chiredis_free(char *command);

#endif
