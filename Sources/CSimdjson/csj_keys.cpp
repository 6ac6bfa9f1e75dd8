#include "csj_keys.h"

#include <cstdint>
#include <cstring>

namespace {

// Keys of few members seldom share a bit of so many.
constexpr unsigned fewBits = 256;
constexpr unsigned manyBits = 1024;
constexpr size_t fewMembers = 16;

// Of how a key begins, how it ends, and its length. Before a string of the tape stands its length, in four
// bytes: a short key is taken together with those.
uint32_t hashOf(const char *key, size_t length) {
  uint32_t first, last;
  size_t shown = length < 4 ? length : 4;
  std::memcpy(&first, key + shown - 4, sizeof first);
  std::memcpy(&last, key + length - 4, sizeof last);
  return (first * 0x9E3779B1u) ^ ((last + uint32_t(length)) * 0x85EBCA77u);
}

bool isEarlier(csj_view view, size_t object, size_t index) {
  for (size_t key = csj_first(view, object); key < index; key = csj_after(view, key + 1)) {
    if (csj_same_string(view, key, index)) return true;
  }
  return false;
}

// Whether a key stands twice in an object of so many members.
bool repeatsKeys(csj_view view, size_t object, size_t count) {
  uint64_t seen[manyBits / 64];
  bool areFew = count <= fewMembers;
  unsigned shift = areFew ? 24 : 22;
  std::memset(seen, 0, areFew ? fewBits / 8 : manyBits / 8);
  size_t end = csj_end(view, object);
  for (size_t key = csj_first(view, object); key < end; key = csj_after(view, key + 1)) {
    size_t length;
    const char *bytes = csj_string_at(view, key, &length);
    uint32_t bit = hashOf(bytes, length) >> shift;
    uint64_t mask = uint64_t(1) << (bit & 63);
    if ((seen[bit >> 6] & mask) != 0 && isEarlier(view, object, key)) return true;
    seen[bit >> 6] |= mask;
  }
  return false;
}

// Whether the object has the keys of the layout, in their order; then the values are its own.
bool fits(csj_layout *layout, csj_view view, size_t object) {
  size_t key = csj_first(view, object);
  for (uint32_t ordinal = 0; ordinal < layout->count; ordinal++) {
    size_t length;
    const char *bytes = csj_string_at(view, layout->keys[ordinal], &length);
    if (!csj_is_key(view, key, bytes, length)) return false;
    layout->values[ordinal] = uint32_t(key + 1);
    key = csj_after(view, key + 1);
  }
  return true;
}

}  // namespace

int csj_enter(csj_layout *layout, csj_view view, size_t object) {
  size_t count = csj_count(view, object);
  if (count > CSJ_MOST_SOUGHT) return 1;
  // Until it is known whether it fits, the values are of none.
  layout->object = 0;
  if (count == layout->count && fits(layout, view, object)) {
    layout->object = object;
    layout->last = 0;
    return 0;
  }
  layout->key_type = nullptr;
  layout->count = 0;
  if (repeatsKeys(view, object, count)) return 1;
  if (count > CSJ_LAYOUT_SIZE) return 0;
  size_t key = csj_first(view, object);
  for (; layout->count < count; layout->count++) {
    layout->keys[layout->count] = uint32_t(key);
    layout->values[layout->count] = uint32_t(key + 1);
    key = csj_after(view, key + 1);
  }
  layout->object = object;
  layout->last = 0;
  return 0;
}
