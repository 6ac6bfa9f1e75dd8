#include "csimdjson.h"

#include "csj_utf8.h"

#include <lull_ledger.h>
#if !__has_include(<simdjson.h>)
#error "there is no <simdjson.h>: on Debian, apt-get install libsimdjson-dev"
#endif
#include <simdjson.h>

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>

// simdjson reports by value with SIMDJSON_EXCEPTIONS=0, and everything here allocates with malloc:
// nothing in this file can throw.

namespace {

using simdjson::error_code;
using simdjson::SIMDJSON_PADDING;
using Implementation = simdjson::internal::dom_parser_implementation;

// Texts up to here are copied (padded) into the parser's buffer and parsed into its scratch tape,
// and the document becomes one block of exactly the right size. Larger ones are parsed in place
// into buffers of their own, which are then shrunk: no second copy of anything large.
constexpr size_t smallText = 16 * 1024;

// What a thread's parser may keep between documents.
constexpr size_t keptBytes = 4 * 1024 * 1024;

// Offsets and tape indices are 32 bits wide, and a text of n bytes may need n + 3 words of tape.
constexpr size_t largestText = 0xFFFFFF00u;

// From here on memory is asked for in large pages: handing over thousands of small ones takes the
// system a third of the time of a parse.
constexpr size_t largePage = 2 * 1024 * 1024;

// Says of memory about to be filled that large pages suit it; a hint, which the system may ignore.
void preferLargePages(void *bytes, size_t size) {
  constexpr uintptr_t smallestPage = 4096;
  auto first = (reinterpret_cast<uintptr_t>(bytes) + smallestPage - 1) & ~(smallestPage - 1);
  auto end = (reinterpret_cast<uintptr_t>(bytes) + size) & ~(smallestPage - 1);
  if (end > first) (void)madvise(reinterpret_cast<void *>(first), end - first, MADV_HUGEPAGE);
}

// As malloc; to be freed, or made smaller, in the same way. Nothing where the ledger has no room.
void *allocate(size_t size) {
  if (!lull_ledger_ask(size)) return nullptr;
  if (size < 2 * largePage) return std::malloc(size);
  void *bytes = nullptr;
  if (posix_memalign(&bytes, largePage, size) != 0) return nullptr;
  preferLargePages(bytes, size);
  return bytes;
}

// A block of bytes that only grows, so that parsing many small texts allocates nothing here.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { std::free(bytes_); }

  // False when out of memory. The contents are lost.
  bool reserve(size_t size) {
    if (size <= size_) return true;
    release();
    bytes_ = static_cast<uint8_t *>(allocate(size));
    if (bytes_ != nullptr) size_ = size;
    return bytes_ != nullptr;
  }

  void release() {
    std::free(bytes_);
    bytes_ = nullptr;
    size_ = 0;
  }

  // Gives the block away, shrunk to `size` bytes; the taker frees it.
  uint8_t *take(size_t size) {
    auto *shrunk = static_cast<uint8_t *>(std::realloc(bytes_, size));
    uint8_t *taken = shrunk != nullptr ? shrunk : bytes_;
    bytes_ = nullptr;
    size_ = 0;
    return taken;
  }

  uint8_t *bytes() const { return bytes_; }
  size_t size() const { return size_; }

 private:
  uint8_t *bytes_ = nullptr;
  size_t size_ = 0;
};

// UTF-8 text with `SIMDJSON_PADDING` readable bytes behind it.
struct Text {
  const uint8_t *bytes;
  size_t length;
};

csj_document *fail(csj_error *error, csj_error_code code, const char *message, int64_t offset) {
  if (error != nullptr) *error = {code, message, offset};
  return nullptr;
}

// MARK: Finding what is wrong

struct Finding {
  const char *message;
  size_t offset;
  csj_error_code code;
};

// A slow second reading of a text simdjson refused, which only says "number error" and the like:
// finds the first offence and its place, and counts levels exactly (JSN-14). Decides nothing else:
// when it finds no fault, the caller keeps simdjson's verdict.
class Diagnosis {
 public:
  Diagnosis(Text text) : text_(text) {}

  // A null message if there is nothing to find.
  Finding run() {
    finding_ = {nullptr, 0, CSJ_MALFORMED};
    at_ = 0;
    document();
    return finding_;
  }

 private:
  enum class Expect { value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd, nothing };

  Text text_;
  size_t at_ = 0;
  Finding finding_ = {nullptr, 0, CSJ_MALFORMED};
  bool isArray_[CSJ_MAX_DEPTH] = {};

  bool wrong(const char *message, size_t offset, csj_error_code code = CSJ_MALFORMED) {
    finding_ = {message, offset, code};
    return false;
  }

  // The byte at a distance, or 0 past the end: no JSON token holds one.
  uint8_t peek(size_t distance = 0) const {
    return at_ + distance < text_.length ? text_.bytes[at_ + distance] : 0;
  }

