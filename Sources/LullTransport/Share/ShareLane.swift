/// What a connection to the server is for. What is large has one of its own, so that what is to be answered at
/// once does not wait behind it.
enum ShareLane: Hashable {
  /// Limits, tokens, and who is there.
  case counting
  case entities

  var patience: ShareLink.Patience {
    switch self {
    case .counting: ShareLink.Patience()
    case .entities: ShareLink.Patience(whileMoving: 2)
    }
  }
}
