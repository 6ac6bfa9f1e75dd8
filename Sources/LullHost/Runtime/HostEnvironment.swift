package import LullCore
package import LullSystem
package import LullTransport

/// The environment of a scripting host: time, the pump, a network, and the code that drives them.
///
/// Programs use the event loop; tests use a manual clock and stubs.
package protocol HostEnvironment: AnyObject {
  var pump: Pump { get }
  /// Returns the network of services that specify none; created at the first call.
  func defaultNetworking() -> any NetworkingProvider
  /// The number of exchanges of that network that wait for a free connection.
  var queuedExchangeCount: Int { get }
  /// Runs turns until the condition holds.
  func run(until condition: () -> Bool)
  /// Sets a function that runs at the start of every turn.
  func onTurn(_ hook: @escaping () -> Void)
  /// Makes a turn that waits, or is about to wait, return immediately.
  func wake()
  /// Lets a signal handler wake the loop; nil if the loop never sleeps.
  var signalWakeUp: SignalWakeUp? { get }
  /// Whether the process belongs to Lull, so that Lull handles SIGTERM and SIGPIPE.
  var ownsProcess: Bool { get }
  /// Whether the pump belongs to something else. Such a pump may have other hosts, and outlives
  /// this one.
  var isShared: Bool { get }
  /// The services that are also used outside the host and outlive it.
  var sharedServices: Set<ObjectIdentifier> { get }
  /// Whether a script call that can't be suspended may run the loop until it has its result.
  var canBlock: Bool { get }
  /// Whether time advances only when nothing else is left to do. Then periodic checks would keep it
  /// going for ever.
  var holdsTime: Bool { get }
  /// Watches a descriptor for readable data; nil if the loop can't watch it. Regular files can't be
  /// watched, because they are always readable.
  func watch(_ descriptor: Int32) -> DescriptorWatch?
  /// Calls `action` between two turns after the signal has arrived; nil if that is not possible.
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
