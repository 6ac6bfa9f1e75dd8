package import LullCore

extension LuaHost {
  /// Turns the loop until a request's hooks have run; its response, nil if the run ended first.
  package func finish(_ request: Request) -> Response? {
    var isSettled = false
    request.onCompletion { _ in isSettled = true }
    environment.run { [self] in
      resumeIdleWaiters()
      return isSettled || isInterrupted
    }
    return isSettled ? request.response : nil
  }
}
