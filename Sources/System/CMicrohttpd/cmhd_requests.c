#include "cmhd_parts.h"

#include <stdlib.h>
#include <string.h>

// --- Receiving

static cmhd_request *begin(cmhd_server *server, const char *target) {
  cmhd_request *request = calloc(1, sizeof *request);
  if (request == NULL) return NULL;
  request->server = server;
  request->target = strdup(target);
  request->target_place = target;
  if (request->target == NULL) {
    free(request);
    return NULL;
  }
  return request;
}

// Called with the undecoded target.
void *cmhd_saw_target(void *context, const char *target, struct MHD_Connection *handle) {
  connection *one = MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
  if (one != NULL) cmhd_has_begun(context, one);
  return begin(context, target);
}

static char *copied(const char *bytes, size_t count) {
  char *copy = malloc(count + 1);
  if (copy == NULL) return NULL;
  if (count) memcpy(copy, bytes, count);
  copy[count] = 0;
  return copy;
}

static enum MHD_Result saw_header(
  void *context, enum MHD_ValueKind kind, const char *name, size_t name_count, const char *value,
  size_t value_count) {
  (void)kind;
  cmhd_request *request = context;
  if (request->header_count == request->header_capacity) {
    size_t capacity = request->header_capacity ? request->header_capacity * 2 : 16;
    header *larger = realloc(request->headers, capacity * sizeof *larger);
    if (larger == NULL) return MHD_NO;
    request->headers = larger;
    request->header_capacity = capacity;
  }
  if (value == NULL) value_count = 0;
  header line = {
    copied(name, name_count), name_count, copied(value, value_count), value_count, name, value};
  if (line.name == NULL || line.value == NULL) {
    free(line.name);
    free(line.value);
    return MHD_NO;
  }
  request->headers[request->header_count++] = line;
  return MHD_YES;
}

static void let_go_of_body(cmhd_request *request) {
  request->server->held -= request->capacity;
  free(request->body);
  request->body = NULL;
  request->count = request->capacity = 0;
}

// Stores received bytes. If there is no room, they are read without being stored, so that the
// client gets a response.
static void keep(cmhd_request *request, const char *bytes, size_t count) {
  cmhd_server *server = request->server;
  if (request->state != CMHD_COMPLETE) return;
  if (count > server->limits.body - request->count) {
    request->state = CMHD_TOO_LONG;
    return let_go_of_body(request);
  }
  if (count > request->capacity - request->count) {
    size_t capacity = request->capacity ? request->capacity : 1024;
    while (capacity - request->count < count) capacity *= 2;
    size_t others = server->held - request->capacity;
    char *larger = capacity > server->limits.bodies || others > server->limits.bodies - capacity
      ? NULL
      : realloc(request->body, capacity);
    if (larger == NULL) {
      request->state = CMHD_NO_ROOM;
      return let_go_of_body(request);
    }
    server->held = others + capacity;
    request->body = larger;
    request->capacity = capacity;
  }
  memcpy(request->body + request->count, bytes, count);
  request->count += count;
}

static void hand_out(cmhd_request *request) {
  cmhd_server *server = request->server;
  request->is_ready = 1;
  request->next = NULL;
  *server->last = request;
  server->last = &request->next;
  if (request->connection) request->connection->is_answered = request->connection->is_responding = 1;
}

static void suspend(cmhd_request *request) {
  request->is_suspended = 1;
  MHD_suspend_connection(request->handle);
}

