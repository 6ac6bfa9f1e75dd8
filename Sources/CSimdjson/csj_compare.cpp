#include "csj_compare.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

csj_atom csj_atom_at(csj_view view, size_t index) {
  csj_atom atom = {csj_type_at(view, index), 0, 0, nullptr, 0, 0};
  switch (atom.type) {
    case CSJ_INT: atom.integer = csj_int_at(view, index); break;
    case CSJ_DOUBLE: {
      atom.number = csj_double_at(view, index);
      char buffer[CSJ_DIGITS_SIZE];
      const char *digits = csj_digits_at(view, index, buffer, &atom.length);
      if (digits == buffer) {
        atom.unsigned_integer = view.tape[index + 1];
      } else {
        atom.text = digits;
      }
      break;
    }
    case CSJ_STRING: atom.text = csj_string_at(view, index, &atom.length); break;
    default: break;
  }
  return atom;
}

int csj_same_number(int64_t integer, double number) {
  // 2^63 is the first double beyond; what is none of these is no number at all.
  return number >= -0x1p63 && number < 0x1p63 && double(int64_t(number)) == number
    && int64_t(number) == integer;
}

namespace {

// The digits of a double that has some: an integer beyond int64, or beyond doubles; null for any other.
const char *digitsOf(const csj_atom &atom, char buffer[CSJ_DIGITS_SIZE], size_t *length) {
  *length = atom.length;
  if (atom.unsigned_integer == 0) return atom.text;
  auto end = std::to_chars(buffer, buffer + CSJ_DIGITS_SIZE, atom.unsigned_integer).ptr;
  *length = size_t(end - buffer);
  return buffer;
}

bool isLarge(const csj_atom &atom) {
  return atom.type == CSJ_DOUBLE && (atom.unsigned_integer != 0 || atom.text != nullptr);
}

// Whether an integer of these digits is a double's number, which is not rounded for it.
bool sameDigits(const char *digits, size_t length, double number) {
  if (!std::isfinite(number) || std::trunc(number) != number) return false;
  // A double has 309 digits at most, and a sign.
  char exact[320];
  int count = std::snprintf(exact, sizeof exact, "%.0f", number);
  return count > 0 && size_t(count) == length && std::memcmp(exact, digits, length) == 0;
}

bool sameDouble(const csj_atom &one, const csj_atom &other) {
  if (!isLarge(one) && !isLarge(other)) return one.number == other.number;
  char buffer[CSJ_DIGITS_SIZE], otherBuffer[CSJ_DIGITS_SIZE];
  size_t length, otherLength;
  const char *digits = digitsOf(one, buffer, &length);
  const char *otherDigits = digitsOf(other, otherBuffer, &otherLength);
  if (digits == nullptr) return sameDigits(otherDigits, otherLength, one.number);
  if (otherDigits == nullptr) return sameDigits(digits, length, other.number);
  return csj_compare_digits(digits, length, otherDigits, otherLength) == 0;
}

}  // namespace

int csj_same_atom(csj_atom one, csj_atom other) {
  if (one.type == CSJ_INT && other.type == CSJ_DOUBLE) {
    return !isLarge(other) && csj_same_number(one.integer, other.number);
  }
  if (one.type == CSJ_DOUBLE && other.type == CSJ_INT) {
    return !isLarge(one) && csj_same_number(other.integer, one.number);
  }
  if (one.type != other.type) return 0;
  switch (one.type) {
    case CSJ_NULL:
    case CSJ_FALSE:
    case CSJ_TRUE: return 1;
    case CSJ_INT: return one.integer == other.integer;
    case CSJ_DOUBLE: return sameDouble(one, other);
    case CSJ_STRING:
      return one.length == other.length
        && (one.length == 0 || std::memcmp(one.text, other.text, one.length) == 0);
    default: return 0;
  }
}

namespace {

bool sameElements(
  const csj_document *one, size_t index, const csj_document *other, size_t otherIndex) {
  csj_view view = csj_document_view(one), otherView = csj_document_view(other);
  if (csj_count(view, index) != csj_count(otherView, otherIndex)) return false;
  size_t end = csj_end(view, index);
  size_t element = csj_first(view, index), otherElement = csj_first(otherView, otherIndex);
  while (element < end) {
    if (!csj_same_value(one, element, other, otherElement)) return false;
    element = csj_after(view, element);
    otherElement = csj_after(otherView, otherElement);
  }
  return true;
}

// The members of an object, each key once.
class Members {
 public:
  Members(csj_view view, size_t object) {
    size_t room = csj_count(view, object);
    if (room > sizeof few_ / sizeof few_[0]) {
      pairs_ = static_cast<csj_pair *>(std::malloc(room * sizeof(csj_pair)));
    }
    if (pairs_ != nullptr) count_ = csj_pairs(view, object, pairs_);
  }
  Members(const Members &) = delete;
  Members &operator=(const Members &) = delete;
  ~Members() {
    if (pairs_ != few_) std::free(pairs_);
  }

