#include "csj_writer.h"

#include "csj_utf8.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

csj_writer csj_writer_make(int is_pretty, csj_digits digits, size_t largest, size_t room) {
  csj_writer writer = {};
  writer.largest = largest;
  writer.room = room;
  writer.digits = digits;
  writer.is_pretty = is_pretty != 0;
  return writer;
}

void csj_writer_release(csj_writer *writer) {
  std::free(writer->bytes);
  std::free(writer->pairs);
  writer->bytes = nullptr;
  writer->pairs = nullptr;
  writer->length = writer->capacity = writer->pair_count = writer->pair_capacity = 0;
}

char *csj_writer_take(csj_writer *writer, size_t *length) {
  char *bytes = writer->bytes;
  *length = writer->length;
  writer->bytes = nullptr;
  csj_writer_release(writer);
  return bytes;
}

namespace {

// Makes room for so many bytes more; false if there is a problem.
bool grow(csj_writer *writer, size_t count) {
  if (writer->problem != CSJ_WRITER_FINE) return false;
  if (count > writer->largest || writer->length > writer->largest - count) {
    writer->problem = CSJ_WRITER_TOO_LARGE;
    return false;
  }
  size_t capacity = writer->capacity != 0 ? writer->capacity * 2 : 256;
  while (capacity < writer->length + count) capacity *= 2;
  if (capacity > writer->room) {
    writer->problem = CSJ_WRITER_NO_ROOM;
    return false;
  }
  auto *larger = static_cast<char *>(std::realloc(writer->bytes, capacity));
  if (larger == nullptr) {
    writer->problem = CSJ_WRITER_OUT_OF_MEMORY;
    return false;
  }
  writer->bytes = larger;
  writer->capacity = capacity;
  return true;
}

inline bool reserve(csj_writer *writer, size_t count) {
  if (writer->problem == CSJ_WRITER_FINE && writer->capacity - writer->length >= count) return true;
  return grow(writer, count);
}

inline void put(csj_writer *writer, const char *bytes, size_t count) {
  // What is empty may come with a null pointer, which memcpy must not see.
  if (count == 0 || !reserve(writer, count)) return;
  std::memcpy(writer->bytes + writer->length, bytes, count);
  writer->length += count;
}

inline void put(csj_writer *writer, char byte) {
  if (reserve(writer, 1)) writer->bytes[writer->length++] = byte;
}

void breakLine(csj_writer *writer) {
  if (!writer->is_pretty) return;
  size_t count = 1 + 2 * size_t(writer->depth);
  if (!reserve(writer, count)) return;
  char *line = writer->bytes + writer->length;
  *line = '\n';
  std::memset(line + 1, ' ', count - 1);
  writer->length += count;
}

// Before every element of an array and every key of an object.
inline void beginValue(csj_writer *writer) {
  if (writer->is_behind_key) {
    writer->is_behind_key = 0;
    return;
  }
  if (writer->depth == 0) return;
  if (!writer->is_first) put(writer, ',');
  writer->is_first = 0;
  breakLine(writer);
}

// How many bytes stand before the next one that JSON wants escaped.
size_t plainPrefix(const char *text, size_t length) {
  constexpr uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
  size_t at = 0;
  // Eight at a time: whether any is below 0x20, a quote or a backslash. Where the high bit is set
  // nothing is wanted, and subtracting borrows only from bytes beyond the first one found.
  for (; at + 8 <= length; at += 8) {
    uint64_t word;
    std::memcpy(&word, text + at, sizeof word);
    uint64_t quotes = word ^ (ones * '"'), backslashes = word ^ (ones * '\\');
    uint64_t found = (word - ones * 0x20) | (quotes - ones) | (backslashes - ones);
    if ((found & ~word & highs) != 0) break;
  }
  for (; at < length; at++) {
    auto byte = uint8_t(text[at]);
    if (byte < 0x20 || byte == '"' || byte == '\\') break;
  }
  return at;
}

void putEscape(csj_writer *writer, uint8_t byte) {
  switch (byte) {
    case '"': return put(writer, "\\\"", 2);
    case '\\': return put(writer, "\\\\", 2);
    case '\b': return put(writer, "\\b", 2);
    case '\f': return put(writer, "\\f", 2);
    case '\n': return put(writer, "\\n", 2);
    case '\r': return put(writer, "\\r", 2);
    case '\t': return put(writer, "\\t", 2);
    default: {
      const char *digits = "0123456789abcdef";
      char escape[] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
      return put(writer, escape, sizeof escape);
    }
  }
}

size_t putString(csj_writer *writer, const char *text, size_t length, int isValid) {
  if (!isValid && !csj_is_utf8(reinterpret_cast<const uint8_t *>(text), length)) {
    if (writer->problem == CSJ_WRITER_FINE) writer->problem = CSJ_WRITER_INVALID_UTF8;
    return 0;
  }
  put(writer, '"');
  size_t start = writer->length;
  for (;;) {
    size_t plain = plainPrefix(text, length);
    put(writer, text, plain);
    if (plain == length) break;
    putEscape(writer, uint8_t(text[plain]));
    text += plain + 1;
    length -= plain + 1;
  }
  put(writer, '"');
  return start;
}

}  // namespace

