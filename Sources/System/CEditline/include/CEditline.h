// libedit as the system has it, opened when somebody asks for it: programs that edit no line must not
// spend their start on it, and do without it where it is not installed.
#ifndef CEDITLINE_H
#define CEDITLINE_H

#if !__has_include(<histedit.h>)
#error "there is no <histedit.h>: on Debian, apt-get install libedit-dev"
#endif
#include <histedit.h>
#include <stdio.h>
#include <wchar.h>

typedef struct ceditline ceditline;

// What the editor asks of its owner. `context` is the owner's.
typedef struct ceditline_owner {
  void *context;
  // The next character typed; 1, or 0 at the end, or -1 to leave the line.
  int (*read)(void *context, wchar_t *character);
  // The prompt, which may contain invisible parts between two characters 1.
  const wchar_t *(*prompt)(void *context);
  // The key for completion was pressed; CC_REFRESH and so on.
  unsigned char (*complete)(void *context);
  // A terminal announces a text that is pasted; CC_REFRESH and so on.
  unsigned char (*paste)(void *context);
  // A key that goes one character on, or to the end, was pressed; CC_CURSOR and so on.
  unsigned char (*advance)(void *context, int to_end);
} ceditline_owner;

// An editor on the terminal behind `input`, writing to `output`; NULL without libedit or memory, and
// then `problem` says why. It knows UTF-8 whatever the locale of the process.
ceditline *ceditline_open(
  const char *program, FILE *input, FILE *output, const ceditline_owner *owner,
  const char **problem);
// Gives the terminal back.
void ceditline_close(ceditline *editor);
// Edits a line until it is entered. NULL at the end, or if `read` has left it; `count` is then -1.
// The text is libedit's until the next call.
const wchar_t *ceditline_read_line(ceditline *editor, int *count);
// Adds an entry to what the arrow keys find, the latest last.
void ceditline_remember(ceditline *editor, const wchar_t *entry);

// While a line is being edited:
// the text, the position of the cursor in it, and its length
const wchar_t *ceditline_text(ceditline *editor, size_t *cursor, size_t *length);
void ceditline_insert(ceditline *editor, const wchar_t *text);
// Moves the cursor in the text by so many characters.
void ceditline_move(ceditline *editor, int count);
// Draws prompt and line anew from the beginning of the line where the terminal's cursor is.
void ceditline_draw(ceditline *editor);
// The terminal has changed its size.
void ceditline_resize(ceditline *editor);
// Puts the terminal into the mode for editing again, after somebody else has used it.
void ceditline_prepare(ceditline *editor);
// How many columns a character takes, negative if it cannot be printed.
int ceditline_width(ceditline *editor, wchar_t character);

// Standard output of the C library: has it written out at each line's end, and says whether an
// unfinished line waits there.
void ceditline_buffer_lines(void);
int ceditline_is_line_open(void);
// A file without a name, in memory; negative if there can be none.
int ceditline_memory_file(void);

#endif
