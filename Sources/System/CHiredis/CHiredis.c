#include "CHiredis.h"

#include <CLoader.h>
#if !__has_include(<hiredis/hiredis.h>)
#error "there is no <hiredis/hiredis.h>: on Debian, apt-get install libhiredis-dev"
#endif
#include <hiredis/hiredis.h>
#include <stdlib.h>
#include <string.h>

// The reader's callbacks changed with 1.0, as did the name of the library.
_Static_assert(HIREDIS_MAJOR == 0 && HIREDIS_MINOR == 14, "the layout is that of libhiredis 0.14");

static struct {
  redisReader *(*create)(redisReplyObjectFunctions *);
  void (*free)(redisReader *);
  int (*feed)(redisReader *, const char *, size_t);
  int (*next)(redisReader *, void **);
  int (*format)(char **, int, const char **, const size_t *);
  void (*free_command)(char *);
} hiredis;

static const cloader_symbol symbols[] = {
  {"redisReaderCreateWithFunctions", &hiredis.create},
  {"redisReaderFree", &hiredis.free},
  {"redisReaderFeed", &hiredis.feed},
  {"redisReaderGetReply", &hiredis.next},
  {"redisFormatCommandArgv", &hiredis.format},
  {"redisFreeCommand", &hiredis.free_command},
};

static cloader_library library = {
  .file = "libhiredis.so.0.14", .package = "libhiredis0.14", CLOADER_SYMBOLS(symbols)};

const char *chiredis_load(void) { return cloader_load(&library); }

// The library does not say it; its name has two of the numbers.
const char *chiredis_version(const char **problem) {
  *problem = cloader_load(&library);
  return *problem ? NULL : "0.14";
}

struct chiredis_reader {
  redisReader *reader;
  chiredis_node *nodes;
  size_t count;
  size_t capacity;
  size_t most;
  char *text;
  size_t text_count;
  size_t text_capacity;
  // Whether the nodes belong to a complete reply.
  int is_complete;
  int is_refused;
};

// Makes room for `more` bytes after those in use. Returns whether that succeeded.
static int reserve(void **bytes, size_t *capacity, size_t used, size_t more) {
  if (more <= *capacity - used) return 1;
  size_t wanted = *capacity ? *capacity : 1024;
  while (wanted - used < more) {
    if (wanted > SIZE_MAX / 2) return 0;
    wanted *= 2;
  }
  void *larger = realloc(*bytes, wanted);
  if (larger == NULL) return 0;
  *bytes = larger;
  *capacity = wanted;
  return 1;
}

// Returns a placeholder for hiredis' reply object, which is neither read nor freed.
static void *add(const redisReadTask *task, chiredis_node node) {
  chiredis_reader *reader = task->privdata;
  if (reader->is_complete) {
    reader->is_complete = 0;
    reader->count = reader->text_count = 0;
  }
  if (reader->count >= reader->most) {
    reader->is_refused = 1;
    return NULL;
  }
  size_t used = reader->count * sizeof node;
  if (!reserve((void **)&reader->nodes, &reader->capacity, used, sizeof node)) return NULL;
  reader->nodes[reader->count++] = node;
  return reader;
}

static void *create_string(const redisReadTask *task, char *bytes, size_t count) {
  chiredis_reader *reader = task->privdata;
  chiredis_node node = {CHIREDIS_BYTES, (int64_t)count, 0};
  if (task->type == REDIS_REPLY_STATUS) node.kind = CHIREDIS_STATUS;
  if (task->type == REDIS_REPLY_ERROR) node.kind = CHIREDIS_ERROR;
  void *made = add(task, node);
  if (made == NULL) return NULL;
  if (!reserve((void **)&reader->text, &reader->text_capacity, reader->text_count, count)) return NULL;
  if (count) memcpy(reader->text + reader->text_count, bytes, count);
  reader->nodes[reader->count - 1].offset = reader->text_count;
  reader->text_count += count;
  return made;
}

static void *create_array(const redisReadTask *task, int elements) {
  chiredis_reader *reader = task->privdata;
  if (elements < 0 || (size_t)elements > reader->most) {
    reader->is_refused = 1;
    return NULL;
  }
  return add(task, (chiredis_node){CHIREDIS_ARRAY, elements, 0});
}

static void *create_integer(const redisReadTask *task, long long value) {
  return add(task, (chiredis_node){CHIREDIS_INTEGER, value, 0});
}

static void *create_null(const redisReadTask *task) {
  return add(task, (chiredis_node){CHIREDIS_NULL, 0, 0});
}

static void free_object(void *object) { (void)object; }

static redisReplyObjectFunctions functions = {
  create_string, create_array, create_integer, create_null, free_object,
};

chiredis_reader *chiredis_reader_create(size_t most_nodes) {
  chiredis_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return NULL;
  reader->most = most_nodes;
  reader->reader = hiredis.create(&functions);
  if (reader->reader == NULL) {
    free(reader);
    return NULL;
  }
  reader->reader->privdata = reader;
  return reader;
}

void chiredis_reader_free(chiredis_reader *reader) {
  hiredis.free(reader->reader);
  free(reader->nodes);
  free(reader->text);
  free(reader);
}

int chiredis_reader_feed(chiredis_reader *reader, const void *bytes, size_t count) {
  return hiredis.feed(reader->reader, bytes, count) == REDIS_OK;
}

int chiredis_reader_next(chiredis_reader *reader) {
  void *reply = NULL;
  if (hiredis.next(reader->reader, &reply) != REDIS_OK) return -1;
  if (reply == NULL) return 0;
  reader->is_complete = 1;
  return 1;
}

const chiredis_node *chiredis_reader_nodes(const chiredis_reader *reader, size_t *count) {
  *count = reader->count;
  return reader->nodes;
}

const char *chiredis_reader_text(const chiredis_reader *reader) {
  return reader->text ? reader->text : "";
}

const char *chiredis_reader_message(const chiredis_reader *reader) {
  return reader->is_refused ? "a reply has too many parts" : reader->reader->errstr;
}

char *chiredis_format(
  int count, const char *const *words, const size_t *lengths, size_t *byte_count) {
  char *command = NULL;
  // hiredis does not change the words.
  int made = hiredis.format(&command, count, (const char **)words, lengths);
  if (made < 0) return NULL;
  *byte_count = (size_t)made;
  return command;
}

void chiredis_free(char *command) { hiredis.free_command(command); }
