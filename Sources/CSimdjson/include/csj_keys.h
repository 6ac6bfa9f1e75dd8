#ifndef CSJ_KEYS_H
#define CSJ_KEYS_H

/*
 * Looking up members as types are decoded: the same few keys of one object after the other, in about the
 * order they stand in.
 *
 * Objects of one kind mostly have the same keys in the same order, their layout. Where an object is seen to
 * have that of the one before it, keys need not be compared again.
 */

#include "csimdjson.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the number at `index`, CSJ_INT or CSJ_DOUBLE, is an integer beyond int64; then its value. */
static inline int csj_is_unsigned(csj_view view, size_t index, uint64_t *value) {
  *value = view.tape[index + 1];
  return (char)(view.tape[index] >> 56) == 'u';
}

/* Whether both texts of that length are the same: keys are short, and calling memcmp takes as long. */
static inline int csj_is_same_text(const char *one, const char *other, size_t length) {
  if (length > 16) return memcmp(one, other, length) == 0;
  if (length >= 8) {
    uint64_t first, last, otherFirst, otherLast;
    memcpy(&first, one, sizeof first);
    memcpy(&otherFirst, other, sizeof otherFirst);
    memcpy(&last, one + length - sizeof last, sizeof last);
    memcpy(&otherLast, other + length - sizeof last, sizeof otherLast);
    return first == otherFirst && last == otherLast;
  }
  if (length >= 4) {
    uint32_t first, last, otherFirst, otherLast;
    memcpy(&first, one, sizeof first);
    memcpy(&otherFirst, other, sizeof otherFirst);
    memcpy(&last, one + length - sizeof last, sizeof last);
    memcpy(&otherLast, other + length - sizeof last, sizeof otherLast);
    return first == otherFirst && last == otherLast;
  }
  for (size_t index = 0; index < length; index++) {
    if (one[index] != other[index]) return 0;
  }
  return 1;
}

/* Whether the key at `index` is these bytes. */
static inline int csj_is_key(csj_view view, size_t index, const char *key, size_t length) {
  size_t count;
  const char *bytes = csj_string_at(view, index, &count);
  return count == length && csj_is_same_text(bytes, key, length);
}

/* Objects of more members are looked up by their index: `csj_member`. */
#define CSJ_MOST_SOUGHT ((size_t)128)

/* A layout has no more members. */
#define CSJ_LAYOUT_SIZE 32

/* The keys of an object, all different, and where the values of one like it are. Zero is none. */
typedef struct csj_layout {
  /* The object the values are of. */
  size_t object;
  /* Where the last key was found, an ordinal. */
  uint32_t last;
  uint32_t count;
  /* What the numbers of keys below are of; NULL if nothing is known. */
  const void *key_type;
  /* By number: the ordinal of that key and 1, CSJ_NO_MEMBER if there is none, 0 if that is not known. */
  uint8_t ordinals[CSJ_LAYOUT_SIZE];
  /* By ordinal. */
  uint32_t keys[CSJ_LAYOUT_SIZE];
  uint32_t values[CSJ_LAYOUT_SIZE];
} csj_layout;

#define CSJ_NO_MEMBER 0xFF

/*
 * Expects an object, and makes the layout its own, if it is not too large for one. Whether its members must
 * be looked up by `csj_member`: it has very many, or repeats keys. (JSN-13)
 */
int csj_enter(csj_layout *layout, csj_view view, size_t object);

/*
 * Expects an object that has been entered: the index of the value of a key, or 0. Another object may have
 * been entered since.
 */
static inline size_t csj_find(
  csj_layout *layout, csj_view view, size_t object, const char *key, size_t length) {
  if (layout->object == object) {
    uint32_t ordinal = layout->last;
    for (uint32_t left = layout->count; left > 0; left--) {
      if (csj_is_key(view, layout->keys[ordinal], key, length)) {
        layout->last = ordinal;
        return layout->values[ordinal];
      }
      if (++ordinal == layout->count) ordinal = 0;
    }
    return 0;
  }
  size_t end = csj_end(view, object);
  for (size_t index = csj_first(view, object); index < end; index = csj_after(view, index + 1)) {
    if (csj_is_key(view, index, key, length)) return index + 1;
  }
  return 0;
}

/* The same of a key by its number among those of its type. Whether that is known; then `*value` is set. */
static inline int csj_find_number(
  const csj_layout *layout, size_t object, const void *key_type, size_t number, size_t *value) {
  if (layout->object != object || layout->key_type != key_type) return 0;
  uint8_t ordinal = number < CSJ_LAYOUT_SIZE ? layout->ordinals[number] : 0;
  if (ordinal == 0) return 0;
  *value = ordinal == CSJ_NO_MEMBER ? 0 : layout->values[ordinal - 1];
  return 1;
}

/* Notes what `csj_find` has just said of the key of that number. */
static inline void csj_learn_number(
  csj_layout *layout, size_t object, const void *key_type, size_t number, size_t value) {
  if (layout->object != object || number >= CSJ_LAYOUT_SIZE) return;
  if (layout->key_type != key_type) {
    layout->key_type = key_type;
    memset(layout->ordinals, 0, sizeof layout->ordinals);
  }
  layout->ordinals[number] = value == 0 ? CSJ_NO_MEMBER : (uint8_t)(layout->last + 1);
}

#ifdef __cplusplus
}
#endif

#endif
