#define PCRE2_CODE_UNIT_WIDTH 8
#include "CPCRE2.h"

#include <CLoader.h>
#if !__has_include(<pcre2.h>)
#error "there is no <pcre2.h>: on Debian, apt-get install libpcre2-dev"
#endif
#include <pcre2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
  int (*config)(uint32_t, void *);
  pcre2_code *(*compile)(PCRE2_SPTR, PCRE2_SIZE, uint32_t, int *, PCRE2_SIZE *, pcre2_compile_context *);
  void (*free)(pcre2_code *);
  pcre2_compile_context *(*create_compile_context)(pcre2_general_context *);
  void (*free_compile_context)(pcre2_compile_context *);
  int (*set_extra_options)(pcre2_compile_context *, uint32_t);
  int (*set_most_bytes)(pcre2_compile_context *, PCRE2_SIZE);
  pcre2_match_context *(*create_match_context)(pcre2_general_context *);
  void (*free_match_context)(pcre2_match_context *);
  int (*set_match_limit)(pcre2_match_context *, uint32_t);
  int (*set_heap_limit)(pcre2_match_context *, uint32_t);
  pcre2_match_data *(*create_match_data)(const pcre2_code *, pcre2_general_context *);
  void (*free_match_data)(pcre2_match_data *);
  int (*match)(const pcre2_code *, PCRE2_SPTR, PCRE2_SIZE, PCRE2_SIZE, uint32_t, pcre2_match_data *,
    pcre2_match_context *);
  int (*explain)(int, PCRE2_UCHAR *, PCRE2_SIZE);
} pcre2;

static const cloader_symbol symbols[] = {
  {"pcre2_config_8", &pcre2.config},
  {"pcre2_compile_8", &pcre2.compile},
  {"pcre2_code_free_8", &pcre2.free},
  {"pcre2_compile_context_create_8", &pcre2.create_compile_context},
  {"pcre2_compile_context_free_8", &pcre2.free_compile_context},
  {"pcre2_set_compile_extra_options_8", &pcre2.set_extra_options},
  {"pcre2_set_max_pattern_length_8", &pcre2.set_most_bytes},
  {"pcre2_match_context_create_8", &pcre2.create_match_context},
  {"pcre2_match_context_free_8", &pcre2.free_match_context},
  {"pcre2_set_match_limit_8", &pcre2.set_match_limit},
  {"pcre2_set_heap_limit_8", &pcre2.set_heap_limit},
  {"pcre2_match_data_create_from_pattern_8", &pcre2.create_match_data},
  {"pcre2_match_data_free_8", &pcre2.free_match_data},
  {"pcre2_match_8", &pcre2.match},
  {"pcre2_get_error_message_8", &pcre2.explain},
};

static cloader_library library = {
  .file = "libpcre2-8.so.0", .package = "libpcre2-8-0", CLOADER_SYMBOLS(symbols)};

const char *cpcre2_version(const char **problem) {
  static _Thread_local char text[64];
  *problem = cloader_load(&library);
  if (*problem) return NULL;
  return pcre2.config(PCRE2_CONFIG_VERSION, NULL) <= (int)sizeof text
      && pcre2.config(PCRE2_CONFIG_VERSION, text) > 0
    ? text : "";
}

// The step limits of the first attempt and of further ones if it was too low. PCRE2 does not report
// the number of steps.
static const uint32_t most_steps[] = {1000, 30000, CPCRE2_MOST_STEPS};
enum { TRIALS = sizeof most_steps / sizeof most_steps[0] };

struct cpcre2_pattern {
  pcre2_code *code;
  pcre2_match_context *limits[TRIALS];
};

// The maximum size of a pattern in bytes, and of a search's memory in KiB.
enum { MOST_BYTES = 16384, MOST_HEAP = 16384 };

static const uint32_t ecma_options = PCRE2_UTF | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_DOLLAR_ENDONLY
  | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C;
static const uint32_t perl_options = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;

static uint32_t options_of(int spelling) {
  switch (spelling) {
    case CPCRE2_PERL: return perl_options;
    case CPCRE2_PERL_ANY_CASE: return perl_options | PCRE2_CASELESS;
    default: return ecma_options;
  }
}

static pcre2_code *compile(const char *text, size_t count, int spelling, char problem[CPCRE2_SIZE]) {
  pcre2_compile_context *context = pcre2.create_compile_context(NULL);
  if (context == NULL) {
    snprintf(problem, CPCRE2_SIZE, "there is no memory for it");
    return NULL;
  }
  if (spelling == CPCRE2_ECMA) pcre2.set_extra_options(context, PCRE2_EXTRA_ALT_BSUX);
  pcre2.set_most_bytes(context, MOST_BYTES);
  int code = 0;
  PCRE2_SIZE place = 0;
  pcre2_code *compiled =
    pcre2.compile((PCRE2_SPTR)text, count, options_of(spelling), &code, &place, context);
  pcre2.free_compile_context(context);
  if (compiled == NULL) {
    PCRE2_UCHAR words[128];
    if (pcre2.explain(code, words, sizeof words) < 0) words[0] = 0;
    snprintf(problem, CPCRE2_SIZE, "%s, at byte %zu", (const char *)words, (size_t)place);
  }
  return compiled;
}

cpcre2_pattern *cpcre2_create(const char *text, size_t count, int spelling, char problem[CPCRE2_SIZE]) {
  const char *failure = cloader_load(&library);
  if (failure) {
    snprintf(problem, CPCRE2_SIZE, "%s", failure);
    return NULL;
  }
  pcre2_code *code = compile(text, count, spelling, problem);
  if (code == NULL) return NULL;
  cpcre2_pattern *pattern = malloc(sizeof *pattern);
  if (pattern == NULL) {
    snprintf(problem, CPCRE2_SIZE, "there is no memory for it");
    pcre2.free(code);
    return NULL;
  }
  *pattern = (cpcre2_pattern){.code = code};
  for (size_t trial = 0; trial < TRIALS; trial++) {
    pcre2_match_context *limits = pcre2.create_match_context(NULL);
    if (limits == NULL) {
      snprintf(problem, CPCRE2_SIZE, "there is no memory for it");
      cpcre2_free(pattern);
      return NULL;
    }
    pcre2.set_match_limit(limits, most_steps[trial]);
    pcre2.set_heap_limit(limits, MOST_HEAP);
    pattern->limits[trial] = limits;
  }
  return pattern;
}

void cpcre2_free(cpcre2_pattern *pattern) {
  if (pattern == NULL) return;
  for (size_t trial = 0; trial < TRIALS; trial++) {
    if (pattern->limits[trial]) pcre2.free_match_context(pattern->limits[trial]);
  }
  pcre2.free(pattern->code);
  free(pattern);
}

int cpcre2_finds(const cpcre2_pattern *pattern, const char *text, size_t count, int64_t *steps) {
  *steps = (int64_t)count;
  pcre2_match_data *found = pcre2.create_match_data(pattern->code, NULL);
  if (found == NULL) return -1;
  int code = PCRE2_ERROR_MATCHLIMIT;
  for (size_t trial = 0; trial < TRIALS && code == PCRE2_ERROR_MATCHLIMIT; trial++) {
    code = pcre2.match(pattern->code, (PCRE2_SPTR)text, count, 0, 0, found, pattern->limits[trial]);
    if (code == PCRE2_ERROR_MATCHLIMIT) *steps += most_steps[trial];
  }
  pcre2.free_match_data(found);
  if (code >= 0) return 1;
  return code == PCRE2_ERROR_NOMATCH ? 0 : -1;
}
