/// The network of a home, which is made on its thread when first used.
package final class HomeNetworking: NetworkingProvider {
  private let context: HomeContext

  /// What it is where it is used.
  package var networking: any NetworkingProvider { context.networking }

  init(_ context: HomeContext) {
    self.context = context
  }

  package func startRequest(_ request: HTTPRequest, completion: NetworkCompletion)
    -> any RequestNetworking
  {
    context.networking.startRequest(request, completion: completion)
  }
}
