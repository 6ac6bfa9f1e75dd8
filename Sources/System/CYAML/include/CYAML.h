// Events of a YAML text by libyaml, loaded when the first text is read, because few programs read
// any.
#ifndef CYAML_H
#define CYAML_H

#include <stddef.h>
#include <stdint.h>

// The version of the library; NULL if it cannot be loaded, and why in `problem`. Any thread.
const char *cyaml_version(const char **problem);

typedef enum cyaml_kind {
  CYAML_END,
  CYAML_DOCUMENT,
  CYAML_ALIAS,
  CYAML_SCALAR,
  CYAML_SEQUENCE,
  CYAML_SEQUENCE_END,
  CYAML_MAPPING,
  CYAML_MAPPING_END,
  // The text is invalid; `problem` is the reason.
  CYAML_PROBLEM,
} cyaml_kind;

typedef struct cyaml_event {
  cyaml_kind kind;
  // The text of a scalar; not ended by a zero byte.
  const uint8_t *text;
  size_t length;
  // Whether it is written without quotes.
  int is_plain;
  // NULL if missing; ended by a zero byte.
  const char *anchor;
  const char *tag;
  const char *problem;
  // Counted from 1.
  size_t line;
  size_t column;
  // If the problem is a tab where the text of a block scalar's first line begins: the number of
  // characters before the scalar's `|` or `>`, and the indentation indicator that it lacks;
  // otherwise 0 and 0. libyaml reads such a tab as indentation, unless the indicator says where the
  // text begins.
  size_t header;
  int indicator;
} cyaml_event;

typedef struct cyaml_reader cyaml_reader;

// Creates a reader of bytes that must outlive it. Returns NULL, and the reason, on failure.
cyaml_reader *cyaml_open(const uint8_t *bytes, size_t length, const char **problem);

// Reads the next event. Its texts are valid until the next call. No events follow CYAML_END and
// CYAML_PROBLEM.
void cyaml_next(cyaml_reader *reader, cyaml_event *event);

void cyaml_close(cyaml_reader *reader);

#endif
