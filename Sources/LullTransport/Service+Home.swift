public import LullCore
import LullSystem

extension Service {
  /// A service on the event loop of this thread: inside `Lull.run` or on a `Home`, with its network
  /// unless another one is given. (SVC-36)
  ///
  /// It belongs to the actor that makes it, as the compiler sees to. Where no home is, it is a
  /// programming error and ends the program: there name `networking` and `pump`, or the home. A base that
  /// is no URL counts as none and is logged as a warning (SVC-04, SVC-05). Lua: `lull.service(url)`.
  public convenience init(
    baseURL: (any URLConvertible)?, name: String? = nil,
    networking: (any NetworkingProvider)? = nil,
    standardTransformers: [StandardTransformer] = [.json, .text],
    isolation: isolated (any Actor)? = #isolation
  ) {
    guard let context = HomeContext.current else {
      ProgramMisuse.stop(
        "Service(baseURL:) needs the event loop of this thread: call it inside Lull.run or "
          + "home.perform, name the home (on: home), or give networking and pump")
    }
    self.init(
      baseURL: baseURL, name: name, networking: networking ?? context.networking,
      pump: context.pump, standardTransformers: standardTransformers)
  }

  /// A service of a home, made on any thread, as by an actor that keeps it and whose executor is the
  /// home's; otherwise as above. It is used on the home only: elsewhere the program ends with a message.
  public convenience init(
    baseURL: (any URLConvertible)?, name: String? = nil, on home: any ServiceHome,
    networking: (any NetworkingProvider)? = nil,
    standardTransformers: [StandardTransformer] = [.json, .text]
  ) {
    let context = home.surroundings.context
    self.init(
      baseURL: baseURL, name: name, networking: networking ?? HomeNetworking(context),
      pump: context.pump, standardTransformers: standardTransformers)
  }
}

extension Home: ServiceHome {
  public nonisolated var surroundings: HomeSurroundings { HomeSurroundings(thread.context) }
}

/// The network of a home, which is made on its thread when first used.
private final class HomeNetworking: NetworkingProvider {
  private let context: HomeContext

  init(_ context: HomeContext) {
    self.context = context
  }

  func startRequest(_ request: HTTPRequest, completion: NetworkCompletion) -> any RequestNetworking
  {
    context.networking.startRequest(request, completion: completion)
  }
}