  bool document() {
    auto expect = Expect::value;
    size_t depth = 0;
    for (;;) {
      while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') at_++;
      if (at_ == text_.length) {
        if (expect == Expect::nothing) return true;
        return wrong("unexpected end of the text", at_);
      }
      uint8_t byte = peek();
      switch (expect) {
        case Expect::nothing:
          return wrong("unexpected text after the value", at_);
        case Expect::colon:
          if (byte != ':') return wrong("expected a colon after the key", at_);
          at_++;
          expect = Expect::value;
          continue;
        case Expect::commaOrEnd: {
          bool isArray = isArray_[depth - 1];
          if (byte == ',') {
            expect = isArray ? Expect::value : Expect::key;
          } else if (byte == (isArray ? ']' : '}')) {
            depth--;
            expect = depth == 0 ? Expect::nothing : Expect::commaOrEnd;
          } else {
            return wrong(
              isArray ? "expected a comma or ]" : "expected a comma or }", at_);
          }
          at_++;
          continue;
        }
        case Expect::key:
        case Expect::keyOrEnd:
          if (byte == '"') {
            if (!string()) return false;
            expect = Expect::colon;
            continue;
          }
          if (byte != '}' || expect == Expect::key) {
            return wrong("expected a key in double quotes", at_);
          }
          break;
        case Expect::valueOrEnd:
          if (byte == ']') break;
          [[fallthrough]];
        case Expect::value:
          if (byte == '[' || byte == '{') {
            if (depth == CSJ_MAX_DEPTH) {
              return wrong("nested more than 1000 levels deep", at_, CSJ_TOO_DEEP);
            }
            isArray_[depth] = byte == '[';
            depth++;
            at_++;
            expect = byte == '[' ? Expect::valueOrEnd : Expect::keyOrEnd;
          } else {
            if (!atom()) return false;
            expect = depth == 0 ? Expect::nothing : Expect::commaOrEnd;
          }
          continue;
      }
      // Only the end of an empty container gets here.
      at_++;
      depth--;
      expect = depth == 0 ? Expect::nothing : Expect::commaOrEnd;
    }
  }

  bool atom() {
    switch (peek()) {
      case '"': return string();
      case 't': return word("true", 4);
      case 'f': return word("false", 5);
      case 'n': return word("null", 4);
      default: return number();
    }
  }

  bool word(const char *word, size_t length) {
    if (text_.length - at_ < length || std::memcmp(text_.bytes + at_, word, length) != 0) {
      return wrong("expected a value", at_);
    }
    at_ += length;
    return true;
  }

  static bool isDigit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

  bool number() {
    size_t start = at_;
    if (peek() == '-') at_++;
    if (!isDigit(peek())) {
      return wrong(at_ == start ? "expected a value" : "invalid number", start);
    }
    if (peek() == '0' && isDigit(peek(1))) {
      return wrong("a number must not begin with a zero", start);
    }
    while (isDigit(peek())) at_++;
    if (peek() == '.') {
      at_++;
      if (!isDigit(peek())) return wrong("invalid number", start);
      while (isDigit(peek())) at_++;
    }
    if (peek() == 'e' || peek() == 'E') {
      at_++;
      if (peek() == '+' || peek() == '-') at_++;
      if (!isDigit(peek())) return wrong("invalid number", start);
      while (isDigit(peek())) at_++;
    }
    return true;
  }

  // The four hexadecimal digits at a distance, or -1.
  int32_t hexadecimal(size_t distance) const {
    int32_t value = 0;
    for (size_t digit = 0; digit < 4; digit++) {
      uint8_t byte = peek(distance + digit);
      if (isDigit(byte)) {
        value = value * 16 + (byte - '0');
      } else if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f') {
        value = value * 16 + ((byte | 0x20) - 'a' + 10);
      } else {
        return -1;
      }
    }
    return value;
  }

  bool string() {
    size_t start = at_;
    at_++;
    for (;;) {
      if (at_ == text_.length) return wrong("a string is not closed", start);
      uint8_t byte = peek();
      if (byte == '"') {
        at_++;
        return true;
      }
      if (byte < 0x20) return wrong("a control character in a string must be escaped", at_);
      if (byte == '\\') {
        if (!escape()) return false;
      } else if (byte < 0x80) {
        at_++;
      } else if (!multibyte()) {
        return false;
      }
    }
  }

  bool escape() {
    uint8_t kind = peek(1);
    if (kind != 'u') {
      if (kind == 0 || std::strchr("\"\\/bfnrt", kind) == nullptr) {
        return wrong("invalid escape in a string", at_);
      }
      at_ += 2;
      return true;
    }
    int32_t unit = hexadecimal(2);
    if (unit < 0) return wrong("invalid escape in a string", at_);
    if (unit < 0xD800 || unit > 0xDFFF) {
      at_ += 6;
      return true;
    }
    int32_t low = peek(6) == '\\' && peek(7) == 'u' ? hexadecimal(8) : -1;
    if (unit > 0xDBFF || low < 0xDC00 || low > 0xDFFF) {
      return wrong("half of a surrogate pair stands alone in a string", at_);
    }
    at_ += 12;
    return true;
  }

  bool multibyte() {
    size_t length = csj_utf8_sequence(text_.bytes + at_, text_.length - at_);
    if (length == 0) return wrong("invalid UTF-8", at_);
    at_ += length;
    return true;
  }
};

// MARK: Encodings

// How the bytes are to be read. (JSN-15)
struct Encoding {
  unsigned unit;      // bytes per code unit
  bool bigEndian;
  size_t mark;        // bytes of byte-order mark to skip
};

// A BOM tells; without one, the zero bytes of an ASCII character do, which every JSON text begins
// with. UTF-8 JSON holds no zero byte at all.
Encoding encodingOf(const uint8_t *bytes, size_t length) {
  auto starts = [&](std::initializer_list<int> pattern) {
    if (length < pattern.size()) return false;
    const uint8_t *byte = bytes;
    for (int wanted : pattern) {
      if (*byte++ != wanted) return false;
    }
    return true;
  };
  if (starts({0xEF, 0xBB, 0xBF})) return {1, false, 3};
  if (starts({0xFF, 0xFE, 0, 0})) return {4, false, 4};
  if (starts({0, 0, 0xFE, 0xFF})) return {4, true, 4};
  if (starts({0xFF, 0xFE})) return {2, false, 2};
  if (starts({0xFE, 0xFF})) return {2, true, 2};
  if (starts({0, 0})) return {4, true, 0};
  if (starts({0})) return {2, true, 0};
  if (length >= 4 && bytes[1] == 0 && bytes[2] == 0 && bytes[3] == 0) return {4, false, 0};
  if (length >= 2 && bytes[1] == 0) return {2, false, 0};
  return {1, false, 0};
}

