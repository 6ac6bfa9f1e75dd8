#ifndef CSIMDJSON_H
#define CSIMDJSON_H

/*
 * A small C face over simdjson's DOM: strict RFC 8259 in, an immutable tape out (JSN-03, JSN-04,
 * JSN-09 to JSN-16).
 *
 * What JSON is, for everybody, is told here and beside: when values are the same and what a pointer means
 * in csj_compare.h, how text is written in csj_writer.h, what is UTF-8 in csj_utf8.h; how members are looked
 * up one after the other in csj_keys.h; csj_stack.h is for those who go as deep as a document does.
 *
 * `csj_parse` is the only way to make a document; it may be called on any thread and never throws.
 * A document never changes, so any number of threads may read it while somebody owns it.
 *
 * Values are named by their index on the tape. The root value is at index 1. Reading functions
 * are plain C over a `csj_view`, check nothing, and expect an index of a value of the right type.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* More levels than this are malformed. (JSN-14) */
#define CSJ_MAX_DEPTH 1000

/* The index of a document's outermost value. */
#define CSJ_ROOT ((size_t)1)

typedef struct csj_document csj_document;

typedef enum csj_error_code {
  CSJ_MALFORMED = 1,
  CSJ_TOO_DEEP,
  CSJ_TOO_LARGE,
  CSJ_OUT_OF_MEMORY,
} csj_error_code;

/* Why `csj_parse` returned NULL. */
typedef struct csj_error {
  csj_error_code code;
  /* Plain English, without full stop; a string literal. */
  const char *message;
  /* Where in the bytes as given, or -1 where that is not known. */
  int64_t offset;
} csj_error;

/*
 * Before another thread parses, by the thread that may leave the process by exit(): from then on that
 * waits for the parses under way. Cheap when called again.
 */
void csj_prepare_for_threads(void);

/* The version of simdjson that this is built for. Any thread. */
const char *csj_version(void);

/*
 * Parses one JSON text: UTF-8, or UTF-16 or UTF-32 told by BOM or zero bytes (JSN-15). The bytes
 * need no padding and are not kept. NULL if malformed or out of memory; then `*error` is filled.
 */
csj_document *csj_parse(const uint8_t *bytes, size_t length, csj_error *error);

/* One more owner: the document lives until each has called `csj_free`. On any thread. */
void csj_retain(csj_document *document);

/*
 * Ends one ownership; the last one frees the document. NULL is fine. Views of it must not be used
 * without owning it.
 */
void csj_free(csj_document *document);

/* The bytes of memory the document holds. */
size_t csj_bytes(const csj_document *document);

/*
 * The bytes of all documents of the process that somebody owns, without the indices of large
 * containers. On any thread.
 */
size_t csj_total_bytes(void);

/* What reading needs; valid as long as the document. */
typedef struct csj_view {
  const uint64_t *tape;
  const uint8_t *strings;
  size_t tape_length;
} csj_view;

csj_view csj_document_view(const csj_document *document);

typedef enum csj_type {
  CSJ_NULL,
  CSJ_FALSE,
  CSJ_TRUE,
  CSJ_INT,
  CSJ_DOUBLE,
  CSJ_STRING,
  CSJ_ARRAY,
  CSJ_OBJECT,
} csj_type;

/*
 * The tape, as simdjson writes it: one word per value, its type in the top byte.
 *
 *   'n' 'f' 't'   nothing more
 *   'l' 'u' 'd'   the number is the next word: int64, uint64 beyond int64, double
 *   'i'           an integer beyond these, or a number beyond the largest double: the next word is the
 *                 offset of its digits in `strings`, as of a string; not simdjson's, but put in the place of
 *                 a double
 *   '"'           offset in `strings` of a 32-bit length, that many bytes and a NUL
 *   '[' '{'       low 32 bits: the index after the closing word; next 24 bits: the count, saturated
 *   ']' '}'       closing words
 *
 * Members of an object follow each other as key ('"') and value.
 */

/*
 * The type of the value at `index`. An integer beyond int64 is a double to whoever wants the number, and has
 * its digits in `csj_digits_at`; so has a number beyond the largest double, which is an infinity. (JSN-12)
 */
static inline csj_type csj_type_at(csj_view view, size_t index) {
  switch ((char)(view.tape[index] >> 56)) {
    case 'f': return CSJ_FALSE;
    case 't': return CSJ_TRUE;
    case 'l': return CSJ_INT;
    case 'u':
    case 'i':
    case 'd': return CSJ_DOUBLE;
    case '"': return CSJ_STRING;
    case '[': return CSJ_ARRAY;
    case '{': return CSJ_OBJECT;
    default: return CSJ_NULL;
  }
}

/* Expects CSJ_INT. */
static inline int64_t csj_int_at(csj_view view, size_t index) {
  return (int64_t)view.tape[index + 1];
}

