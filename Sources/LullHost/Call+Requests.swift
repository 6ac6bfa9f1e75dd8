import CLullBridge
import LullCore

extension Call {
  /// Sends a request with the body at that position, and the options or the mutation behind it.
  func sendRequest(_ method: RequestMethod, body: Int) throws(Misuse) {
    let resource = try resource
    let parsed = try reading.bodies.body(self, body)
    let adHoc = try RequestOptions.edit(self, body + 1)
    let request: Request
    switch parsed {
    case .failure(let failure)?:
      request = resource.failedBeforeSending(failure.cause, method: method)
    case .success(let body)?:
      request = resource.request(method, body: body, adHoc: adHoc)
    case nil:
      request = resource.request(method, body: nil, adHoc: adHoc)
    }
    self.return(values.of(request))
  }

  /// `download(path[, { resume =, headers =, timeout =, mutate = }])`
  func sendDownload() throws(Misuse) {
    try permissions.refuseInSandbox("download")
    let resource = try resource
    let path = ByteString(try path(1, argument: 1))
    let options = try RequestOptions.ofDownload(self, 2)
    let request = resource.download(to: path, resume: options.resumes, adHoc: options.edit)
    if let label = options.label { progress.show(request, label.isEmpty ? path.lastName : label) }
    self.return(values.of(request))
  }

  /// `cancel_load_if_unobserved([delay [, callback]])` (CAN-01 to CAN-10)
  func cancelLoadIfUnobserved() throws(Misuse) {
    let resource = try resource
    guard let delay = number(1) else { return resource.cancelLoadIfUnobserved() }
    guard delay >= 0, delay.isFinite else {
      throw .argument(1, "a number of seconds, 0 or more, expected, got \(raw(1).described)")
    }
    // Its userdata holds the service's, and with it every function of the configuration.
    let userdata = try kept.keep(state, index(0))
    let callback = isNil(2) ? nil : try kept.keep(state, index(2))
    guard kept.pin(userdata) else { throw .message("not enough memory") }
    if let callback, !kept.pin(callback) {
      kept.unpin(userdata)
      throw .message("not enough memory")
    }
    // The timer is work that somebody asked for: it keeps the script alive.
    loop.timerBegan()
    resource.cancelLoadIfUnobserved(afterDelay: delay) { [weak loop, weak callbacks] in
      // On a pump of somebody else's the timer may outlive the script.
      guard let loop, let callbacks else { return }
      loop.timerEnded()
      defer { callbacks.kept.unpin(userdata) }
      guard let callback else { return }
      let context = RunContext(purpose: "cancel_load_if_unobserved callback") {
        [unowned callbacks] outcome in
        if case .failed(let failure) = outcome {
          callbacks.reporter.report(failure, in: "cancel_load_if_unobserved callback")
        }
      }
      callbacks.coroutines.start(Callable(id: callback), [], context)
      callbacks.kept.unpin(callback)
    }
  }
}

extension ByteString {
  /// Of a path: what is behind its last slash.
  fileprivate var lastName: String {
    String(escaping: bytes.split(separator: UInt8(ascii: "/")).last ?? [])
  }
}
