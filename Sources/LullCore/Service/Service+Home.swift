extension Service {
  /// A service on the home of this thread, inside `Lull.run` or on a `Home`, or on the one that is named,
  /// with its network unless another one is given. (SVC-36)
  ///
  /// It belongs to the actor that makes it, as the compiler sees to, and is used on its home only: elsewhere
  /// the program ends with a message. A home is named on another thread, as by an actor that keeps the
  /// service and whose executor is the home's. Where no home is, and none is named, it is a programming
  /// error and ends the program. A base that is no URL counts as none and is logged as a warning (SVC-04,
  /// SVC-05). A subclass calls the one with `surroundings`. Lua: `lull.service(url)`.
  // Not one that is designated: the compiler (6.3) crashes over a class that inherits a default argument
  // `#isolation`.
  public convenience init(
    baseURL: (any URLConvertible)? = nil, name: String? = nil, on home: (any ServiceHome)? = nil,
    standardTransformers: [StandardTransformer] = [.json, .text],
    networking: (any NetworkingProvider)? = nil, isolation: isolated (any Actor)? = #isolation
  ) {
    self.init(
      baseURL: baseURL, name: name, standardTransformers: standardTransformers,
      networking: networking, surroundings: home?.surroundings ?? .current)
  }
}
