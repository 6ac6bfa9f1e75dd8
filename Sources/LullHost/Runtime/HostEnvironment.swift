package import LullCore
package import LullSystem
package import LullTransport

/// The environment of a scripting host. It provides the time, the pump and a network, and drives
/// the pump and the network.
///
/// Programs use the event loop. Tests use a manual clock and stubs.
package protocol HostEnvironment: AnyObject {
  var pump: Pump { get }
  /// Returns the network for services that specify no network. The network is created at the first
  /// call.
  func defaultNetworking() -> any NetworkingProvider
  /// The number of exchanges of the default network that wait for a free connection.
  var queuedExchangeCount: Int { get }
  /// Runs turns until the condition holds.
  func run(until condition: () -> Bool)
  /// Sets a function that runs at the start of every turn.
  func onTurn(_ hook: @escaping () -> Void)
  /// Makes the current turn return immediately, if the turn is waiting for events or is about to
  /// wait.
  func wake()
  /// The function with which a signal handler wakes the loop; nil if the loop never sleeps.
  var signalWakeUp: SignalWakeUp? { get }
  /// Whether the process belongs to Lull or to a program that embeds the host. False in a stock
  /// interpreter, where Lull handles signals only while it blocks.
  var ownsProcess: Bool { get }
  /// Whether other code owns the pump. Such a pump may have several hosts, and outlives this host.
  var isShared: Bool { get }
  /// The services that other code uses too, and that outlive the host.
  var sharedServices: Set<ObjectIdentifier> { get }
  /// Whether a script call that can't be suspended may run the loop until it has its result.
  var canBlock: Bool { get }
  /// Whether time advances only when no other work is left. If so, a periodic check would keep the
  /// loop running forever.
  var holdsTime: Bool { get }
  /// Watches a descriptor for readable data. Returns nil if the loop can't watch the descriptor. A
  /// regular file can't be watched, because it is always readable.
  func watch(_ descriptor: Int32) -> DescriptorWatch?
  /// Calls `action` between two turns whenever the signal has arrived. Returns nil if the signal
  /// can't be watched.
  func watchSignal(_ number: Int32, _ action: @escaping () -> Void) -> SignalWatch?
  func close()
}

extension HostEnvironment {
  package var isShared: Bool { false }
  package var sharedServices: Set<ObjectIdentifier> { [] }
  package var canBlock: Bool { true }
  package var holdsTime: Bool { false }
  package var queuedExchangeCount: Int { 0 }
  package func wake() {}
  package func watch(_ descriptor: Int32) -> DescriptorWatch? { nil }
  package func watchSignal(_ number: Int32, _ action: @escaping () -> Void) -> SignalWatch? { nil }
}