int csj_writer_can_nest(csj_writer *writer) {
  if (writer->depth < CSJ_MAX_DEPTH) return 1;
  if (writer->problem == CSJ_WRITER_FINE) writer->problem = CSJ_WRITER_TOO_DEEP;
  return 0;
}

void csj_write_begin(csj_writer *writer, char bracket) {
  beginValue(writer);
  put(writer, bracket);
  writer->depth++;
  writer->is_first = 1;
}

void csj_write_end(csj_writer *writer, char bracket) {
  writer->depth--;
  if (!writer->is_first) breakLine(writer);
  writer->is_first = 0;
  put(writer, bracket);
}

void csj_write_null(csj_writer *writer) { csj_write_raw(writer, "null", 4); }

void csj_write_bool(csj_writer *writer, int value) {
  csj_write_raw(writer, value ? "true" : "false", value ? 4 : 5);
}

void csj_write_int(csj_writer *writer, int64_t value) {
  char text[24];
  auto end = std::to_chars(text, text + sizeof text, value);
  csj_write_raw(writer, text, size_t(end.ptr - text));
}

void csj_write_double(csj_writer *writer, double value) {
  char text[CSJ_DOUBLE_SIZE];
  csj_write_raw(writer, text, csj_double_text(value, writer->digits, text));
}

size_t csj_write_string(csj_writer *writer, const char *text, size_t length, int is_valid) {
  beginValue(writer);
  return putString(writer, text, length, is_valid);
}

void csj_write_key(csj_writer *writer, const char *text, size_t length, int is_valid) {
  csj_write_string(writer, text, length, is_valid);
  csj_write_colon(writer);
}

void csj_write_raw(csj_writer *writer, const char *text, size_t length) {
  beginValue(writer);
  put(writer, text, length);
}

void csj_write_colon(csj_writer *writer) {
  put(writer, ": ", writer->is_pretty ? 2 : 1);
  writer->is_behind_key = 1;
}

// MARK: Documents

namespace {

// Makes room for so many pairs more; false if there is a problem.
bool reservePairs(csj_writer *writer, size_t count) {
  size_t needed = writer->pair_count + count;
  if (needed <= writer->pair_capacity) return true;
  size_t capacity = std::max(needed, std::max<size_t>(64, 2 * writer->pair_capacity));
  auto *larger =
    static_cast<csj_pair *>(std::realloc(writer->pairs, capacity * sizeof(csj_pair)));
  if (larger == nullptr) {
    writer->problem = CSJ_WRITER_OUT_OF_MEMORY;
    return false;
  }
  writer->pairs = larger;
  writer->pair_capacity = capacity;
  return true;
}

// What a value of a document is written with.
struct Source {
  csj_writer *writer;
  csj_view view;
  csj_spelling spelling;
  void *context;
};

void writeValue(const Source &source, size_t index);

void writeElements(const Source &source, size_t index) {
  csj_writer *writer = source.writer;
  if (!csj_writer_can_nest(writer)) return;
  csj_write_begin(writer, '[');
  size_t end = csj_end(source.view, index);
  size_t element = csj_first(source.view, index);
  while (element < end && writer->problem == CSJ_WRITER_FINE) {
    writeValue(source, element);
    element = csj_after(source.view, element);
  }
  csj_write_end(writer, ']');
}

void writeMembers(const Source &source, size_t index) {
  csj_writer *writer = source.writer;
  if (!csj_writer_can_nest(writer)) return;
  if (!reservePairs(writer, csj_count(source.view, index))) return;
  size_t first = writer->pair_count;
  size_t count = csj_pairs(source.view, index, writer->pairs + first);
  writer->pair_count += count;
  csj_write_begin(writer, '{');
  for (size_t i = 0; i < count && writer->problem == CSJ_WRITER_FINE; i++) {
    // Those of inner objects may move them.
    csj_pair member = writer->pairs[first + i];
    size_t length;
    const char *key = csj_string_at(source.view, member.key, &length);
    csj_write_key(writer, key, length, 1);
    writeValue(source, member.value);
  }
  csj_write_end(writer, '}');
  writer->pair_count = first;
}

void writeValue(const Source &source, size_t index) {
  csj_writer *writer = source.writer;
  csj_view view = source.view;
  csj_type type = csj_type_at(view, index);
  size_t length;
  if (source.spelling != nullptr && (type == CSJ_INT || type == CSJ_DOUBLE)) {
    const char *digits = source.spelling(source.context, index, &length);
    if (digits != nullptr) return csj_write_raw(writer, digits, length);
  }
  switch (type) {
    case CSJ_NULL: return csj_write_null(writer);
    case CSJ_FALSE: return csj_write_bool(writer, 0);
    case CSJ_TRUE: return csj_write_bool(writer, 1);
    case CSJ_INT: return csj_write_int(writer, csj_int_at(view, index));
    case CSJ_DOUBLE: {
      char buffer[CSJ_DIGITS_SIZE];
      const char *digits = csj_digits_at(view, index, buffer, &length);
      if (digits != nullptr) return csj_write_raw(writer, digits, length);
      return csj_write_double(writer, csj_double_at(view, index));
    }
    case CSJ_STRING: {
      const char *text = csj_string_at(view, index, &length);
      csj_write_string(writer, text, length, 1);
      return;
    }
    case CSJ_ARRAY: return writeElements(source, index);
    case CSJ_OBJECT: return writeMembers(source, index);
  }
}

}  // namespace

