#ifndef CSJ_UTF8_H
#define CSJ_UTF8_H

/* What is UTF-8 (RFC 3629): asked here by everybody. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Whether the bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing cut off. They may be
 * NULL if there are none. On any thread.
 */
int csj_is_utf8(const uint8_t *bytes, size_t length);

/* How many bytes a character takes whose first one this is; 0 if none begins so. */
static inline size_t csj_utf8_length(uint8_t first) {
  return first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
}

/* How many bytes the well-formed character takes that begins there; 0 if there is none. */
static inline size_t csj_utf8_sequence(const uint8_t *text, size_t left) {
  if (left == 0) return 0;
  size_t length = csj_utf8_length(text[0]);
  if (length <= 1) return length;
  if (left < length) return 0;
  for (size_t i = 1; i < length; i++) {
    if ((text[i] & 0xC0) != 0x80) return 0;
  }
  /* Longer than needed, surrogates, and beyond the last code point. (RFC 3629, section 4) */
  switch (text[0]) {
    case 0xE0: return text[1] >= 0xA0 ? length : 0;
    case 0xED: return text[1] <= 0x9F ? length : 0;
    case 0xF0: return text[1] >= 0x90 ? length : 0;
    case 0xF4: return text[1] <= 0x8F ? length : 0;
    default: return length;
  }
}

#ifdef __cplusplus
}
#endif

#endif
