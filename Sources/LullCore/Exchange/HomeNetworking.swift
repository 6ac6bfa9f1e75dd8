/// The network of a home, which is made on its thread when first used.
final class HomeNetworking: NetworkingProvider {
  private let context: HomeContext

  init(_ context: HomeContext) {
    self.context = context
  }

  func startRequest(_ request: HTTPRequest, completion: NetworkCompletion) -> any RequestNetworking
  {
    context.networking.startRequest(request, completion: completion)
  }
}
