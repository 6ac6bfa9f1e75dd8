// The system's SQLite, loaded at its first use: programs without a cache file start faster, and
// work without it if it is not installed. sqlite3.h is not visible here, so that no function can be
// called that is not linked.
#ifndef CSQLITE_H
#define CSQLITE_H

#include <stddef.h>
#include <stdint.h>

typedef struct sqlite3 csqlite_database;
typedef struct sqlite3_stmt csqlite_statement;

// Return values of the functions: 0, or a code of sqlite3.h. Its lowest byte is the kind of error.
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

// The version of the library; NULL if it cannot be loaded, and why in `problem`. Any thread.
const char *csqlite_version(const char **problem);

// Loads the library. Returns NULL, or why that failed. Any thread, any number of times; must be
// called first.
const char *csqlite_load(void);

// Opens an existing database for reading and writing, by one thread at a time. Returns a code.
// `*database` must be closed in every case.
int csqlite_open(const char *path, csqlite_database **database);
// Leaves the write-ahead log for the next process that opens the file: closing must not access
// files by name, because the name may refer to another database by now. Statements must be
// finalised first.
void csqlite_close(csqlite_database *database);
void csqlite_wait_when_busy(csqlite_database *database, int milliseconds);
int csqlite_execute(csqlite_database *database, const char *sql);
int csqlite_extended_code(csqlite_database *database);
// The message of the database or, without one, of the code; valid until the next call.
const char *csqlite_message(csqlite_database *database);
const char *csqlite_code_message(int code);
// The operating system's error behind the last code; 0 for none.
int csqlite_system_error(csqlite_database *database);
// Whether no transaction is open.
int csqlite_is_idle(csqlite_database *database);
int64_t csqlite_changes(csqlite_database *database);

int csqlite_prepare(csqlite_database *database, const char *sql, csqlite_statement **statement);
// Returns CSQLITE_ROW, CSQLITE_DONE, or an error code.
int csqlite_step(csqlite_statement *statement);
// Clears the values, too.
void csqlite_reset(csqlite_statement *statement);
void csqlite_finalize(csqlite_statement *statement);

// Values are numbered from 1; bytes and texts are copied.
int csqlite_bind_integer(csqlite_statement *statement, int number, int64_t value);
int csqlite_bind_real(csqlite_statement *statement, int number, double value);
int csqlite_bind_text(csqlite_statement *statement, int number, const void *text, size_t count);
int csqlite_bind_bytes(csqlite_statement *statement, int number, const void *bytes, size_t count);
int csqlite_bind_null(csqlite_statement *statement, int number);

// Columns are numbered from 0; returned pointers are valid until the next step or reset.
int64_t csqlite_integer(csqlite_statement *statement, int number);
double csqlite_real(csqlite_statement *statement, int number);
// Returns a text or bytes; NULL for other values.
const void *csqlite_bytes(csqlite_statement *statement, int number, size_t *count);
int csqlite_is_null(csqlite_statement *statement, int number);

#endif