static int has_long_body(const cmhd_request *request) {
  const char *text =
    MHD_lookup_connection_value(request->handle, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
  return text != NULL && strtoull(text, NULL, 10) > request->server->limits.body;
}

// A request without a response is answered later.
static enum MHD_Result respond(cmhd_request *request) {
  if (request->is_dropped) return MHD_NO;
  if (request->connection) request->connection->is_responding = 1;
  return MHD_queue_response(request->handle, request->status, request->response);
}

enum MHD_Result cmhd_saw_request(
  void *context, struct MHD_Connection *handle, const char *url, const char *method,
  const char *version, const char *data, size_t *count, void **mine) {
  (void)context;
  (void)url;
  cmhd_request *request = *mine;
  if (request == NULL) return MHD_NO;
  if (!request->has_head) {
    request->has_head = 1;
    request->handle = handle;
    request->connection =
      MHD_get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
    request->is_current = strcmp(version, MHD_HTTP_VERSION_1_0) != 0;
    request->method_count = strlen(method);
    request->method = copied(method, request->method_count);
    if (request->method == NULL) return MHD_NO;
    int seen = MHD_get_connection_values_n(handle, MHD_HEADER_KIND, saw_header, request);
    if (seen < 0 || (size_t)seen > request->header_count) return MHD_NO;
    int has_body = cmhd_check_head(request, method, version);
    if (request->state == CMHD_COMPLETE && has_long_body(request)) request->state = CMHD_TOO_LONG;
    if ((has_body || request->state != CMHD_COMPLETE)
        && request->server->screen(request->server->context, request) == 0) {
      return respond(request);
    }
    return MHD_YES;
  }
  if (request->is_dropped || request->response != NULL) return respond(request);
  if (*count > 0) {
    keep(request, data, *count);
    *count = 0;
  } else if (!request->is_ready) {
    hand_out(request);
  } else if (request->is_taken && !request->is_suspended) {
    // Not before: an immediate response is also sent to a client that has closed its side
    // meanwhile. A suspended connection, when it is resumed, treats that as the end of the
    // connection.
    suspend(request);
  }
  return MHD_YES;
}

void cmhd_ended(
  void *context, struct MHD_Connection *handle, void **mine, enum MHD_RequestTerminationCode code) {
  (void)context;
  (void)handle;
  (void)code;
  cmhd_request *request = *mine;
  *mine = NULL;
  if (request == NULL) return;
  if (request->connection) {
    request->connection->is_responding = 0;
    request->connection->since = cmhd_now();
  }
  if (request->response) MHD_destroy_response(request->response);
  if (request->stream) request->server->ended(request->server->context, request->stream);
  free(request->piece);
  let_go_of_body(request);
  for (size_t index = 0; index < request->header_count; index++) {
    free(request->headers[index].name);
    free(request->headers[index].value);
  }
  free(request->headers);
  free(request->method);
  free(request->target);
  free(request);
}

// --- Answering

cmhd_state cmhd_request_state(const cmhd_request *request) { return request->state; }

const char *cmhd_request_problem(const cmhd_request *request) { return request->problem; }

int cmhd_request_is_last(const cmhd_request *request) { return request->is_last; }

cmhd_text cmhd_request_method(const cmhd_request *request) {
  return (cmhd_text){request->method, strlen(request->method)};
}

cmhd_text cmhd_request_target(const cmhd_request *request) {
  return (cmhd_text){request->target, strlen(request->target)};
}

int cmhd_request_is_current(const cmhd_request *request) { return request->is_current; }

size_t cmhd_request_header_count(const cmhd_request *request) { return request->header_count; }

void cmhd_request_header(
  const cmhd_request *request, size_t index, cmhd_text *name, cmhd_text *value) {
  const header *line = &request->headers[index];
  *name = (cmhd_text){line->name, line->name_count};
  *value = (cmhd_text){line->value, line->value_count};
}

cmhd_text cmhd_request_body(const cmhd_request *request) {
  return (cmhd_text){request->body, request->count};
}

int cmhd_answer(cmhd_request *request, unsigned status, const void *body, size_t count) {
  request->status = status;
  // It is copied, and not written to.
  request->response = MHD_create_response_from_buffer(count, (void *)body, MHD_RESPMEM_MUST_COPY);
  return request->response != NULL;
}

int cmhd_answer_header(cmhd_request *request, const char *name, const char *value) {
  return request->response != NULL && MHD_add_response_header(request->response, name, value) == MHD_YES;
}

// Lets the client receive the available data.
static void go_on(cmhd_request *request) {
  if (request->connection) {
    request->connection->is_answered = 0;
    request->connection->since = cmhd_now();
    cmhd_look_at(request->server, request->connection);
  }
  if (!request->is_suspended) return;
  request->is_suspended = 0;
  MHD_resume_connection(request->handle);
}

void cmhd_send(cmhd_request *request) {
  if (request->response == NULL) request->is_dropped = 1;
  go_on(request);
}

void cmhd_drop(cmhd_request *request) {
  request->is_dropped = 1;
  cmhd_send(request);
}

// --- Streamed bodies

static void wait_for_piece(cmhd_request *request) {
  cmhd_server *server = request->server;
  request->next = NULL;
  *server->last_waiting = request;
  server->last_waiting = &request->next;
  if (request->connection) request->connection->is_answered = 1;
}

static ssize_t wants_bytes(void *context, uint64_t position, char *buffer, size_t most) {
  (void)position;
  cmhd_request *request = context;
  size_t left = request->piece_count - request->piece_start;
  if (left > 0) {
    size_t count = left < most ? left : most;
    memcpy(buffer, request->piece + request->piece_start, count);
    request->piece_start += count;
    if (request->connection) request->connection->since = cmhd_now();
    return (ssize_t)count;
  }
  if (request->is_finished) {
    return request->is_whole ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
  }
  wait_for_piece(request);
  suspend(request);
  return 0;
}

int cmhd_answer_stream(cmhd_request *request, unsigned status, int64_t count, void *stream) {
  request->status = status;
  request->response = MHD_create_response_from_callback(
    count < 0 ? MHD_SIZE_UNKNOWN : (uint64_t)count, 64 * 1024, wants_bytes, request, NULL);
  if (request->response != NULL) request->stream = stream;
  return request->response != NULL;
}

int cmhd_give(cmhd_request *request, const void *bytes, size_t count) {
  if (count == 0) {
    wait_for_piece(request);
    return 1;
  }
  char *copy = copied(bytes, count);
  if (copy == NULL) return 0;
  free(request->piece);
  request->piece = copy;
  request->piece_count = count;
  request->piece_start = 0;
  go_on(request);
  return 1;
}

void cmhd_finish(cmhd_request *request, int is_whole) {
  request->is_finished = 1;
  request->is_whole = is_whole;
  go_on(request);
}