/* Expects CSJ_DOUBLE: whether it has digits: an integer beyond int64, or a number beyond doubles. */
static inline int csj_is_large(csj_view view, size_t index) {
  return (char)(view.tape[index] >> 56) != 'd';
}

/* The digits of a number, with a NUL behind them, as the nearest double; an infinity beyond the largest. */
double csj_double_of_digits(const char *digits);

/* Compares two numbers that are not zero by their digits as JSON has them: below, at or above zero. */
int csj_compare_digits(const char *one, size_t length, const char *other, size_t otherLength);

/* Expects CSJ_DOUBLE. An integer beyond int64 is rounded, a number beyond doubles is an infinity. */
static inline double csj_double_at(csj_view view, size_t index) {
  uint64_t word = view.tape[index + 1];
  char type = (char)(view.tape[index] >> 56);
  if (type == 'u') return (double)word;
  if (type == 'i') return csj_double_of_digits((const char *)view.strings + word + sizeof(uint32_t));
  double value;
  memcpy(&value, &word, sizeof value);
  return value;
}

/* Room for the digits of an unsigned integer of 64 bits, and a NUL. */
#define CSJ_DIGITS_SIZE 24

/*
 * Expects CSJ_DOUBLE: the digits of an integer beyond int64 or of a number beyond doubles, as they stand in the
 * text, perhaps written to `buffer`; NULL for any other number. Followed by a NUL that is not counted. (JSN-12)
 */
const char *csj_digits_at(
  csj_view view, size_t index, char buffer[CSJ_DIGITS_SIZE], size_t *length);

/* Expects CSJ_STRING. UTF-8, followed by a NUL that is not counted; may hold others. (JSN-16) */
static inline const char *csj_string_at(csj_view view, size_t index, size_t *length) {
  const uint8_t *string = view.strings + (view.tape[index] & 0x00FFFFFFFFFFFFFFu);
  uint32_t count;
  memcpy(&count, string, sizeof count);
  *length = count;
  return (const char *)string + sizeof count;
}

/* The index just past the value at `index`, whatever its type; containers are skipped whole. */
static inline size_t csj_after(csj_view view, size_t index) {
  switch ((char)(view.tape[index] >> 56)) {
    case '[':
    case '{': return (uint32_t)view.tape[index];
    case 'l':
    case 'u':
    case 'i':
    case 'd': return index + 2;
    default: return index + 1;
  }
}

/* Expects a container: the index of its first child (of an object: the first key), or `csj_end`. */
static inline size_t csj_first(csj_view view, size_t container) {
  (void)view;
  return container + 1;
}

/* Expects a container: the index of its closing word, where walking its children stops. */
static inline size_t csj_end(csj_view view, size_t container) {
  return (size_t)(uint32_t)view.tape[container] - 1;
}

/* Expects a container: elements of an array, members of an object (repeated keys counted again). */
static inline size_t csj_count(csj_view view, size_t container) {
  size_t count = (view.tape[container] >> 32) & 0xFFFFFFu;
  if (count != 0xFFFFFFu) return count;
  /* The tape has 24 bits for it; beyond, somebody has to walk. */
  count = 0;
  size_t end = csj_end(view, container);
  for (size_t index = csj_first(view, container); index < end; index = csj_after(view, index)) {
    count++;
  }
  return csj_type_at(view, container) == CSJ_OBJECT ? count / 2 : count;
}

/* Whether the strings at two indices hold the same bytes. */
static inline int csj_same_string(csj_view view, size_t one, size_t other) {
  size_t length, otherLength;
  const char *bytes = csj_string_at(view, one, &length);
  const char *otherBytes = csj_string_at(view, other, &otherLength);
  return length == otherLength && memcmp(bytes, otherBytes, length) == 0;
}

/* Indices of a key and its value. */
typedef struct csj_pair {
  uint32_t key;
  uint32_t value;
} csj_pair;

/*
 * Expects an object: fills `pairs`, which has room for `csj_count` of them, with each key once, at
 * its first position, with its last value. Returns how many that are. (JSN-13)
 */
size_t csj_pairs(csj_view view, size_t object, csj_pair *pairs);

/*
 * Expects an object: the index of the last value of that key, or 0. (JSN-13) Large objects get an
 * index of their keys when first asked, kept with the document. Any thread may call this.
 */
size_t csj_member(const csj_document *document, size_t object, const char *key, size_t length);

/*
 * Expects an array: the index of the element at `position`, counted from 0, or 0 past the end.
 * Large arrays get an index, as far as has been asked for and kept with the document, so that
 * neither one far element nor all of them one by one cost more than one walk. Any thread may call
 * this.
 */
size_t csj_element(const csj_document *document, size_t array, size_t position);

#ifdef __cplusplus
}
#endif

#endif
