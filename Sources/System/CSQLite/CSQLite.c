#include "CSQLite.h"

#include <CLoader.h>
#if !__has_include(<sqlite3.h>)
#error "there is no <sqlite3.h>: on Debian, apt-get install libsqlite3-dev"
#endif
#include <sqlite3.h>

_Static_assert(
  CSQLITE_OK == SQLITE_OK && CSQLITE_ERROR == SQLITE_ERROR && CSQLITE_PERM == SQLITE_PERM
    && CSQLITE_BUSY == SQLITE_BUSY && CSQLITE_LOCKED == SQLITE_LOCKED
    && CSQLITE_NOMEM == SQLITE_NOMEM && CSQLITE_READONLY == SQLITE_READONLY
    && CSQLITE_INTERRUPT == SQLITE_INTERRUPT && CSQLITE_IOERR == SQLITE_IOERR
    && CSQLITE_CORRUPT == SQLITE_CORRUPT && CSQLITE_FULL == SQLITE_FULL
    && CSQLITE_CANTOPEN == SQLITE_CANTOPEN && CSQLITE_PROTOCOL == SQLITE_PROTOCOL
    && CSQLITE_SCHEMA == SQLITE_SCHEMA && CSQLITE_NOTADB == SQLITE_NOTADB
    && CSQLITE_ROW == SQLITE_ROW && CSQLITE_DONE == SQLITE_DONE
    && CSQLITE_IOERR_SHORT_READ == SQLITE_IOERR_SHORT_READ
    && CSQLITE_READONLY_DBMOVED == SQLITE_READONLY_DBMOVED,
  "the codes are SQLite's");

