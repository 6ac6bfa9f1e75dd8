// SQLite as the system has it, opened when somebody asks for it: programs that keep no cache in a file
// must not spend their start on it, and do without it where it is not installed. Of sqlite3.h nothing is
// seen from here, so that nobody can call a function that is not linked.
#ifndef CSQLITE_H
#define CSQLITE_H

#include <stddef.h>
#include <stdint.h>

typedef struct sqlite3 csqlite_database;
typedef struct sqlite3_stmt csqlite_statement;

// What functions return: 0, or a code of sqlite3.h, whose lowest byte says what kind it is.
enum {
  CSQLITE_OK = 0,
  CSQLITE_ERROR = 1,
  CSQLITE_PERM = 3,
  CSQLITE_BUSY = 5,
  CSQLITE_LOCKED = 6,
  CSQLITE_NOMEM = 7,
  CSQLITE_READONLY = 8,
  CSQLITE_INTERRUPT = 9,
  CSQLITE_IOERR = 10,
  CSQLITE_CORRUPT = 11,
  CSQLITE_FULL = 13,
  CSQLITE_CANTOPEN = 14,
  CSQLITE_PROTOCOL = 15,
  CSQLITE_SCHEMA = 17,
  CSQLITE_NOTADB = 26,
  CSQLITE_ROW = 100,
  CSQLITE_DONE = 101,
  CSQLITE_IOERR_SHORT_READ = 522,
  CSQLITE_READONLY_DBMOVED = 1032
};

// Opens the library; NULL, or why that cannot be. Any thread, any number of times; before anything else.
const char *csqlite_load(void);

// Opens a database that is there, for reading and writing, by one thread at a time. A code; `*database`
// is to be closed whatever it is.
int csqlite_open(const char *path, csqlite_database **database);
// Leaves the write-ahead log for whoever opens the file next: closing must not touch files by name,
// which may be another database's by now. Statements are to be finalised first.
void csqlite_close(csqlite_database *database);
void csqlite_wait_when_busy(csqlite_database *database, int milliseconds);
int csqlite_execute(csqlite_database *database, const char *sql);
int csqlite_extended_code(csqlite_database *database);
// The database's or, without one, the code's; valid until the next call.
const char *csqlite_message(csqlite_database *database);
const char *csqlite_code_message(int code);
// The error of the operating system behind the last code; 0 if there was none.
int csqlite_system_error(csqlite_database *database);
// Whether no transaction is open.
int csqlite_is_idle(csqlite_database *database);
int64_t csqlite_changes(csqlite_database *database);

int csqlite_prepare(csqlite_database *database, const char *sql, csqlite_statement **statement);
// CSQLITE_ROW, CSQLITE_DONE, or a code.
int csqlite_step(csqlite_statement *statement);
// Forgets the values, too.
void csqlite_reset(csqlite_statement *statement);
void csqlite_finalize(csqlite_statement *statement);

// Values are numbered from 1; bytes and texts are copied.
int csqlite_bind_integer(csqlite_statement *statement, int number, int64_t value);
int csqlite_bind_real(csqlite_statement *statement, int number, double value);
int csqlite_bind_text(csqlite_statement *statement, int number, const void *text, size_t count);
int csqlite_bind_bytes(csqlite_statement *statement, int number, const void *bytes, size_t count);
int csqlite_bind_null(csqlite_statement *statement, int number);

// Columns are numbered from 0; what is pointed to is valid until the next step or reset.
int64_t csqlite_integer(csqlite_statement *statement, int number);
double csqlite_real(csqlite_statement *statement, int number);
// Of a text or of bytes; NULL for none of them.
const void *csqlite_bytes(csqlite_statement *statement, int number, size_t *count);
int csqlite_is_null(csqlite_statement *statement, int number);

#endif
