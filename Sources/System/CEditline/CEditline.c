#define _GNU_SOURCE
#include "CEditline.h"

#include <CLoader.h>
#include <locale.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/mman.h>

// The functions of libedit that are used here.
static struct {
  EditLine *(*init)(const char *, FILE *, FILE *, FILE *);
  void (*end)(EditLine *);
  int (*set)(EditLine *, int, ...);
  int (*get)(EditLine *, int, ...);
  const wchar_t *(*gets)(EditLine *, int *);
  const LineInfoW *(*line)(EditLine *);
  int (*insert)(EditLine *, const wchar_t *);
  int (*cursor)(EditLine *, int);
  void (*resize)(EditLine *);
  HistoryW *(*history_init)(void);
  void (*history_end)(HistoryW *);
  int (*history)(HistoryW *, HistEventW *, int, ...);
} libedit;

static const cloader_symbol symbols[] = {
  {"el_init", &libedit.init},
  {"el_end", &libedit.end},
  {"el_wset", &libedit.set},
  {"el_wget", &libedit.get},
  {"el_wgets", &libedit.gets},
  {"el_wline", &libedit.line},
  {"el_winsertstr", &libedit.insert},
  {"el_cursor", &libedit.cursor},
  {"el_resize", &libedit.resize},
  {"history_winit", &libedit.history_init},
  {"history_wend", &libedit.history_end},
  {"history_w", &libedit.history},
};

static cloader_library library = {.file = "libedit.so.2", CLOADER_SYMBOLS(symbols)};

struct ceditline {
  EditLine *editor;
  HistoryW *history;
  ceditline_owner owner;
  locale_t characters;
};

static ceditline *owner_of(EditLine *editor) {
  void *self = NULL;
  libedit.get(editor, EL_CLIENTDATA, &self);
  return self;
}

static int read_character(EditLine *editor, wchar_t *character) {
  ceditline *self = owner_of(editor);
  // The event loop must not run with the editor's locale.
  locale_t ours = uselocale(LC_GLOBAL_LOCALE);
  int count = self->owner.read(self->owner.context, character);
  uselocale(ours);
  return count;
}

static wchar_t *push_prompt(EditLine *editor) {
  ceditline *self = owner_of(editor);
  return (wchar_t *)self->owner.prompt(self->owner.context);
}

static unsigned char complete(EditLine *editor, int key) {
  (void)key;
  ceditline *self = owner_of(editor);
  return self->owner.complete(self->owner.context);
}

static unsigned char paste(EditLine *editor, int key) {
  (void)key;
  ceditline *self = owner_of(editor);
  locale_t ours = uselocale(LC_GLOBAL_LOCALE);
  unsigned char result = self->owner.paste(self->owner.context);
  uselocale(ours);
  return result;
}

static unsigned char forward(EditLine *editor, int key) {
  (void)key;
  ceditline *self = owner_of(editor);
  return self->owner.advance(self->owner.context, 0);
}

static unsigned char to_end(EditLine *editor, int key) {
  (void)key;
  ceditline *self = owner_of(editor);
  return self->owner.advance(self->owner.context, 1);
}

// Ignores the end of a paste that has not begun.
static unsigned char ignore_key(EditLine *editor, int key) {
  (void)editor;
  (void)key;
  return CC_NORM;
}

