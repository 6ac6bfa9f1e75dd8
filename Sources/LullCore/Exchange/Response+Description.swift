extension Response {
  /// Whether it is the failure of a request that was cancelled, by whomever. (CXL-01)
  public var isCancellation: Bool {
    if case .requestCancelled = error?.cause { return true }
    return false
  }
}

extension Response: CustomStringConvertible {
  /// What came of the request, on one line and without what looks like a credential.
  public var description: String {
    switch outcome {
    case .success(let entity):
      "success with \(isNew ? "new" : "the same") data, \(entity.description)"
    case .failure(let error): "failure, \(error.description)"
    }
  }
}