// Writes UTF-16 or UTF-32 as UTF-8. `output` has three bytes for every two bytes of input.
// Returns the bytes written; stops at the first invalid unit and sets `*invalid` to its offset.
size_t transcode(
  const uint8_t *bytes, size_t length, Encoding encoding, uint8_t *output, int64_t *invalid) {
  auto unitAt = [&](size_t offset) {
    uint32_t unit = 0;
    for (unsigned byte = 0; byte < encoding.unit; byte++) {
      unsigned place = encoding.bigEndian ? byte : encoding.unit - 1 - byte;
      unit = unit << 8 | bytes[offset + place];
    }
    return unit;
  };
  uint8_t *next = output;
  size_t offset = encoding.mark;
  *invalid = -1;
  while (offset < length) {
    size_t start = offset;
    uint32_t scalar = 0xFFFFFFFF;
    if (length - offset >= encoding.unit) scalar = unitAt(offset);
    offset += encoding.unit;
    if (encoding.unit == 2 && scalar >= 0xD800 && scalar <= 0xDBFF && length - start >= 4) {
      uint32_t low = unitAt(offset);
      if (low >= 0xDC00 && low <= 0xDFFF) {
        scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00);
        offset += 2;
      }
    }
    if (scalar < 0x80) {
      *next++ = uint8_t(scalar);
    } else if (scalar < 0x800) {
      *next++ = uint8_t(0xC0 | scalar >> 6);
      *next++ = uint8_t(0x80 | (scalar & 0x3F));
    } else if (scalar < 0x10000 && (scalar >> 11) != 0x1B) {
      *next++ = uint8_t(0xE0 | scalar >> 12);
      *next++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
      *next++ = uint8_t(0x80 | (scalar & 0x3F));
    } else if (scalar >= 0x10000 && scalar <= 0x10FFFF) {
      *next++ = uint8_t(0xF0 | scalar >> 18);
      *next++ = uint8_t(0x80 | (scalar >> 12 & 0x3F));
      *next++ = uint8_t(0x80 | (scalar >> 6 & 0x3F));
      *next++ = uint8_t(0x80 | (scalar & 0x3F));
    } else {
      *invalid = int64_t(start);
      break;
    }
  }
  return size_t(next - output);
}

// MARK: Numbers

// Whether simdjson can hold an integer of these digits: int64 if negative, else uint64.
bool fits(const uint8_t *digits, size_t count, bool isNegative) {
  const char *largest = isNegative ? "9223372036854775808" : "18446744073709551615";
  size_t places = isNegative ? 19 : 20;
  if (count != places) return count < places;
  return std::memcmp(digits, largest, places) <= 0;
}

// The power of ten of the first digit of a sound number that is not zero, or beyond 10^15 a bound of it.
int64_t magnitude(const char *at, const char *end) {
  int64_t power = -1;
  bool isFraction = false, isFound = false;
  for (; at < end && *at != 'e' && *at != 'E'; at++) {
    if (*at == '.') {
      isFraction = true;
    } else if (*at != '-') {
      if (!isFound && *at != '0') {
        isFound = true;
        power = isFraction ? power : 0;
      } else if (isFound ? !isFraction : isFraction) {
        power += isFound ? 1 : -1;
      }
    }
  }
  if (at == end) return power;
  bool isNegative = *++at == '-';
  if (isNegative || *at == '+') at++;
  int64_t exponent = 0;
  for (; at < end; at++) {
    if (exponent < 1000000000000000) exponent = exponent * 10 + (*at - '0');
  }
  return isNegative ? power - exponent : power + exponent;
}

// The nearest double of a sound number; beyond the largest one an infinity.
double doubleOf(const char *start, const char *end) {
  double value = 0;
  if (std::from_chars(start, end, value).ec != std::errc::result_out_of_range) return value;
  // Too small counts as out of range, too.
  double nearest = magnitude(start, end) > 0 ? HUGE_VAL : 0;
  return *start == '-' ? -nearest : nearest;
}

// A number in a text.
struct Number {
  size_t start;
  size_t end;
  // Whether it is an integer that simdjson cannot hold.
  bool isLarge;
  // Whether it is beyond the largest double.
  bool isHuge;

  // Whether it keeps its digits. (JSN-12, JSN-160)
  bool isKept() const { return isLarge || isHuge; }
};

// The numbers of a text, one after the other.
class Numbers {
 public:
  Numbers(Text text) : text_(text) {}

  // Returns false when there is no further number.
  bool next(Number *number) {
    bool inString = false;
    while (at_ < text_.length) {
      uint8_t byte = text_.bytes[at_];
      if (!inString && (byte == '-' || isDigit(at_))) {
        read(number);
        return true;
      }
      if (byte == '"') inString = !inString;
      // The character behind a backslash neither ends the string nor escapes another.
      at_ += inString && byte == '\\' ? 2 : 1;
    }
    return false;
  }

 private:
  Text text_;
  size_t at_ = 0;

  bool isDigit(size_t index) const {
    return index < text_.length && text_.bytes[index] >= '0' && text_.bytes[index] <= '9';
  }

  bool isNumeric(size_t index) const {
    return isDigit(index) || (index < text_.length && text_.bytes[index] != 0
                              && std::strchr("+-.eE", text_.bytes[index]) != nullptr);
  }

  void read(Number *number) {
    bool isNegative = text_.bytes[at_] == '-';
    size_t digits = at_ + (isNegative ? 1 : 0);
    size_t end = digits;
    while (isDigit(end)) end++;
    bool isInteger = !isNumeric(end);
    size_t count = end - digits;
    while (isNumeric(end)) end++;
    *number = {at_, end, isInteger && !fits(text_.bytes + digits, count, isNegative), false};
    // A double has 309 digits before the point.
    if ((!isInteger || count >= 309) && isSound(digits, end)) {
      auto start = reinterpret_cast<const char *>(text_.bytes);
      number->isHuge = std::isinf(doubleOf(start + at_, start + end));
    }
    at_ = end;
  }

