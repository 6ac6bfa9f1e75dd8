#ifndef CSJ_WRITER_H
#define CSJ_WRITER_H

/*
 * JSON text: where commas, lines and spaces go, how strings are escaped and how numbers are spelled.
 * Whoever walks values of any form writes through here.
 *
 * A writer that has met a problem writes nothing more. Nothing here raises or throws.
 */

#include "csimdjson.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How doubles are spelled. */
typedef enum csj_digits {
  /* The shortest that reads back the same; an exponent below 1e-4 and above 2^53. */
  CSJ_SHORTEST_DIGITS,
  /* As C's `%.15g`, or with 16 or 17 digits if it takes them to read back the same. */
  CSJ_PRINTF_DIGITS,
} csj_digits;

typedef enum csj_writer_problem {
  CSJ_WRITER_FINE,
  /* The text would be longer than it may be. */
  CSJ_WRITER_TOO_LARGE,
  /* It needs more memory than the room it was given. */
  CSJ_WRITER_NO_ROOM,
  CSJ_WRITER_OUT_OF_MEMORY,
  CSJ_WRITER_INVALID_UTF8,
  CSJ_WRITER_TOO_DEEP,
} csj_writer_problem;

typedef struct csj_writer {
  char *bytes;
  size_t length;
  size_t capacity;
  size_t largest;
  size_t room;
  csj_pair *pairs; /* members of the objects of a document on the way down */
  size_t pair_count;
  size_t pair_capacity;
  int depth;
  csj_digits digits;
  csj_writer_problem problem;
  uint8_t is_pretty;
  uint8_t is_first; /* in its array or object */
  uint8_t is_behind_key;
} csj_writer;

/*
 * A writer of one line, or of several with two spaces for each level. `largest`: how long the text may
 * be; `room`: how much memory it may take.
 */
csj_writer csj_writer_make(int is_pretty, csj_digits digits, size_t largest, size_t room);

/* Frees what the writer holds. */
void csj_writer_release(csj_writer *writer);

/* Gives the text away, which the taker frees; NULL if there is none. Releases the writer. */
char *csj_writer_take(csj_writer *writer, size_t *length);

/* Whether one level more is allowed; else that is the problem: it could not be read back. (JSN-14) */
int csj_writer_can_nest(csj_writer *writer);

/* '[' or '{', and its end; the caller keeps them in pairs. */
void csj_write_begin(csj_writer *writer, char bracket);
void csj_write_end(csj_writer *writer, char bracket);

void csj_write_null(csj_writer *writer);
void csj_write_bool(csj_writer *writer, int value);
void csj_write_int(csj_writer *writer, int64_t value);

/* Expects a finite number. */
void csj_write_double(csj_writer *writer, double value);

/*
 * A string, with no more escapes than JSON demands (JSN-16), `is_valid` if it is known to be UTF-8.
 * Returns where in the text it begins, behind the quote.
 */
size_t csj_write_string(csj_writer *writer, const char *text, size_t length, int is_valid);

/* A key of an object; its value follows. */
void csj_write_key(csj_writer *writer, const char *text, size_t length, int is_valid);

/* What is JSON already, as it is: a number, a word, a string. */
void csj_write_raw(csj_writer *writer, const char *text, size_t length);

/* Makes the string before it a key. */
void csj_write_colon(csj_writer *writer);

/* The spelling of the number at an index of the tape; NULL where it is spelled anew. */
typedef const char *(*csj_spelling)(void *context, size_t index, size_t *length);

/*
 * The value at `index` of a document, whole: each key once, at its first place, with its last value.
 * (JSN-13) `spelling` may be NULL.
 */
void csj_write_value(
  csj_writer *writer, csj_view view, size_t index, csj_spelling spelling, void *context);

/* Room for what `csj_double_text` writes. */
#define CSJ_DOUBLE_SIZE 40

/* Spells a finite number; returns how many bytes that takes. */
size_t csj_double_text(double value, csj_digits digits, char text[CSJ_DOUBLE_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
