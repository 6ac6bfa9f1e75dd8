package import LullCore

extension ScriptLoop {
  /// Turns the loop until a request's hooks have run; its response, nil if the run ended first.
  package func finish(_ request: Request) -> Response? {
    var isSettled = false
    request.onCompletion { _ in isSettled = true }
    environment.run { [self] in
      resumeIdleWaiters()
      return isSettled || isInterrupted
    }
    // Whoever has called os.exit wants nothing more.
    return isSettled && exitCode == nil ? request.response : nil
  }

  /// Has the caches asked for a resource, and turns the loop until they have answered.
  package func finishAskingCaches(_ resource: Resource) {
    _ = resource.isUpToDate
    environment.run { [self] in !resource.isAskingCaches || isInterrupted }
  }
}