  // Whether that is a number of JSON, behind its sign.
  bool isSound(size_t at, size_t end) const {
    auto pass = [&]() {
      size_t start = at;
      while (at < end && isDigit(at)) at++;
      return at > start;
    };
    bool isZero = at < end && text_.bytes[at] == '0';
    size_t start = at;
    if (!pass() || (isZero && at > start + 1)) return false;
    if (at < end && text_.bytes[at] == '.') {
      at++;
      if (!pass()) return false;
    }
    if (at < end && (text_.bytes[at] | 32) == 'e') {
      at++;
      if (at < end && (text_.bytes[at] == '+' || text_.bytes[at] == '-')) at++;
      if (!pass()) return false;
    }
    return at == end;
  }
};

// Copies the text with `.0` behind every integer simdjson cannot hold, and `0.0` in the place of every
// number beyond the largest double: both are doubles of two words on the tape. `output` has room for
// `widenedLength`. Returns the bytes written, or 0 if the text has no such number.
size_t widen(Text text, uint8_t *output) {
  uint8_t *next = output;
  size_t copied = 0;
  Numbers numbers(text);
  Number number;
  while (numbers.next(&number)) {
    if (!number.isKept()) continue;
    size_t end = number.isHuge ? number.start : number.end;
    std::memcpy(next, text.bytes + copied, end - copied);
    next += end - copied;
    copied = number.end;
    // The shortest one has five letters.
    if (number.isHuge) *next++ = '0';
    *next++ = '.';
    *next++ = '0';
  }
  if (next == output) return 0;
  std::memcpy(next, text.bytes + copied, text.length - copied);
  return size_t(next - output) + text.length - copied;
}

// The bytes that the digits of such numbers take among the strings.
size_t digitBytes(Text text) {
  size_t size = 0;
  Numbers numbers(text);
  Number number;
  while (numbers.next(&number)) {
    if (number.isKept()) size += sizeof(uint32_t) + (number.end - number.start) + 1;
  }
  return size;
}

// Puts their digits in the place of the doubles they have become. `text` is the one before it was widened,
// whose numbers stand on the tape in the same order; the digits go to `offset` of the strings and behind.
void keepDigits(Text text, uint64_t *tape, size_t tapeLength, uint8_t *strings, size_t offset) {
  Numbers numbers(text);
  Number number;
  size_t index = 0;
  while (numbers.next(&number)) {
    auto isNumber = [&](size_t place) {
      char type = char(tape[place] >> 56);
      return type == 'l' || type == 'u' || type == 'd';
    };
    while (index < tapeLength && !isNumber(index)) index++;
    if (index + 1 >= tapeLength) return;
    if (number.isKept()) {
      auto length = uint32_t(number.end - number.start);
      std::memcpy(strings + offset, &length, sizeof length);
      std::memcpy(strings + offset + sizeof length, text.bytes + number.start, length);
      strings[offset + sizeof length + length] = 0;
      tape[index] = uint64_t('i') << 56;
      tape[index + 1] = offset;
      offset += sizeof length + length + 1;
    }
    index += 2;
  }
}

// Two bytes more for every 19 digits, which is the least an integer needs to be too large.
size_t widenedLength(size_t length) { return length + 2 * (length / 19 + 1); }

// MARK: Looking up

// Up to this many children a walk is as good as any index.
constexpr size_t walkedChildren = 16;

// Orders keys by length first, which decides most comparisons without reading any bytes.
int compareKeys(const char *one, size_t length, const char *other, size_t otherLength) {
  if (length != otherLength) return length < otherLength ? -1 : 1;
  // The bytes of an empty key may be a null pointer, which memcmp must not see.
  if (length == 0) return 0;
  return std::memcmp(one, other, length);
}

// The members of an object sorted by key, repeated keys in order of position; null when out of
// memory. Sorted rather than hashed: no choice of keys makes a sort slow.
csj_pair *sortedMembers(csj_view view, size_t object, size_t count) {
  auto *members = static_cast<csj_pair *>(std::malloc((count + 1) * sizeof(csj_pair)));
  if (members == nullptr) return nullptr;
  csj_pair *next = members;
  size_t end = csj_end(view, object);
  for (size_t key = csj_first(view, object); key < end;) {
    *next++ = {uint32_t(key), uint32_t(key + 1)};
    key = csj_after(view, key + 1);
  }
  std::sort(members, next, [view](const csj_pair &one, const csj_pair &other) {
    size_t length, otherLength;
    const char *bytes = csj_string_at(view, one.key, &length);
    const char *otherBytes = csj_string_at(view, other.key, &otherLength);
    int order = compareKeys(bytes, length, otherBytes, otherLength);
    return order != 0 ? order < 0 : one.key < other.key;
  });
  return members;
}

// Where the children of one container are.
struct ContainerIndex {
  size_t count;
  // Of an array, how many elements are filled in, and the index of the next one.
  size_t known;
  size_t next;
  // Of an array, the elements in order; of an object, its members sorted by key, the last wins.
  union {
    uint32_t *elements;
    csj_pair *members;
  };
};

// The indices of a document's large containers, made when first needed. Unlike the document they
// change, under a lock of their own.
class Indexes {
 public:
  Indexes() = default;
  Indexes(const Indexes &) = delete;
  Indexes &operator=(const Indexes &) = delete;

  ~Indexes() {
    for (size_t slot = 0; slot < slotCount_; slot++) std::free(slots_[slot].index.elements);
    std::free(slots_);
    pthread_mutex_destroy(&mutex_);
  }

  // Finds or makes the index of a container, of an array up to `position`. What it gives may be
  // read without the lock, since nothing filled in changes again. False when out of memory.
  bool get(csj_view view, size_t container, size_t position, ContainerIndex *index) {
    pthread_mutex_lock(&mutex_);
    ContainerIndex *found = find(view, container);
    if (found != nullptr) {
      for (; found->known <= position && found->known < found->count; found->known++) {
        found->elements[found->known] = uint32_t(found->next);
        found->next = csj_after(view, found->next);
      }
      *index = *found;
    }
    pthread_mutex_unlock(&mutex_);
    return found != nullptr;
  }

