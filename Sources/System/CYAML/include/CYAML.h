// Events of a YAML text by libyaml, opened when the first text is read: few programs read any.
#ifndef CYAML_H
#define CYAML_H

#include <stddef.h>
#include <stdint.h>

typedef enum cyaml_kind {
  CYAML_END,
  CYAML_DOCUMENT,
  CYAML_ALIAS,
  CYAML_SCALAR,
  CYAML_SEQUENCE,
  CYAML_SEQUENCE_END,
  CYAML_MAPPING,
  CYAML_MAPPING_END,
  // The text is wrong: `problem` says why.
  CYAML_PROBLEM,
} cyaml_kind;

typedef struct cyaml_event {
  cyaml_kind kind;
  // Of a scalar; not ended by a zero byte.
  const uint8_t *text;
  size_t length;
  // Whether it is written without quotes.
  int is_plain;
  // NULL where there is none; ended by a zero byte.
  const char *anchor;
  const char *tag;
  const char *problem;
  // Counted from 1.
  size_t line;
  size_t column;
  // Of a problem with a tab where a block scalar's first line has text: the number of characters
  // before its `|` or `>`, and the indentation indicator that it lacks; otherwise 0 and 0. libyaml
  // takes such a tab for indentation, unless the indicator says where the text begins.
  size_t header;
  int indicator;
} cyaml_event;

typedef struct cyaml_reader cyaml_reader;

// A reader of bytes that outlive it; NULL, and why, if it cannot be.
cyaml_reader *cyaml_open(const uint8_t *bytes, size_t length, const char **problem);

// The next event, whose texts are valid until the next call; after CYAML_END and CYAML_PROBLEM there is none.
void cyaml_next(cyaml_reader *reader, cyaml_event *event);

void cyaml_close(cyaml_reader *reader);

#endif
