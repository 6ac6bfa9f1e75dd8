import CLullBridge

/// The kinds of userdata, in the order of the bridge's `lull_kinds.h`, which has all there is to say of
/// each; these are the words for them here.
package enum HandleKind: Int32, CaseIterable {
  case module = 0
  case service, resource, request, observation, entity, response, error, task, configuration
  case httpRequest, headers, regex, file, multipart, log, completion, stub, pipeline, stage, cache
  case iterator, handler
  case watch, pages, events, streamEvent, follow, changes, status, progress
  case secret, auth, variables
  case api, apiCalls, apiCall
  case swiftFunction, swiftError
  case proof

  /// As scripts see it, in messages and in `tostring`.
  package var name: String { String(cString: lull_kind_name(rawValue)) }
}