  size_t bytes() {
    pthread_mutex_lock(&mutex_);
    size_t bytes = sizeof(Indexes) + slotCount_ * sizeof(Slot) + indexBytes_;
    pthread_mutex_unlock(&mutex_);
    return bytes;
  }

 private:
  // Container 0 marks a free slot: index 0 is no value.
  struct Slot {
    size_t container;
    ContainerIndex index;
  };

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  Slot *slots_ = nullptr;
  // A power of two, or zero.
  size_t slotCount_ = 0;
  size_t used_ = 0;
  size_t indexBytes_ = 0;

  Slot *slotOf(size_t container) {
    // The multiplier spreads containers that lie at equal distances.
    size_t slot = (container * 0x9E3779B97F4A7C15u) >> 32;
    for (;; slot++) {
      Slot *candidate = &slots_[slot & (slotCount_ - 1)];
      if (candidate->container == container || candidate->container == 0) return candidate;
    }
  }

  bool grow() {
    size_t oldCount = slotCount_;
    Slot *old = slots_;
    size_t count = oldCount == 0 ? 4 : 2 * oldCount;
    auto *slots = static_cast<Slot *>(std::calloc(count, sizeof(Slot)));
    if (slots == nullptr) return false;
    slots_ = slots;
    slotCount_ = count;
    for (size_t slot = 0; slot < oldCount; slot++) {
      if (old[slot].container != 0) *slotOf(old[slot].container) = old[slot];
    }
    std::free(old);
    return true;
  }

  // The index of a container, of an array without any elements at first; null when out of memory.
  ContainerIndex *find(csj_view view, size_t container) {
    if (slotCount_ > 0) {
      Slot *slot = slotOf(container);
      if (slot->container == container) return &slot->index;
    }
    if (2 * used_ >= slotCount_ && !grow()) return nullptr;
    ContainerIndex index;
    index.count = csj_count(view, container);
    if (csj_type_at(view, container) == CSJ_ARRAY) {
      size_t bytes = index.count * sizeof(uint32_t);
      index.known = 0;
      index.next = csj_first(view, container);
      index.elements = static_cast<uint32_t *>(std::malloc(bytes));
      if (index.elements == nullptr) return nullptr;
      indexBytes_ += bytes;
    } else {
      index.known = index.count;
      index.next = 0;
      index.members = sortedMembers(view, container, index.count);
      if (index.members == nullptr) return nullptr;
      indexBytes_ += index.count * sizeof(csj_pair);
    }
    Slot *slot = slotOf(container);
    *slot = {container, index};
    used_++;
    return &slot->index;
  }
};

// MARK: Parsing

}  // namespace

// Of a small document, `tape` and `strings` lie in the same block as this; of a large one, each in
// a block of its own.
struct csj_document {
  uint64_t *tape;
  uint8_t *strings;
  size_t tapeLength;
  size_t stringBytes;
  bool isOneBlock;
  // The only part that changes; null until a large container is searched.
  mutable std::atomic<Indexes *> indexes;
  std::atomic<size_t> owners;
};

namespace {

// Of all documents, without their indices.
std::atomic<size_t> totalBytes{0};

size_t ownBytes(const csj_document *document) {
  return sizeof(csj_document) + document->tapeLength * sizeof(uint64_t) + document->stringBytes;
}

csj_document *counted(csj_document *document) {
  totalBytes.fetch_add(ownBytes(document), std::memory_order_relaxed);
  return document;
}

// What a thread keeps to parse with.
class Parser {
 public:
  csj_document *parse(const uint8_t *bytes, size_t length, csj_error *error) {
    csj_document *document = parseBytes(bytes, length, error);
    size_t kept = text_.size() + widened_.size() + tape_.size() + strings_.size();
    // The implementation holds four bytes of structural index per byte of capacity.
    if (implementation_) kept += 4 * implementation_->capacity();
    if (kept > keptBytes) {
      implementation_.reset();
      text_.release();
      widened_.release();
      tape_.release();
      strings_.release();
    }
    return document;
  }

 private:
  std::unique_ptr<Implementation> implementation_;
  // A padded or transcoded copy of the input.
  Buffer text_;
  // The input again, after NUMBER_ERROR.
  Buffer widened_;
  // Where small documents are parsed to.
  Buffer tape_;
  Buffer strings_;

  csj_document *outOfMemory(csj_error *error) {
    return fail(error, CSJ_OUT_OF_MEMORY, "out of memory", -1);
  }

  csj_document *parseBytes(const uint8_t *bytes, size_t length, csj_error *error) {
    if (length > largestText) {
      return fail(error, CSJ_TOO_LARGE, "the text is larger than 4 GB", -1);
    }
    Encoding encoding = encodingOf(bytes, length);
    if (encoding.unit > 1) return parseWide(bytes, length, encoding, error);

    Text text = {bytes + encoding.mark, length - encoding.mark};
    if (text.length <= smallText || !isPadded(text)) {
      if (!text_.reserve(text.length + SIMDJSON_PADDING)) return outOfMemory(error);
      // An empty input may come with a null pointer, which memcpy must not see.
      if (text.length > 0) std::memcpy(text_.bytes(), text.bytes, text.length);
      std::memset(text_.bytes() + text.length, 0, SIMDJSON_PADDING);
      text.bytes = text_.bytes();
    }
    return parseText(text, int64_t(encoding.mark), error);
  }

  // Whether simdjson may read its padding behind the text where it lies: it ignores what is there,
  // and within a page that holds a byte of the text all bytes are readable.
  static bool isPadded(Text text) {
    constexpr uintptr_t smallestPage = 4096;
    uintptr_t last = reinterpret_cast<uintptr_t>(text.bytes + text.length - 1);
    return last / smallestPage == (last + SIMDJSON_PADDING) / smallestPage;
  }

