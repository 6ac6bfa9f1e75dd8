import Synchronization

/// Where what is written to standard error ends up: standard error itself, or the terminal on which
/// somebody shows it who takes it meanwhile.
package enum ErrorTerminal {
  private static let holder = Atomic<Int32>(2)

  /// To ask for its kind and size. Any thread.
  static var descriptor: Int32 { holder.load(ordering: .relaxed) }

  /// From now on standard error is taken, and shown on that terminal; nil: no more.
  package static func capture(_ terminal: Int32?) {
    holder.store(terminal ?? 2, ordering: .relaxed)
  }
}
