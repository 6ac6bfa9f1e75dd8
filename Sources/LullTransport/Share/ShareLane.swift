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

extension ShareLink {
  /// Seconds for an operation, and at most for one of a server whose answers take longer; for the first connection,
  /// for what is told first, and until a connection is given up that does not answer; and how much longer an operation
  /// may take while its bytes are moving, once those of others before it have.
  struct Patience {
    var operation = 0.05
    var longest = 1.0
    var whileMoving = 0.0
    var first = 0.5
    var connecting = 2.0
    var late = 1.0
  }
}
