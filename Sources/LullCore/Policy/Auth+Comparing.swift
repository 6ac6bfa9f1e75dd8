extension Auth {
  /// What tells it from another in this process, what no mask shows included.
  package var fingerprint: Int {
    var hasher = Hasher()
    hasher.combine(place)
    hasher.combine(identity)
    hasher.combine(login.map { "\($0)" })
    hasher.combine(stage?.fingerprint)
    return hasher.finalize()
  }
}

extension AuthStage {
  /// What of its settings is not in the identity; by default nothing is.
  package var fingerprint: Int { 0 }
}