void csj_write_value(
  csj_writer *writer, csj_view view, size_t index, csj_spelling spelling, void *context) {
  writeValue({writer, view, spelling, context}, index);
}

// MARK: Numbers

namespace {

// A number as digits without zeros at the end, and the power of ten of the first one.
struct Decimal {
  char digits[20];
  size_t count;
  int exponent;
  bool isNegative;
};

// The shortest digits that read back the same.
Decimal shortest(double value) {
  Decimal decimal = {};
  char text[32];
  auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  const char *at = text;
  if (*at == '-') {
    decimal.isNegative = true;
    at++;
  }
  for (; at < end && *at != 'e'; at++) {
    if (*at != '.') decimal.digits[decimal.count++] = *at;
  }
  bool isBelow = at + 1 < end && at[1] == '-';
  for (at += 2; at < end; at++) decimal.exponent = decimal.exponent * 10 + (*at - '0');
  if (isBelow) decimal.exponent = -decimal.exponent;
  return decimal;
}

char *putDigits(char *next, const char *digits, size_t count) {
  std::memcpy(next, digits, count);
  return next + count;
}

char *putZeros(char *next, int count) {
  for (int i = 0; i < count; i++) *next++ = '0';
  return next;
}

// 1.25e-07
char *putScientific(char *next, const Decimal &decimal) {
  *next++ = decimal.digits[0];
  if (decimal.count > 1) {
    *next++ = '.';
    next = putDigits(next, decimal.digits + 1, decimal.count - 1);
  }
  *next++ = 'e';
  *next++ = decimal.exponent < 0 ? '-' : '+';
  int exponent = std::abs(decimal.exponent);
  if (exponent < 10) *next++ = '0';
  return std::to_chars(next, next + 4, exponent).ptr;
}

// 125.0, 0.00125
char *putPlain(char *next, const Decimal &decimal) {
  if (decimal.exponent < 0) {
    next = putDigits(next, "0.", 2);
    next = putZeros(next, -decimal.exponent - 1);
    return putDigits(next, decimal.digits, decimal.count);
  }
  size_t whole = size_t(decimal.exponent) + 1;
  next = putDigits(next, decimal.digits, std::min(whole, decimal.count));
  if (whole >= decimal.count) {
    next = putZeros(next, int(whole - decimal.count));
    return putDigits(next, ".0", 2);
  }
  *next++ = '.';
  return putDigits(next, decimal.digits + whole, decimal.count - whole);
}

// As C has it, slowly.
size_t printed(double value, char *text) {
  for (int digits = 15; digits <= 17; digits++) {
    std::snprintf(text, CSJ_DOUBLE_SIZE, "%.*g", digits, value);
    // The decimal point of the locale, whatever the script has set.
    if (std::strtod(text, nullptr) == value) break;
  }
  bool isWhole = true;
  for (char *byte = text; *byte != 0; byte++) {
    if (*byte == ',') *byte = '.';
    if (*byte == '.' || *byte == 'e') isWhole = false;
  }
  size_t length = std::strlen(text);
  if (!isWhole) return length;
  std::memcpy(text + length, ".0", 2);
  return length + 2;
}

// Whether rounding to as many digits as it takes gives the shortest ones: not of the smallest numbers,
// which have fewer, and not of powers of two, whose neighbours are at two distances.
bool isPrintedShortest(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint64_t exponent = bits >> 52 & 0x7FF, fraction = bits & 0x000FFFFFFFFFFFFFu;
  return value == 0 || (exponent != 0 && fraction != 0);
}

}  // namespace

size_t csj_double_text(double value, csj_digits digits, char text[CSJ_DOUBLE_SIZE]) {
  if (digits == CSJ_PRINTF_DIGITS && !isPrintedShortest(value)) return printed(value, text);
  Decimal decimal = shortest(value);
  bool isLarge = digits == CSJ_SHORTEST_DIGITS
    ? value > 0x1p53 || value < -0x1p53
    : decimal.exponent >= int(std::max<size_t>(15, decimal.count));
  char *next = text;
  if (decimal.isNegative) *next++ = '-';
  next = isLarge || decimal.exponent < -4 ? putScientific(next, decimal) : putPlain(next, decimal);
  return size_t(next - text);
}