// The functions of SQLite that are used here.
static struct {
  const char *(*version)(void);
  int (*open)(const char *, sqlite3 **, int, const char *);
  int (*close)(sqlite3 *);
  int (*config)(sqlite3 *, int, ...);
  int (*busy_timeout)(sqlite3 *, int);
  int (*exec)(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
  int (*extended_errcode)(sqlite3 *);
  const char *(*errmsg)(sqlite3 *);
  const char *(*errstr)(int);
  int (*system_errno)(sqlite3 *);
  int (*get_autocommit)(sqlite3 *);
  int (*changes)(sqlite3 *);
  int (*prepare)(sqlite3 *, const char *, int, unsigned, sqlite3_stmt **, const char **);
  int (*step)(sqlite3_stmt *);
  int (*reset)(sqlite3_stmt *);
  int (*clear_bindings)(sqlite3_stmt *);
  int (*finalize)(sqlite3_stmt *);
  int (*bind_int64)(sqlite3_stmt *, int, sqlite3_int64);
  int (*bind_double)(sqlite3_stmt *, int, double);
  int (*bind_text)(sqlite3_stmt *, int, const char *, sqlite3_uint64, void (*)(void *), unsigned char);
  int (*bind_blob)(sqlite3_stmt *, int, const void *, sqlite3_uint64, void (*)(void *));
  int (*bind_null)(sqlite3_stmt *, int);
  sqlite3_int64 (*column_int64)(sqlite3_stmt *, int);
  double (*column_double)(sqlite3_stmt *, int);
  const void *(*column_blob)(sqlite3_stmt *, int);
  int (*column_bytes)(sqlite3_stmt *, int);
  int (*column_type)(sqlite3_stmt *, int);
} sqlite;

static const cloader_symbol symbols[] = {
  {"sqlite3_libversion", &sqlite.version},
  {"sqlite3_open_v2", &sqlite.open},
  {"sqlite3_close_v2", &sqlite.close},
  {"sqlite3_db_config", &sqlite.config},
  {"sqlite3_busy_timeout", &sqlite.busy_timeout},
  {"sqlite3_exec", &sqlite.exec},
  {"sqlite3_extended_errcode", &sqlite.extended_errcode},
  {"sqlite3_errmsg", &sqlite.errmsg},
  {"sqlite3_errstr", &sqlite.errstr},
  {"sqlite3_system_errno", &sqlite.system_errno},
  {"sqlite3_get_autocommit", &sqlite.get_autocommit},
  {"sqlite3_changes", &sqlite.changes},
  {"sqlite3_prepare_v3", &sqlite.prepare},
  {"sqlite3_step", &sqlite.step},
  {"sqlite3_reset", &sqlite.reset},
  {"sqlite3_clear_bindings", &sqlite.clear_bindings},
  {"sqlite3_finalize", &sqlite.finalize},
  {"sqlite3_bind_int64", &sqlite.bind_int64},
  {"sqlite3_bind_double", &sqlite.bind_double},
  {"sqlite3_bind_text64", &sqlite.bind_text},
  {"sqlite3_bind_blob64", &sqlite.bind_blob},
  {"sqlite3_bind_null", &sqlite.bind_null},
  {"sqlite3_column_int64", &sqlite.column_int64},
  {"sqlite3_column_double", &sqlite.column_double},
  {"sqlite3_column_blob", &sqlite.column_blob},
  {"sqlite3_column_bytes", &sqlite.column_bytes},
  {"sqlite3_column_type", &sqlite.column_type},
};

static cloader_library library = {
  .file = "libsqlite3.so.0", CLOADER_SYMBOLS(symbols)};

const char *csqlite_load(void) { return cloader_load(&library); }

const char *csqlite_version(const char **problem) {
  *problem = cloader_load(&library);
  return *problem ? NULL : sqlite.version();
}

int csqlite_open(const char *path, csqlite_database **database) {
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  int code = sqlite.open(path, database, flags, NULL);
  if (code == SQLITE_OK) sqlite.config(*database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  return code;
}

void csqlite_close(csqlite_database *database) { sqlite.close(database); }

void csqlite_wait_when_busy(csqlite_database *database, int milliseconds) {
  sqlite.busy_timeout(database, milliseconds);
}

int csqlite_execute(csqlite_database *database, const char *sql) {
  return sqlite.exec(database, sql, NULL, NULL, NULL);
}

int csqlite_extended_code(csqlite_database *database) { return sqlite.extended_errcode(database); }

const char *csqlite_message(csqlite_database *database) { return sqlite.errmsg(database); }

const char *csqlite_code_message(int code) { return sqlite.errstr(code); }

int csqlite_system_error(csqlite_database *database) { return sqlite.system_errno(database); }

int csqlite_is_idle(csqlite_database *database) { return sqlite.get_autocommit(database); }

int64_t csqlite_changes(csqlite_database *database) { return sqlite.changes(database); }

int csqlite_prepare(csqlite_database *database, const char *sql, csqlite_statement **statement) {
  return sqlite.prepare(database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

int csqlite_step(csqlite_statement *statement) { return sqlite.step(statement); }

void csqlite_reset(csqlite_statement *statement) {
  sqlite.reset(statement);
  sqlite.clear_bindings(statement);
}

void csqlite_finalize(csqlite_statement *statement) { sqlite.finalize(statement); }

int csqlite_bind_integer(csqlite_statement *statement, int number, int64_t value) {
  return sqlite.bind_int64(statement, number, value);
}

int csqlite_bind_real(csqlite_statement *statement, int number, double value) {
  return sqlite.bind_double(statement, number, value);
}

int csqlite_bind_text(csqlite_statement *statement, int number, const void *text, size_t count) {
  // NULL would mean an SQL NULL instead of a text.
  return sqlite.bind_text(
    statement, number, text ? text : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int csqlite_bind_bytes(csqlite_statement *statement, int number, const void *bytes, size_t count) {
  return sqlite.bind_blob(statement, number, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

int csqlite_bind_null(csqlite_statement *statement, int number) {
  return sqlite.bind_null(statement, number);
}

int64_t csqlite_integer(csqlite_statement *statement, int number) {
  return sqlite.column_int64(statement, number);
}

double csqlite_real(csqlite_statement *statement, int number) {
  return sqlite.column_double(statement, number);
}

const void *csqlite_bytes(csqlite_statement *statement, int number, size_t *count) {
  const void *bytes = sqlite.column_blob(statement, number);
  *count = (size_t)sqlite.column_bytes(statement, number);
  return bytes;
}

int csqlite_is_null(csqlite_statement *statement, int number) {
  return sqlite.column_type(statement, number) == SQLITE_NULL;
}
