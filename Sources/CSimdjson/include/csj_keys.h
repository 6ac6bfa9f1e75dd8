#ifndef CSJ_KEYS_H
#define CSJ_KEYS_H

/*
 * Looking up members whose keys are asked for in about the order they stand in, as types are decoded: a
 * search goes on where the last one ended.
 */

#include "csimdjson.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Objects of more members are looked up by their index: `csj_member`. */
#define CSJ_MOST_SOUGHT ((size_t)128)

/* Whether the number at `index`, CSJ_INT or CSJ_DOUBLE, is an integer beyond int64; then its value. */
static inline int csj_is_unsigned(csj_view view, size_t index, uint64_t *value) {
  *value = view.tape[index + 1];
  return (char)(view.tape[index] >> 56) == 'u';
}

/* Whether the key at `index` is these bytes. */
static inline int csj_is_key(csj_view view, size_t index, const char *key, size_t length) {
  size_t count;
  const char *bytes = csj_string_at(view, index, &count);
  return count == length && memcmp(bytes, key, length) == 0;
}

/*
 * Expects an object: the index of a key in it, or 0. Looks from the key at `from` on, around to where it
 * began. Of repeated keys it finds any: only for objects that have none.
 */
static inline size_t csj_seek(
  csj_view view, size_t object, size_t from, const char *key, size_t length) {
  size_t end = csj_end(view, object);
  for (size_t index = from; index < end; index = csj_after(view, index + 1)) {
    if (csj_is_key(view, index, key, length)) return index;
  }
  for (size_t index = csj_first(view, object); index < from; index = csj_after(view, index + 1)) {
    if (csj_is_key(view, index, key, length)) return index;
  }
  return 0;
}

/* Expects an object of at most CSJ_MOST_SOUGHT members: whether a key stands in it twice. */
int csj_repeats_keys(csj_view view, size_t object);

#ifdef __cplusplus
}
#endif

#endif
