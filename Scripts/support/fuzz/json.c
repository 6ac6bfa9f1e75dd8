// Called by libFuzzer with random bytes: parses JSON and visits everything. The JSON written from
// it must be the same when parsed again.
#include <csimdjson.h>
#include <csj_compare.h>
#include <csj_utf8.h>
#include <csj_writer.h>

#include <stdlib.h>

static volatile unsigned sum;

static void look(const csj_document *document, csj_view view, size_t index) {
  size_t length;
  switch (csj_type_at(view, index)) {
    case CSJ_INT: sum += (unsigned)csj_int_at(view, index); return;
    case CSJ_DOUBLE: {
      char buffer[CSJ_DIGITS_SIZE];
      const char *digits = csj_digits_at(view, index, buffer, &length);
      if ((digits != NULL) != csj_is_large(view, index)) abort();
      if (digits && (length < 19 || digits[length] != 0 || strtod(digits, NULL) != csj_double_at(view, index))) {
        abort();
      }
      sum += csj_double_at(view, index) > 0;
      return;
    }
    case CSJ_STRING: {
      const char *text = csj_string_at(view, index, &length);
      if (text[length] != 0) abort();
      return;
    }
    case CSJ_ARRAY: {
      size_t end = csj_end(view, index), position = 0;
      for (size_t at = csj_first(view, index); at < end; at = csj_after(view, at)) {
        if (csj_element(document, index, position++) != at) abort();
        look(document, view, at);
      }
      if (csj_element(document, index, position) != 0 || csj_count(view, index) != position) abort();
      return;
    }
    case CSJ_OBJECT: {
      size_t count = csj_count(view, index);
      csj_pair *pairs = malloc((count + 1) * sizeof *pairs);
      if (pairs == NULL) return;
      size_t different = csj_pairs(view, index, pairs);
      if (different > count) abort();
      for (size_t i = 0; i < different; i++) {
        const char *key = csj_string_at(view, pairs[i].key, &length);
        if (csj_member(document, index, key, length) != pairs[i].value) abort();
        look(document, view, pairs[i].value);
      }
      free(pairs);
      return;
    }
    default: return;
  }
}

// Both implementations of the check agree.
static void check_utf8(const uint8_t *bytes, size_t length) {
  size_t at = 0, step;
  while (at < length && (step = csj_utf8_sequence(bytes + at, length - at)) > 0) at += step;
  if ((at == length) != (csj_is_utf8(bytes, length) != 0)) abort();
}

static void rewrite(const csj_document *document, int is_pretty, csj_digits digits) {
  csj_writer writer = csj_writer_make(is_pretty, digits, SIZE_MAX, SIZE_MAX);
  csj_write_value(&writer, csj_document_view(document), CSJ_ROOT, NULL, NULL);
  size_t length;
  char *text = csj_writer_take(&writer, &length);
  if (writer.problem != CSJ_WRITER_FINE) abort();
  csj_error error;
  csj_document *again = csj_parse((const uint8_t *)text, length, &error);
  if (again == NULL || !csj_same_value(document, CSJ_ROOT, again, CSJ_ROOT)) abort();
  csj_free(again);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  check_utf8(bytes, length);
  csj_error error = {0};
  csj_document *document = csj_parse(bytes, length, &error);
  if (document == NULL) {
    // An error has a message, and a valid position in the text if the position is known.
    if (error.message == NULL || error.offset > (int64_t)length) abort();
    return 0;
  }
  look(document, csj_document_view(document), CSJ_ROOT);
  csj_pointer_find(document, CSJ_ROOT, (const char *)bytes, length);
  rewrite(document, length % 2, CSJ_SHORTEST_DIGITS);
  rewrite(document, length % 2, CSJ_PRINTF_DIGITS);
  csj_free(document);
  return 0;
}
