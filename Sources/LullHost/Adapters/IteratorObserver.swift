package import LullCore

/// Stands in a resource's list of observers while an iterator of a script waits.
final class IteratorObserver: ResourceObserver {
  let logName: String
  private let hear: (ResourceEvent) -> Void
  var wantsProgress: Bool { false }

  init(_ logName: String, _ hear: @escaping (ResourceEvent) -> Void = { _ in }) {
    self.logName = logName
    self.hear = hear
  }

  func resourceChanged(_ resource: Resource, event: ResourceEvent) { hear(event) }
}

extension RequestError {
  /// Whether the next attempt may do better: no answer, or one that asks for patience.
  package var mayPass: Bool {
    if let httpStatusCode {
      return [408, 425, 429].contains(httpStatusCode) || httpStatusCode >= 500
    }
    switch cause {
    case .requestCancelled: return true
    case .transport(let error):
      switch error.kind {
      case .network, .timeout, .dns, .connection, .truncatedBody, .cancelled: return true
      case .tls, .malformedResponse, .bodyTooLarge, .tooManyRedirects, .redirectRefused,
        .invalidURL, .scriptError, .secretOrigin, .secretUnavailable, .authFailed, .fileUnavailable,
        .fileChanged, .eventStream, .notAStream, .offline:
        return false
      }
    default: return false
    }
  }
}

extension Awaited {
  /// The load in progress, if there is one.
  init(loading resource: Resource) {
    self.init(requests: Array(resource.loadRequests.prefix(1)))
  }
}

extension Resource {
  /// Cancels loads that iterators have started, once nobody else has attached a hook and nobody
  /// observes.
  func cancelUnwantedLoads() {
    guard !isObserved else { return }
    for load in loadRequests where load.mark.iteratorHooks == load.hookCount { load.cancel() }
  }
}
