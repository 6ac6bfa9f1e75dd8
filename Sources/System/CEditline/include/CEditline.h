// The system's libedit, loaded at its first use: programs that do not edit lines start faster, and
// work without it if it is not installed.
#ifndef CEDITLINE_H
#define CEDITLINE_H

#if !__has_include(<histedit.h>)
#error "there is no <histedit.h>: on Debian, apt-get install libedit-dev"
#endif
#include <histedit.h>
#include <stdio.h>
#include <wchar.h>

typedef struct ceditline ceditline;

// The editor's callbacks to its owner. `context` is the owner's.
typedef struct ceditline_owner {
  void *context;
  // Reads the next character: 1, or 0 at the end, or -1 to cancel the line.
  int (*read)(void *context, wchar_t *character);
  // Returns the prompt, which may contain invisible parts between two characters with the code 1.
  const wchar_t *(*prompt)(void *context);
  // Called when the completion key was pressed; returns CC_REFRESH and so on.
  unsigned char (*complete)(void *context);
  // Called when the terminal announces pasted text; returns CC_REFRESH and so on.
  unsigned char (*paste)(void *context);
  // Called for a key that moves one character forward, or to the end; returns CC_CURSOR and so on.
  unsigned char (*advance)(void *context, int to_end);
} ceditline_owner;

// Opens an editor on the terminal of `input` that writes to `output`. Returns NULL without libedit
// or memory; `problem` is then the reason. It uses UTF-8, whatever the locale of the process.
ceditline *ceditline_open(
  const char *program, FILE *input, FILE *output, const ceditline_owner *owner,
  const char **problem);
// Restores the terminal.
void ceditline_close(ceditline *editor);
// Edits a line until it is entered. Returns NULL at the end of input, or if `read` has cancelled
// it; `count` is then -1. The text belongs to libedit until the next call.
const wchar_t *ceditline_read_line(ceditline *editor, int *count);
// Adds an entry to the history of the arrow keys, the latest last.
void ceditline_remember(ceditline *editor, const wchar_t *entry);

// --- While a line is being edited

// Returns the text, the position of the cursor in it, and its length.
const wchar_t *ceditline_text(ceditline *editor, size_t *cursor, size_t *length);
void ceditline_insert(ceditline *editor, const wchar_t *text);
// Moves the cursor in the text by `count` characters.
void ceditline_move(ceditline *editor, int count);
// Redraws prompt and line from the beginning of the line with the terminal's cursor.
void ceditline_draw(ceditline *editor);
// Must be called when the terminal has changed its size.
void ceditline_resize(ceditline *editor);
// Sets the terminal to editing mode again, after another program has used it.
void ceditline_prepare(ceditline *editor);
// Returns how many columns a character takes; negative if it cannot be printed.
int ceditline_width(ceditline *editor, wchar_t character);

// Makes the C library's standard output line-buffered. The second function returns whether it
// contains an unfinished line.
void ceditline_buffer_lines(void);
int ceditline_is_line_open(void);
// Returns a file in memory without a name; negative on failure.
int ceditline_memory_file(void);

#endif
