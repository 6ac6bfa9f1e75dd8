#ifndef CSJ_COMPARE_H
#define CSJ_COMPARE_H

/*
 * When JSON values are the same, and what a JSON Pointer means: the rules, for documents and for whoever
 * walks values of another form.
 */

#include "csimdjson.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A value that is neither array nor object, of a document or of another form. */
typedef struct csj_atom {
  csj_type type;
  int64_t integer;
  double number;
  /* UTF-8, valid as long as what it was taken from; may be NULL if it is empty. Of a CSJ_DOUBLE the digits of an
   * integer beyond int64, NULL for any other, and for one that is in `unsigned_integer`. */
  const char *text;
  size_t length;
  /* Of a CSJ_DOUBLE that is an integer beyond int64; 0 for any other. */
  uint64_t unsigned_integer;
} csj_atom;

/* The value at `index`, which is neither array nor object. */
csj_atom csj_atom_at(csj_view view, size_t index);

/* Whether an integer and a double are the same number, neither being rounded. */
int csj_same_number(int64_t integer, double number);

/* Whether both are the same: numbers as numbers, 1 and 1.0 being one; strings byte by byte. */
int csj_same_atom(csj_atom one, csj_atom other);

/*
 * Whether both values hold the same: elements in order, members in any, and of repeated keys the last
 * counts. (JSN-13) Out of memory they are not the same. On any thread.
 */
int csj_same_value(
  const csj_document *one, size_t index, const csj_document *other, size_t other_index);

/*
 * Takes the next token off a JSON Pointer (RFC 6901, section 4), `*pointer` being at its '/' and below
 * `end`, and unescapes it: `buffer` has room for what is left. Returns where the token begins, in the
 * pointer itself or in the buffer, and sets its length; NULL where '~' is followed by neither 0 nor 1.
 */
const char *csj_pointer_token(
  const char **pointer, const char *end, char *buffer, size_t *length);

/* The position a token names in an array, counted from 0, or -1: digits only, and no leading zero. */
int64_t csj_pointer_position(const char *token, size_t length);

/* Where a JSON Pointer leads from the value at `index`; 0 if nowhere, or if it is none. */
size_t csj_pointer_find(
  const csj_document *document, size_t index, const char *pointer, size_t length);

/*
 * Appends '/' and a token, escaped, to a pointer of `length` bytes with room for `size`; what does not
 * fit, with the NUL behind it, is cut off. Returns the new length.
 */
size_t csj_pointer_append(
  char *pointer, size_t length, size_t size, const char *token, size_t token_length);

#ifdef __cplusplus
}
#endif

#endif
