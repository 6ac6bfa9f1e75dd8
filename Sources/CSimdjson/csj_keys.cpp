#include "csj_keys.h"

#include <cstdint>
#include <cstring>

namespace {

// Keys of few members seldom share a bit of so many.
constexpr unsigned bits = 1024;

unsigned bitOf(const char *key, size_t length) {
  uint32_t hash = uint32_t(length);
  size_t at = 0;
  for (; at + 4 <= length; at += 4) {
    uint32_t word;
    std::memcpy(&word, key + at, sizeof word);
    hash = (hash ^ word) * 0x9E3779B1u;
  }
  for (; at < length; at++) hash = (hash ^ uint8_t(key[at])) * 0x9E3779B1u;
  return hash >> 22;
}

bool isEarlier(csj_view view, size_t object, size_t index) {
  for (size_t key = csj_first(view, object); key < index; key = csj_after(view, key + 1)) {
    if (csj_same_string(view, key, index)) return true;
  }
  return false;
}

}  // namespace

int csj_repeats_keys(csj_view view, size_t object) {
  uint64_t seen[bits / 64] = {};
  size_t end = csj_end(view, object);
  for (size_t key = csj_first(view, object); key < end; key = csj_after(view, key + 1)) {
    size_t length;
    const char *bytes = csj_string_at(view, key, &length);
    unsigned bit = bitOf(bytes, length);
    uint64_t mask = uint64_t(1) << (bit & 63);
    if ((seen[bit >> 6] & mask) != 0 && isEarlier(view, object, key)) return 1;
    seen[bit >> 6] |= mask;
  }
  return 0;
}