  bool exist() const { return pairs_ != nullptr; }
  size_t count() const { return count_; }
  const csj_pair *begin() const { return pairs_; }
  const csj_pair *end() const { return pairs_ + count_; }

 private:
  csj_pair few_[16];
  csj_pair *pairs_ = few_;
  size_t count_ = 0;
};

// How many members an object has, each key counted once; -1 when out of memory.
int64_t memberCount(csj_view view, size_t object) {
  Members members(view, object);
  return members.exist() ? int64_t(members.count()) : -1;
}

bool sameMembers(
  const csj_document *one, size_t index, const csj_document *other, size_t otherIndex) {
  csj_view view = csj_document_view(one);
  Members members(view, index);
  if (!members.exist()) return false;
  if (int64_t(members.count()) != memberCount(csj_document_view(other), otherIndex)) return false;
  for (const csj_pair &member : members) {
    size_t length;
    const char *key = csj_string_at(view, member.key, &length);
    size_t found = csj_member(other, otherIndex, key, length);
    if (found == 0 || !csj_same_value(one, member.value, other, found)) return false;
  }
  return true;
}

}  // namespace

int csj_same_value(
  const csj_document *one, size_t index, const csj_document *other, size_t other_index) {
  if (one == other && index == other_index) return 1;
  csj_view view = csj_document_view(one), otherView = csj_document_view(other);
  csj_type type = csj_type_at(view, index), otherType = csj_type_at(otherView, other_index);
  if (type == CSJ_ARRAY || type == CSJ_OBJECT) {
    if (type != otherType) return 0;
    return type == CSJ_ARRAY ? sameElements(one, index, other, other_index)
                             : sameMembers(one, index, other, other_index);
  }
  return csj_same_atom(csj_atom_at(view, index), csj_atom_at(otherView, other_index));
}

// MARK: JSON Pointer

const char *csj_pointer_token(
  const char **pointer, const char *end, char *buffer, size_t *length) {
  const char *from = *pointer + 1;
  auto *slash = static_cast<const char *>(std::memchr(from, '/', size_t(end - from)));
  const char *stop = slash != nullptr ? slash : end;
  *pointer = stop;
  *length = size_t(stop - from);
  if (std::memchr(from, '~', *length) == nullptr) return from;
  char *next = buffer;
  while (from < stop) {
    char byte = *from++;
    if (byte == '~') {
      if (from == stop || (*from != '0' && *from != '1')) return nullptr;
      byte = *from++ == '0' ? '~' : '/';
    }
    *next++ = byte;
  }
  *length = size_t(next - buffer);
  return buffer;
}

int64_t csj_pointer_position(const char *token, size_t length) {
  // No array has as many elements as 18 digits count.
  if (length == 0 || length > 18 || (length > 1 && token[0] == '0')) return -1;
  int64_t position = 0;
  for (size_t i = 0; i < length; i++) {
    if (token[i] < '0' || token[i] > '9') return -1;
    position = position * 10 + (token[i] - '0');
  }
  return position;
}

namespace {

size_t find(
  const csj_document *document, size_t index, const char *pointer, const char *end, char *buffer) {
  csj_view view = csj_document_view(document);
  while (pointer < end && index != 0) {
    size_t length;
    const char *token = csj_pointer_token(&pointer, end, buffer, &length);
    if (token == nullptr) return 0;
    switch (csj_type_at(view, index)) {
      case CSJ_OBJECT: index = csj_member(document, index, token, length); break;
      case CSJ_ARRAY: {
        int64_t position = csj_pointer_position(token, length);
        index = position < 0 ? 0 : csj_element(document, index, size_t(position));
        break;
      }
      default: return 0;
    }
  }
  return index;
}

}  // namespace

size_t csj_pointer_find(
  const csj_document *document, size_t index, const char *pointer, size_t length) {
  if (length == 0) return index;
  if (*pointer != '/') return 0;
  if (std::memchr(pointer, '~', length) == nullptr) {
    return find(document, index, pointer, pointer + length, nullptr);
  }
  auto *buffer = static_cast<char *>(std::malloc(length));
  if (buffer == nullptr) return 0;
  size_t found = find(document, index, pointer, pointer + length, buffer);
  std::free(buffer);
  return found;
}

size_t csj_pointer_append(
  char *pointer, size_t length, size_t size, const char *token, size_t token_length) {
  if (length + 1 < size) {
    pointer[length++] = '/';
    for (size_t i = 0; i < token_length; i++) {
      // RFC 6901, section 3.
      char byte = token[i];
      const char *escaped = byte == '~' ? "~0" : byte == '/' ? "~1" : nullptr;
      size_t count = escaped != nullptr ? 2 : 1;
      if (length + count >= size) break;
      std::memcpy(pointer + length, escaped != nullptr ? escaped : &byte, count);
      length += count;
    }
  }
  pointer[length] = 0;
  return length;
}
