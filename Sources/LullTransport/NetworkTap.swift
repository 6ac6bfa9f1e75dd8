package import LullCore

/// Sees the exchanges of a network, for a time: whoever asks the network asks it. Home thread only.
package protocol NetworkTap: NetworkingProvider {}

/// A network past whoever taps it.
package final class UntappedNetwork: NetworkingProvider {
  // The network outlives its tap.
  private unowned let network: CurlProvider

  package init(_ network: CurlProvider) { self.network = network }

  package func startRequest(
    _ request: HTTPRequest, completion: NetworkCompletion
  ) -> any RequestNetworking {
    network.send(request, completion: completion)
  }
}