  csj_document *parseWide(
    const uint8_t *bytes, size_t length, Encoding encoding, csj_error *error) {
    size_t room = length / 2 * 3 + 3;
    if (room > largestText) {
      return fail(error, CSJ_TOO_LARGE, "the text is larger than 4 GB", -1);
    }
    if (!text_.reserve(room + SIMDJSON_PADDING)) return outOfMemory(error);
    int64_t invalid;
    size_t written = transcode(bytes, length, encoding, text_.bytes(), &invalid);
    if (invalid >= 0) {
      const char *message = encoding.unit == 2 ? "invalid UTF-16" : "invalid UTF-32";
      return fail(error, CSJ_MALFORMED, message, invalid);
    }
    std::memset(text_.bytes() + written, 0, SIMDJSON_PADDING);
    return parseText({text_.bytes(), written}, -1, error);
  }

  // `origin` is where the text begins in the input, or -1 if offsets would not fit it.
  csj_document *parseText(Text text, int64_t origin, csj_error *error) {
    Text parsed = text;
    const Text *original = nullptr;
    // simdjson counts non-empty levels only: at its limit of 1,000 it refuses a non-empty
    // thousandth level, and accepts an empty one, so what it accepts is always right. (JSN-14)
    size_t depth = CSJ_MAX_DEPTH;
    csj_document *document = nullptr;
    error_code code = parseOnce(parsed, original, depth, &document);
    while (code != simdjson::SUCCESS) {
      if (code == simdjson::NUMBER_ERROR && parsed.bytes == text.bytes) {
        if (!widened_.reserve(widenedLength(text.length) + SIMDJSON_PADDING)) {
          code = simdjson::MEMALLOC;
          break;
        }
        size_t written = widen(text, widened_.bytes());
        if (written == 0) break;
        std::memset(widened_.bytes() + written, 0, SIMDJSON_PADDING);
        parsed = {widened_.bytes(), written};
        original = &text;
      } else if (code == simdjson::DEPTH_ERROR && depth == CSJ_MAX_DEPTH) {
        if (Diagnosis(text).run().message != nullptr) break;
        depth = CSJ_MAX_DEPTH + 1;
      } else {
        break;
      }
      code = parseOnce(parsed, original, depth, &document);
    }
    if (code == simdjson::SUCCESS) return document;
    if (code == simdjson::MEMALLOC) return outOfMemory(error);
    if (code == simdjson::CAPACITY) {
      return fail(error, CSJ_TOO_LARGE, "the text is larger than 4 GB", -1);
    }

    Finding finding = Diagnosis(text).run();
    if (finding.message != nullptr) {
      int64_t offset = origin >= 0 ? origin + int64_t(finding.offset) : -1;
      return fail(error, finding.code, finding.message, offset);
    }
    return fail(error, CSJ_MALFORMED, "malformed", -1);
  }

  // Makes the implementation ready for a text of that length.
  error_code prepare(size_t length, size_t depth) {
    // In powers of two, so that texts of growing sizes do not reallocate each time.
    size_t capacity = 4096;
    while (capacity < length) capacity *= 2;
    if (capacity > smallText) capacity = length;
    if (!implementation_ || capacity > implementation_->capacity()) {
      // For the index of tokens, of four bytes each, whose predecessor goes only afterwards.
      if (!lull_ledger_ask(4 * capacity)) return simdjson::MEMALLOC;
    }
    error_code code;
    if (!implementation_) {
      code = simdjson::get_active_implementation()->create_dom_parser_implementation(
        capacity, depth, implementation_);
    } else {
      if (capacity < implementation_->capacity()) capacity = implementation_->capacity();
      code = implementation_->allocate(capacity, depth);
    }
    if (!code && capacity >= largePage) {
      preferLargePages(implementation_->structural_indexes.get(), 4 * capacity);
    }
    return code;
  }

  // One run of simdjson, whose two stages are called one by one: after the first the number of
  // tokens is known, and with it how little memory the second can need. `original` is the text before it
  // was widened, NULL if it was not.
  error_code parseOnce(
    Text text, const Text *original, size_t depth, csj_document **document) {
    error_code code = prepare(text.length, depth);
    if (code) return code;
    code = implementation_->stage1(text.bytes, text.length, simdjson::stage1_mode::regular);
    if (code) return code;

    // A token takes two words at most (a number), and a text of n bytes fills n + 1 of them; the
    // root takes two. A string takes its bytes between quotes and five more, and between two
    // strings there is always another token; simdjson writes it in whole vectors.
    size_t tokens = implementation_->n_structural_indexes;
    size_t words = std::min(text.length + 3, 2 * tokens + 3);
    size_t strings = text.length + 3 * (tokens / 2 + 1) + 2 * SIMDJSON_PADDING;
    size_t kept = original != nullptr ? digitBytes(*original) : 0;
    strings += kept;

    Buffer ownTape, ownStrings;
    bool isSmall = text.length <= smallText;
    Buffer &tape = isSmall ? tape_ : ownTape;
    Buffer &stringBytes = isSmall ? strings_ : ownStrings;
    if (!tape.reserve(words * sizeof(uint64_t)) || !stringBytes.reserve(strings)) {
      return simdjson::MEMALLOC;
    }
    {
      // Lends the buffers to simdjson's document for the time of stage 2. They are taken back
      // before its destructor could hand malloc's memory to delete.
      simdjson::dom::document lent;
      lent.tape.reset(reinterpret_cast<uint64_t *>(tape.bytes()));
      lent.string_buf.reset(stringBytes.bytes());
      code = implementation_->stage2(lent);
      (void)lent.tape.release();
      (void)lent.string_buf.release();
    }
    if (code) return code;

    size_t tapeLength = size_t(tapeOf(tape)[0] & simdjson::internal::JSON_VALUE_MASK);
    size_t used = usedStrings(text, tapeOf(tape), tapeLength, stringBytes.bytes());
    if (original != nullptr) {
      // Never: there is room for them.
      if (used + kept + 1 > stringBytes.size()) return simdjson::MEMALLOC;
      keepDigits(*original, tapeOf(tape), tapeLength, stringBytes.bytes(), used);
      used += kept;
    }
    *document = isSmall ? copied(tapeLength, used) : adopted(tape, tapeLength, stringBytes, used);
    return *document != nullptr ? simdjson::SUCCESS : simdjson::MEMALLOC;
  }

