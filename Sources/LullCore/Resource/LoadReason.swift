/// Why a load asks the server, or does not. Times are Unix seconds, spans seconds.
public enum LoadReason: Sendable, Equatable {
  /// It was asked for whatever there is, as by `load()`.
  case forced
  /// A load is in progress, which will do.
  case inProgress
  /// A stream makes its content. (STR-35)
  case followed
  /// The service is offline.
  case offline
  /// It was invalidated. (INV-01)
  case invalidated
  /// It has neither data nor error. (LOAD-25)
  case blank
  /// It has failed at that time, which counts for `retryTime`. (LOAD-23)
  case error(at: Double, retryTime: Double)
  /// It has data of that time, which counts for `expirationTime`. (LOAD-20)
  case data(at: Double, expirationTime: Double)
  /// It has data of that time, which counts for as long as it says itself. (AGE-01)
  case answer(at: Double, lifetime: Double)
  /// It has data that answers a request with other headers, which its `Vary` names.
  case otherVariant
}
