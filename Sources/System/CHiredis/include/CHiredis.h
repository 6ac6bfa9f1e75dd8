// What libhiredis knows of the protocol of Redis and Valkey (RESP 2), opened when somebody asks for it: its
// reader and its formatter, not its connections. Of hiredis' headers nothing is seen from here.
//
// A reply is a list of nodes in the order in which they were read: that of an array stands before those
// of its elements. All of it is somebody else's input: how many nodes there may be is limited here, how
// many bytes by who feeds them, and hiredis reads seven arrays inside each other at most.
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
  // The integer, the number of elements of an array, or of bytes.
  int64_t value;
  // Where the bytes begin in the text of the reply.
  size_t offset;
} chiredis_node;

// Opens the library; NULL, or why that cannot be. Any thread, any number of times; before anything else.
const char *chiredis_load(void);

// NULL without memory. A reply with more nodes is refused.
chiredis_reader *chiredis_reader_create(size_t most_nodes);
void chiredis_reader_free(chiredis_reader *reader);

// Copies what has arrived; whether it could. After a failure a reader is of no use any more.
int chiredis_reader_feed(chiredis_reader *reader, const void *bytes, size_t count);

// 1: a reply is complete; 0: more has to be fed; -1: this is none, see the message.
int chiredis_reader_next(chiredis_reader *reader);

// Of the reply that is complete; valid until the reader is asked for the next one.
const chiredis_node *chiredis_reader_nodes(const chiredis_reader *reader, size_t *count);
const char *chiredis_reader_text(const chiredis_reader *reader);
// Why there is none; the reader's.
const char *chiredis_reader_message(const chiredis_reader *reader);

// A command as it is sent, for `chiredis_free`; NULL without memory.
char *chiredis_format(
  int count, const char *const *words, const size_t *lengths, size_t *byte_count);
void chiredis_free(char *command);

#endif