  static uint64_t *tapeOf(const Buffer &buffer) {
    return reinterpret_cast<uint64_t *>(buffer.bytes());
  }

  // How much of the string buffer stage 2 filled. It does not say, but the last string on the tape
  // does, and the tokens behind the last string in the text tell where that is.
  size_t usedStrings(Text text, const uint64_t *tape, size_t tapeLength, const uint8_t *strings) {
    size_t index = tapeLength - 1;
    for (size_t token = implementation_->n_structural_indexes; token-- > 0;) {
      uint8_t byte = text.bytes[implementation_->structural_indexes[token]];
      if (byte == ',' || byte == ':') continue;
      bool isNumber = byte == '-' || (byte >= '0' && byte <= '9');
      index -= isNumber ? 2 : 1;
      if (byte != '"') continue;
      uint64_t offset = tape[index] & simdjson::internal::JSON_VALUE_MASK;
      uint32_t length;
      std::memcpy(&length, strings + offset, sizeof length);
      return size_t(offset) + sizeof length + length + 1;
    }
    return 0;
  }

  csj_document *copied(size_t tapeLength, size_t stringBytes) {
    size_t tapeBytes = tapeLength * sizeof(uint64_t);
    auto *block = static_cast<uint8_t *>(
      std::malloc(sizeof(csj_document) + tapeBytes + stringBytes));
    if (block == nullptr) return nullptr;
    auto *tape = reinterpret_cast<uint64_t *>(block + sizeof(csj_document));
    uint8_t *strings = block + sizeof(csj_document) + tapeBytes;
    std::memcpy(tape, tape_.bytes(), tapeBytes);
    std::memcpy(strings, strings_.bytes(), stringBytes);
    return counted(
      new (block) csj_document{tape, strings, tapeLength, stringBytes, true, {nullptr}, {1}});
  }

  csj_document *adopted(Buffer &tape, size_t tapeLength, Buffer &strings, size_t stringBytes) {
    auto *block = std::malloc(sizeof(csj_document));
    if (block == nullptr) return nullptr;
    auto *words = reinterpret_cast<uint64_t *>(tape.take(tapeLength * sizeof(uint64_t)));
    // Never nothing: shrinking to no bytes would free the block.
    uint8_t *bytes = strings.take(stringBytes + 1);
    return counted(
      new (block) csj_document{words, bytes, tapeLength, stringBytes + 1, false, {nullptr}, {1}});
  }
};

// One per thread, since a parser is neither cheap to make nor safe to share.
thread_local Parser parser;

// A process that is left by exit() destroys simdjson's own objects while other threads may be parsing
// with them. Those end first, and no thread begins any more.
std::atomic<int> parsesUnderWay{0};
std::atomic<bool> isProcessEnding{false};

struct EndOfParsing {
  ~EndOfParsing() {
    isProcessEnding = true;
    while (parsesUnderWay > 0) usleep(100);
  }
};

// What is made later is destroyed earlier: simdjson makes its objects when it is asked for its name.
void endParsingBeforeTheProcess() {
  simdjson::get_active_implementation()->name();
  static EndOfParsing end;
}

}  // namespace

void csj_prepare_for_threads(void) { endParsingBeforeTheProcess(); }

const char *csj_version(void) {
  static thread_local char text[32];
  std::snprintf(
    text, sizeof text, "%d.%d.%d", int(simdjson::SIMDJSON_VERSION_MAJOR),
    int(simdjson::SIMDJSON_VERSION_MINOR), int(simdjson::SIMDJSON_VERSION_REVISION));
  return text;
}

csj_document *csj_parse(const uint8_t *bytes, size_t length, csj_error *error) {
  parsesUnderWay.fetch_add(1);
  csj_document *document =
    isProcessEnding ? fail(error, CSJ_OUT_OF_MEMORY, "the process is ending", -1)
                    : parser.parse(bytes, length, error);
  parsesUnderWay.fetch_sub(1);
  return document;
}

namespace {

// Texts up to here are looked at one character after the other: calling simdjson is not worth it.
constexpr size_t shortText = 64;

bool isUTF8OneByOne(const uint8_t *bytes, size_t length) {
  size_t at = 0;
  while (at < length) {
    uint64_t word;
    if (at + sizeof word <= length) {
      std::memcpy(&word, bytes + at, sizeof word);
      if ((word & 0x8080808080808080u) == 0) {
        at += sizeof word;
        continue;
      }
    }
    size_t count = csj_utf8_sequence(bytes + at, length - at);
    if (count == 0) return false;
    at += count;
  }
  return true;
}

}  // namespace

int csj_is_utf8(const uint8_t *bytes, size_t length) {
  if (length <= shortText) return isUTF8OneByOne(bytes, length);
  parsesUnderWay.fetch_add(1);
  bool isValid = isProcessEnding
    ? isUTF8OneByOne(bytes, length)
    : simdjson::validate_utf8(reinterpret_cast<const char *>(bytes), length);
  parsesUnderWay.fetch_sub(1);
  return isValid;
}

void csj_retain(csj_document *document) {
  document->owners.fetch_add(1, std::memory_order_relaxed);
}

