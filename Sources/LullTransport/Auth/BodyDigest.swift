import LullCore
import LullSystem

/// What a signature says of a body that is better read in the pool: one from files, and a large one.
enum BodyDigest {
  /// Above so many bytes it would hold up the loop.
  private static let largest = 256 << 10

  /// Whether it is made before the request goes out. Else it is made then: of little, and of what has
  /// secrets in it.
  static func isNeeded(for request: HTTPRequest) -> Bool {
    switch request.payload {
    case nil: false
    case .bytes(let bytes)?: bytes.count > largest && !request.hasSecretsInBody
    case .streamed(let body)?: body.hasFiles && !request.hasSecretsInBody
    }
  }

  /// Makes it and hands it over: at once nil where there is no need for one, else on a later turn.
  ///
  /// - Returns: what stops that, if there is something to stop.
  static func make(
    for request: HTTPRequest, _ digest: Digest, in context: AuthContext,
    then finish: @escaping (Result<[UInt8]?, TransportError>) -> Void
  ) -> (() -> Void)? {
    guard isNeeded(for: request) else {
      finish(.success(nil))
      return nil
    }
    let sign = StopSign()
    context.pump.offload(
      { [payload = request.payload, inbox = context.pump.inbox] in
        Result { () throws(TransportError) -> [UInt8]? in
          try digest.of(payload, unless: { sign.isSet || inbox.isClosed })
        }
      },
      then: { (result: Result<[UInt8]?, TransportError>) in
        if !sign.isSet { finish(result) }
      })
    return { sign.set() }
  }
}
