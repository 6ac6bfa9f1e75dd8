package import LullCore
package import LullSystem
package import LullTransport

/// What a scripting host stands on: time, the pump, a network, and somebody who drives them.
///
/// Programs use the event loop; tests give a manual clock and stubs.
package protocol HostEnvironment: AnyObject {
  var pump: Pump { get }
  /// The network of services that name none; made at the first call.
  func defaultNetworking() -> any NetworkingProvider
  /// Exchanges of that network that wait for a connection to be free.
  var queuedExchangeCount: Int { get }
  /// Turns until the condition holds.
  func run(until condition: () -> Bool)
  /// Sets what runs at the start of every turn.
  func onTurn(_ hook: @escaping () -> Void)
  /// Has a turn that waits, or is about to, return at once.
  func wake()
  /// How a signal handler wakes the loop; nil where nothing sleeps.
  var signalWakeUp: SignalWakeUp? { get }
  /// Whether the process belongs to Lull, so that SIGTERM and SIGPIPE are its business.
  var ownsProcess: Bool { get }
  /// Whether the pump is somebody else's, on which other hosts may live, and which outlives this one.
  var isShared: Bool { get }
  /// Services that others use too, and that outlive the host.
  var sharedServices: Set<ObjectIdentifier> { get }
  /// Whether a call of a script that nothing can suspend may turn the loop until it has its answer.
  var canBlock: Bool { get }
  /// Whether time stands still until nothing else is left to do, so that what only looks around from time to
  /// time would keep it going for ever.
  var holdsTime: Bool { get }
  /// Says when there is something to read; nil where the loop cannot watch such a descriptor, as of a
  /// file, which can always be read.
  func watch(_ descriptor: Int32) -> DescriptorWatch?
  /// Calls back between two turns when the signal has come; nil if that cannot be.
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
