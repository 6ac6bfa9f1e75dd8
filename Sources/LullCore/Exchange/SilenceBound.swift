/// What bounds an exchange that is as long as its body: one from a file or into one, or a stream.
///
/// It may take as long as it moves, and ends when nothing is sent or received any more: for as long as
/// `idle_timeout` says, where false or 0 is for ever; else for 60 seconds, or for the timeout of before where
/// that is longer, so that nobody who is patient with whole answers is less so with these. A timeout that is
/// meant for the very call is set afterwards. (BODY-06, DWN-14)
package struct SilenceBound: Equatable {
  /// Of the whole exchange, seconds.
  package let timeout = Double.infinity
  /// Of silence, seconds; infinite for none.
  package let idleTimeout: Double

  /// Seconds.
  package static let usual = 60.0

  /// - Parameters:
  ///   - timeout: what would bound the exchange if its body were kept in memory.
  ///   - idleTimeout: nil if nobody has set any, infinite for none.
  package init(insteadOf timeout: Double, idleTimeout: Double?) {
    self.idleTimeout = idleTimeout ?? max(SilenceBound.usual, timeout)
  }
}

extension HTTPRequest {
  /// From now on silence bounds the exchange, and no timeout. Again, it does nothing.
  package mutating func boundBySilence() {
    var options = options ?? TransferOptions()
    let bound = SilenceBound(insteadOf: limits.timeout, idleTimeout: options.idleTimeout)
    options.idleTimeout = bound.idleTimeout
    limits.timeout = bound.timeout
    self.options = options
  }
}