ceditline *ceditline_open(
  const char *program, FILE *input, FILE *output, const ceditline_owner *owner,
  const char **problem) {
  *problem = cloader_load(&library);
  if (*problem) return NULL;
  ceditline *self = calloc(1, sizeof(ceditline));
  *problem = "not enough memory";
  if (self == NULL) return NULL;
  self->owner = *owner;
  self->characters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  locale_t previous = uselocale(self->characters);
  self->editor = libedit.init(program, input, output, output);
  self->history = libedit.history_init();
  if (self->editor == NULL || self->history == NULL) {
    uselocale(previous);
    ceditline_close(self);
    return NULL;
  }
  HistEventW event;
  libedit.history(self->history, &event, H_SETSIZE, 1000);
  libedit.history(self->history, &event, H_SETUNIQUE, 1);
  EditLine *editor = self->editor;
  libedit.set(editor, EL_CLIENTDATA, self);
  libedit.set(editor, EL_EDITOR, L"emacs");
  libedit.set(editor, EL_SIGNAL, 0);
  libedit.set(editor, EL_HIST, libedit.history, self->history);
  libedit.set(editor, EL_PROMPT_ESC, push_prompt, L'\1');
  libedit.set(editor, EL_GETCFN, read_character);
  libedit.set(editor, EL_ADDFN, L"lull-complete", L"Completes a name", complete);
  libedit.set(editor, EL_BIND, L"\t", L"lull-complete", NULL);
  libedit.set(editor, EL_ADDFN, L"lull-paste", L"Takes a text whole", paste);
  // Terminals send this before pasted text, if it was enabled.
  libedit.set(editor, EL_BIND, L"\\e[200~", L"lull-paste", NULL);
  libedit.set(editor, EL_ADDFN, L"lull-ignore", L"Does nothing", ignore_key);
  libedit.set(editor, EL_BIND, L"\\e[201~", L"lull-ignore", NULL);
  libedit.set(editor, EL_ADDFN, L"lull-forward", L"Goes on, or takes a suggestion", forward);
  libedit.set(editor, EL_ADDFN, L"lull-end", L"Goes to the end, or takes a suggestion", to_end);
  static const wchar_t *const rights[] = {L"^F", L"\\e[C", L"\\eOC"};
  for (size_t i = 0; i < sizeof(rights) / sizeof(rights[0]); i++) {
    libedit.set(editor, EL_BIND, rights[i], L"lull-forward", NULL);
  }
  static const wchar_t *const ends[] = {L"^E", L"\\e[F", L"\\eOF", L"\\e[4~", L"\\e[8~"};
  for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
    libedit.set(editor, EL_BIND, ends[i], L"lull-end", NULL);
  }
  libedit.set(editor, EL_BIND, L"^R", L"em-inc-search-prev", NULL);
  // Keys that terminals send and libedit leaves unbound.
  libedit.set(editor, EL_BIND, L"\\e[1~", L"ed-move-to-beg", NULL);
  libedit.set(editor, EL_BIND, L"\\e[3~", L"ed-delete-next-char", NULL);
  libedit.set(editor, EL_BIND, L"\\e[1;5C", L"em-next-word", NULL);
  libedit.set(editor, EL_BIND, L"\\e[1;5D", L"ed-prev-word", NULL);
  uselocale(previous);
  return self;
}

void ceditline_close(ceditline *self) {
  locale_t previous = uselocale(self->characters);
  if (self->editor) libedit.end(self->editor);
  if (self->history) libedit.history_end(self->history);
  uselocale(previous);
  if (self->characters) freelocale(self->characters);
  free(self);
}

const wchar_t *ceditline_read_line(ceditline *self, int *count) {
  locale_t previous = uselocale(self->characters);
  const wchar_t *line = libedit.gets(self->editor, count);
  uselocale(previous);
  return line;
}

void ceditline_remember(ceditline *self, const wchar_t *entry) {
  HistEventW event;
  libedit.history(self->history, &event, H_ENTER, entry);
}

const wchar_t *ceditline_text(ceditline *self, size_t *cursor, size_t *length) {
  const LineInfoW *line = libedit.line(self->editor);
  *cursor = (size_t)(line->cursor - line->buffer);
  *length = (size_t)(line->lastchar - line->buffer);
  return line->buffer;
}

void ceditline_insert(ceditline *self, const wchar_t *text) {
  libedit.insert(self->editor, text);
}

void ceditline_move(ceditline *self, int count) { libedit.cursor(self->editor, count); }

void ceditline_draw(ceditline *self) {
  locale_t previous = uselocale(self->characters);
  libedit.set(self->editor, EL_REFRESH);
  uselocale(previous);
}

void ceditline_resize(ceditline *self) { libedit.resize(self->editor); }

void ceditline_prepare(ceditline *self) {
  // libedit assumes that it knows the mode, and only applies changes.
  libedit.set(self->editor, EL_PREP_TERM, 0);
  libedit.set(self->editor, EL_PREP_TERM, 1);
}

int ceditline_width(ceditline *self, wchar_t character) {
  locale_t previous = uselocale(self->characters);
  int width = wcwidth(character);
  uselocale(previous);
  return width;
}

void ceditline_buffer_lines(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

int ceditline_is_line_open(void) { return __fpending(stdout) > 0; }

int ceditline_memory_file(void) { return memfd_create("lull output", MFD_CLOEXEC); }
