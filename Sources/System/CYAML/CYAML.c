#include "CYAML.h"

#include <CLoader.h>
#include <stdlib.h>
#include <string.h>
#if !__has_include(<yaml.h>)
#error "there is no <yaml.h>: on Debian, apt-get install libyaml-dev"
#endif
#include <yaml.h>

static struct {
  const char *(*version)(void);
  int (*initialize)(yaml_parser_t *);
  void (*delete)(yaml_parser_t *);
  void (*input)(yaml_parser_t *, const unsigned char *, size_t);
  int (*parse)(yaml_parser_t *, yaml_event_t *);
  void (*delete_event)(yaml_event_t *);
} yaml;

struct cyaml_reader {
  yaml_parser_t parser;
  yaml_event_t event;
  int has_event;
};

static const cloader_symbol symbols[] = {
  {"yaml_get_version_string", &yaml.version},
  {"yaml_parser_initialize", &yaml.initialize},
  {"yaml_parser_delete", &yaml.delete},
  {"yaml_parser_set_input_string", &yaml.input},
  {"yaml_parser_parse", &yaml.parse},
  {"yaml_event_delete", &yaml.delete_event},
};

static cloader_library library = {
  .file = "libyaml-0.so.2",
  .purpose = "YAML needs libyaml (the Debian package is libyaml-0-2)",
  CLOADER_SYMBOLS(symbols)};

const char *cyaml_version(const char **problem) {
  *problem = cloader_load(&library);
  return *problem ? NULL : yaml.version();
}

cyaml_reader *cyaml_open(const uint8_t *bytes, size_t length, const char **problem) {
  *problem = cloader_load(&library);
  if (*problem) return NULL;
  cyaml_reader *reader = calloc(1, sizeof(cyaml_reader));
  *problem = "not enough memory";
  if (reader == NULL) return NULL;
  if (!yaml.initialize(&reader->parser)) {
    free(reader);
    return NULL;
  }
  yaml.input(&reader->parser, bytes, length);
  return reader;
}

static void drop_event(cyaml_reader *reader) {
  if (reader->has_event) yaml.delete_event(&reader->event);
  reader->has_event = 0;
}

// After enough spaces for the indentation, a tab is text. (YAML 1.2, section 6.1)
static void describe_tab(const yaml_parser_t *parser, cyaml_event *event) {
  static const char context[] = "while scanning a block scalar";
  static const char problem[] = "found a tab character where an indentation space is expected";
  if (parser->error != YAML_SCANNER_ERROR || parser->context == NULL) return;
  if (strcmp(parser->context, context) != 0 || strcmp(parser->problem, problem) != 0) return;
  size_t parent = parser->indent > 0 ? (size_t)parser->indent : 0;
  size_t column = parser->problem_mark.column;
  // The indicator is a single digit.
  if (column <= parent || column - parent > 9) return;
  event->header = parser->context_mark.index;
  event->indicator = (int)(column - parent);
}

static void describe_problem(cyaml_reader *reader, cyaml_event *event) {
  yaml_parser_t *parser = &reader->parser;
  event->kind = CYAML_PROBLEM;
  event->problem = parser->problem ? parser->problem : "not enough memory";
  if (parser->error == YAML_READER_ERROR) {
    event->line = parser->mark.line + 1;
    event->column = parser->mark.column + 1;
  } else {
    event->line = parser->problem_mark.line + 1;
    event->column = parser->problem_mark.column + 1;
    if (parser->problem) describe_tab(parser, event);
  }
}

void cyaml_next(cyaml_reader *reader, cyaml_event *event) {
  *event = (cyaml_event){.kind = CYAML_END};
  while (1) {
    drop_event(reader);
    if (!yaml.parse(&reader->parser, &reader->event)) return describe_problem(reader, event);
    reader->has_event = 1;
    yaml_event_t *next = &reader->event;
    event->line = next->start_mark.line + 1;
    event->column = next->start_mark.column + 1;
    switch (next->type) {
      case YAML_STREAM_START_EVENT:
      case YAML_DOCUMENT_END_EVENT: continue;
      case YAML_DOCUMENT_START_EVENT: event->kind = CYAML_DOCUMENT; return;
      case YAML_ALIAS_EVENT:
        event->kind = CYAML_ALIAS;
        event->anchor = (const char *)next->data.alias.anchor;
        return;
      case YAML_SCALAR_EVENT:
        event->kind = CYAML_SCALAR;
        event->text = next->data.scalar.value;
        event->length = next->data.scalar.length;
        event->is_plain = next->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        event->anchor = (const char *)next->data.scalar.anchor;
        event->tag = (const char *)next->data.scalar.tag;
        return;
      case YAML_SEQUENCE_START_EVENT:
        event->kind = CYAML_SEQUENCE;
        event->anchor = (const char *)next->data.sequence_start.anchor;
        event->tag = (const char *)next->data.sequence_start.tag;
        return;
      case YAML_SEQUENCE_END_EVENT: event->kind = CYAML_SEQUENCE_END; return;
      case YAML_MAPPING_START_EVENT:
        event->kind = CYAML_MAPPING;
        event->anchor = (const char *)next->data.mapping_start.anchor;
        event->tag = (const char *)next->data.mapping_start.tag;
        return;
      case YAML_MAPPING_END_EVENT: event->kind = CYAML_MAPPING_END; return;
      // The stream has ended.
      default: return;
    }
  }
}

void cyaml_close(cyaml_reader *reader) {
  drop_event(reader);
  yaml.delete(&reader->parser);
  free(reader);
}
