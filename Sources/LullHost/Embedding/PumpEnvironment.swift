import LullCore
import LullSystem

/// The environment of an embedded runtime: the pump and network of its program, driven from
/// outside.
final class PumpEnvironment: HostEnvironment {
  let pump: Pump
  private let networking: any NetworkingProvider
  private var hooks: [() -> Void] = []
  /// The services that the program passed to scripts or got from them.
  var sharedServices: Set<ObjectIdentifier> { Set(shared.keys) }
  /// Each shared service, with the version of its configuration when it was shared.
  private(set) var shared: [ObjectIdentifier: (service: Service, version: Int)] = [:]

  init(_ pump: Pump, _ networking: any NetworkingProvider) {
    self.pump = pump
    self.networking = networking
  }

  let isShared = true
  let canBlock = false
  // The program handles signals, and a runtime that closes with unfinished work prints nothing to
  // standard error.
  let ownsProcess = true
  var signalWakeUp: SignalWakeUp? { nil }

  func defaultNetworking() -> any NetworkingProvider { networking }

  /// Does nothing, because the pump is driven from outside. Calls that would have to block are
  /// rejected earlier.
  func run(until condition: () -> Bool) {}

  func onTurn(_ hook: @escaping () -> Void) { hooks.append(hook) }

  func beginTurn() { for hook in hooks { hook() } }

  func share(_ service: Service) -> Bool {
    guard shared[ObjectIdentifier(service)] == nil else { return false }
    shared[ObjectIdentifier(service)] = (service, service.configurationVersion)
    return true
  }

  /// Releases the services to which no script values are attached any more. Services that may still
  /// have some keep `owner` alive.
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
