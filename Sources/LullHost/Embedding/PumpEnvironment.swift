import LullCore
import LullSystem

/// What an embedded runtime stands on: a pump and a network of its program's, which others drive.
final class PumpEnvironment: HostEnvironment {
  let pump: Pump
  private let networking: any NetworkingProvider
  private var hooks: [() -> Void] = []
  /// Those that the program has given to scripts, or got from them.
  var sharedServices: Set<ObjectIdentifier> { Set(shared.keys) }
  /// Each with the version that its configuration had then.
  private(set) var shared: [ObjectIdentifier: (service: Service, version: Int)] = [:]

  init(_ pump: Pump, _ networking: any NetworkingProvider) {
    self.pump = pump
    self.networking = networking
  }

  let isShared = true
  let canBlock = false
  // Signals are the program's business, and nothing is said on standard error of what its runtimes leave
  // undone when they close.
  let ownsProcess = true
  var signalWakeUp: SignalWakeUp? { nil }

  func defaultNetworking() -> any NetworkingProvider { networking }

  /// Nobody drives it from here: what would have to block is refused before.
  func run(until condition: () -> Bool) {}

  func onTurn(_ hook: @escaping () -> Void) { hooks.append(hook) }

  func beginTurn() { for hook in hooks { hook() } }

  func share(_ service: Service) -> Bool {
    guard shared[ObjectIdentifier(service)] == nil else { return false }
    shared[ObjectIdentifier(service)] = (service, service.configurationVersion)
    return true
  }

  /// Lets go of services of which scripts have nothing any more; those in which something of theirs may
  /// be left go on holding `owner`.
  func release(_ owner: AnyObject) {
    for (service, version) in shared.values {
      var isInUse = service.configurationVersion != version
      service.table.forEach { record in
        record.observers.removeToldByHost()
        if record.observers.hasHeld { isInUse = true }
      }
      if !isInUse { service.hostOwners.removeAll { $0 === owner } }
    }
    shared = [:]
  }

  func close() { hooks = [] }
}
