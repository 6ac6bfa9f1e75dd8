package import LullCore

/// What a scripting host stands on: time, the pump, a network, and somebody who drives them.
///
/// Programs use the event loop; tests give a manual clock and stubs.
package protocol HostEnvironment: AnyObject {
  var pump: Pump { get }
  /// The network of services that name none; made at the first call.
  func defaultNetworking() -> any NetworkingProvider
  /// Turns until the condition holds.
  func run(until condition: () -> Bool)
  /// Sets what runs at the start of every turn.
  func onTurn(_ hook: @escaping () -> Void)
  /// How a signal handler wakes the loop; nil where nothing sleeps.
  var signalWakeUp: SignalWakeUp? { get }
  /// Whether the process belongs to Lull, so that SIGTERM and SIGPIPE are its business.
  var ownsProcess: Bool { get }
  func close()
}
