public import LullCore

extension Service {
  /// A service on the event loop of this thread: inside `Lull.run`, with its network unless another
  /// one is given. (SVC-36)
  ///
  /// Anywhere else it is a programming error, and ends the program: there name `networking` and
  /// `pump`. A base that is no URL counts as none and is logged as a warning (SVC-04, SVC-05).
  public convenience init(
    baseURL: String?, name: String? = nil, networking: (any NetworkingProvider)? = nil,
    standardTransformers: [StandardTransformer] = [.json, .text]
  ) {
    guard let thread = HomeThread.current else {
      preconditionFailure(
        "Service(baseURL:) needs the event loop of this thread: call it inside Lull.run, or give "
          + "networking and pump")
    }
    self.init(
      baseURL: baseURL, name: name, networking: networking ?? thread.networking,
      pump: thread.loop.pump, standardTransformers: standardTransformers)
  }
}