void csj_free(csj_document *document) {
  if (document == nullptr) return;
  if (document->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  totalBytes.fetch_sub(ownBytes(document), std::memory_order_relaxed);
  delete document->indexes.load(std::memory_order_acquire);
  if (!document->isOneBlock) {
    std::free(document->tape);
    std::free(document->strings);
  }
  std::free(document);
}

size_t csj_bytes(const csj_document *document) {
  Indexes *indexes = document->indexes.load(std::memory_order_acquire);
  return ownBytes(document) + (indexes != nullptr ? indexes->bytes() : 0);
}

size_t csj_total_bytes(void) { return totalBytes.load(std::memory_order_relaxed); }

csj_view csj_document_view(const csj_document *document) {
  return {document->tape, document->strings, document->tapeLength};
}

double csj_double_of_digits(const char *digits) {
  return doubleOf(digits, digits + std::strlen(digits));
}

int csj_compare_digits(const char *one, size_t length, const char *other, size_t otherLength) {
  const char *end = one + length, *otherEnd = other + otherLength;
  int sign = *one == '-' ? -1 : 1;
  if (sign != (*other == '-' ? -1 : 1)) return sign;
  int64_t power = magnitude(one, end), otherPower = magnitude(other, otherEnd);
  if (power != otherPower) return power < otherPower ? -sign : sign;
  // The next digit behind zeros at the start; '0' behind the last one.
  auto next = [](const char *&at, const char *end, bool &isFound) {
    while (at < end && (*at == '-' || *at == '.' || (*at == '0' && !isFound))) at++;
    isFound = true;
    return at == end || *at == 'e' || *at == 'E' ? '0' : *at++;
  };
  auto isOver = [](const char *at, const char *end) { return at == end || (*at | 32) == 'e'; };
  bool isFound = false, isOtherFound = false;
  while (!isOver(one, end) || !isOver(other, otherEnd)) {
    char digit = next(one, end, isFound), otherDigit = next(other, otherEnd, isOtherFound);
    if (digit != otherDigit) return digit < otherDigit ? -sign : sign;
  }
  return 0;
}

const char *csj_digits_at(
  csj_view view, size_t index, char buffer[CSJ_DIGITS_SIZE], size_t *length) {
  uint64_t word = view.tape[index + 1];
  switch (char(view.tape[index] >> 56)) {
    case 'u': {
      auto end = std::to_chars(buffer, buffer + CSJ_DIGITS_SIZE - 1, word).ptr;
      *end = 0;
      *length = size_t(end - buffer);
      return buffer;
    }
    case 'i': {
      uint32_t count;
      std::memcpy(&count, view.strings + word, sizeof count);
      *length = count;
      return reinterpret_cast<const char *>(view.strings + word + sizeof count);
    }
    default: return nullptr;
  }
}

size_t csj_pairs(csj_view view, size_t object, csj_pair *pairs) {
  size_t members = csj_count(view, object);
  csj_pair *sorted = members > walkedChildren ? sortedMembers(view, object, members) : nullptr;
  size_t count = 0;
  if (sorted != nullptr) {
    for (size_t member = 0; member < members; member++) {
      if (member > 0 && csj_same_string(view, sorted[member].key, pairs[count - 1].key)) {
        pairs[count - 1].value = sorted[member].value;
      } else {
        pairs[count++] = sorted[member];
      }
    }
    std::free(sorted);
    std::sort(pairs, pairs + count, [](const csj_pair &one, const csj_pair &other) {
      return one.key < other.key;
    });
    return count;
  }
  size_t end = csj_end(view, object);
  for (size_t key = csj_first(view, object); key < end;) {
    size_t value = key + 1;
    size_t same = 0;
    while (same < count && !csj_same_string(view, pairs[same].key, uint32_t(key))) same++;
    if (same == count) pairs[count++].key = uint32_t(key);
    pairs[same].value = uint32_t(value);
    key = csj_after(view, value);
  }
  return count;
}

namespace {

// The index of a container, of an array at least up to `position`, or false when out of memory:
// then a walk must do.
bool indexOf(
  const csj_document *document, size_t container, size_t position, ContainerIndex *index) {
  Indexes *indexes = document->indexes.load(std::memory_order_acquire);
  if (indexes == nullptr) {
    auto *fresh = new (std::nothrow) Indexes;
    if (fresh == nullptr) return false;
    // Another thread may have been quicker; its indices count.
    if (document->indexes.compare_exchange_strong(indexes, fresh)) {
      indexes = fresh;
    } else {
      delete fresh;
    }
  }
  return indexes->get(csj_document_view(document), container, position, index);
}

}  // namespace

size_t csj_member(const csj_document *document, size_t object, const char *key, size_t length) {
  csj_view view = csj_document_view(document);
  auto order = [&](size_t member) {
    size_t memberLength;
    const char *bytes = csj_string_at(view, member, &memberLength);
    return compareKeys(bytes, memberLength, key, length);
  };
  ContainerIndex index;
  if (csj_count(view, object) > walkedChildren && indexOf(document, object, 0, &index)) {
    // The first member beyond the key: the one before is the last of that key, if there is any.
    csj_pair *end = index.members + index.count;
    csj_pair *beyond = std::partition_point(
      index.members, end, [&](const csj_pair &member) { return order(member.key) <= 0; });
    if (beyond == index.members || order(beyond[-1].key) != 0) return 0;
    return beyond[-1].value;
  }
  size_t found = 0;
  size_t end = csj_end(view, object);
  for (size_t member = csj_first(view, object); member < end;) {
    if (order(member) == 0) found = member + 1;
    member = csj_after(view, member + 1);
  }
  return found;
}

size_t csj_element(const csj_document *document, size_t array, size_t position) {
  csj_view view = csj_document_view(document);
  ContainerIndex index;
  if (position > walkedChildren && position < csj_count(view, array)
      && indexOf(document, array, position, &index)) {
    return index.elements[position];
  }
  size_t end = csj_end(view, array);
  size_t element = csj_first(view, array);
  for (size_t walked = 0; walked < position && element < end; walked++) {
    element = csj_after(view, element);
  }
  return element < end ? element : 0;
}
