import LullCore

/// One answer of the network of a test.
enum ProofAnswer {
  case result(NetworkResult, delay: Double)
  case fault(NetworkFault, delay: Double)
  /// What a function of the script makes of the request.
  case function(any NetworkingProvider)
}
