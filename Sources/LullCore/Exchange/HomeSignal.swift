/// Makes one thing happen on the home thread, asked for on any thread.
///
/// The action runs once, on a later turn, however often the signal is given; never after
/// `Pump.discard`. A value that may be sent anywhere, while the action stays at home.
package struct HomeSignal: Sendable {
  fileprivate let channel: NetworkCompletion

  /// May be called on any thread.
  package func callAsFunction() {
    channel(NetworkResult())
  }
}

extension Pump {
  package func signal(_ action: @escaping () -> Void) -> HomeSignal {
    // The inbox is the one way in, and a result that says nothing is all it takes.
    HomeSignal(channel: completion { _ in action() })
  }

  /// The signal can do nothing any more.
  package func discard(_ signal: HomeSignal) {
    discard(signal.channel)
  }
}
