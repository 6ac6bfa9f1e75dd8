// The single list of the kinds of userdata.
#ifndef LULL_KINDS_H
#define LULL_KINDS_H

#include <stdint.h>

// The constant, its name in Swift, and the type as scripts see it in messages and in `tostring`.
// The first is for functions of the module table.
#define LULL_KINDS(KIND) \
  KIND(MODULE, module, "lull") \
  KIND(SERVICE, service, "Service") \
  KIND(RESOURCE, resource, "Resource") \
  KIND(REQUEST, request, "Request") \
  KIND(OBSERVATION, observation, "Observation") \
  KIND(ENTITY, entity, "Entity") \
  KIND(RESPONSE, response, "Response") \
  KIND(ERROR, error, "RequestError") \
  KIND(TASK, task, "Task") \
  KIND(CONFIGURATION, configuration, "Configuration") \
  KIND(HTTP_REQUEST, httpRequest, "HTTPRequest") \
  KIND(HEADERS, headers, "Headers") \
  KIND(REGEX, regex, "Regex") \
  KIND(FILE, file, "File") \
  KIND(MULTIPART, multipart, "Multipart") \
  KIND(LOG, log, "Log") \
  KIND(COMPLETION, completion, "Completion") \
  KIND(STUB, stub, "Stub") \
  KIND(PIPELINE, pipeline, "Pipeline") \
  KIND(STAGE, stage, "PipelineStage") \
  KIND(CACHE, cache, "Cache") \
  KIND(ITERATOR, iterator, "Iterator") \
  KIND(HANDLER, handler, "Handler") \
  KIND(WATCH, watch, "Watch") \
  KIND(PAGES, pages, "Pages") \
  KIND(EVENTS, events, "Events") \
  KIND(STREAM_EVENT, streamEvent, "StreamEvent") \
  KIND(FOLLOW, follow, "Follow") \
  KIND(CHANGES, changes, "Changes") \
  KIND(STATUS, status, "Status") \
  KIND(PROGRESS, progress, "Progress") \
  KIND(SECRET, secret, "Secret") \
  KIND(AUTH, auth, "Auth") \
  KIND(VARIABLES, variables, "Variables") \
  KIND(API, api, "API") \
  KIND(API_CALLS, apiCalls, "APICalls") \
  KIND(API_CALL, apiCall, "APICall") \
  KIND(SWIFT_FUNCTION, swiftFunction, "SwiftFunction") \
  KIND(SWIFT_ERROR, swiftError, "SwiftError") \
  KIND(TEST, test, "Test")

enum {
#define LULL_KIND_CONSTANT(constant, word, name) LULL_KIND_##constant,
  LULL_KINDS(LULL_KIND_CONSTANT)
#undef LULL_KIND_CONSTANT
  LULL_KIND_COUNT
};

// Returns the name of a kind below LULL_KIND_COUNT, as scripts see it.
const char *lull_kind_name(int32_t kind);
// Returns the case of HandleKind for a kind below LULL_KIND_COUNT.
const char *lull_kind_word(int32_t kind);

#endif
