import LullCore
import LullSystem

/// The environment of a runtime that is embedded in a Swift program. The program owns the pump and
/// the network, and drives the pump.
final class PumpEnvironment: HostEnvironment {
  let pump: Pump
  private let networking: any NetworkingProvider
  private var hooks: [() -> Void] = []
  /// The services that the program passed to Lua code or got from it.
  var sharedServices: Set<ObjectIdentifier> { Set(shared.keys) }
  /// Each service that Swift and Lua share. `version` is the version of the service's configuration
  /// at the time when the service was first shared.
  private(set) var shared: [ObjectIdentifier: (service: Service, version: Int)] = [:]

  init(_ pump: Pump, _ networking: any NetworkingProvider) {
    self.pump = pump
    self.networking = networking
  }

  let isShared = true
  let canBlock = false
  // True although the process does not belong to Lull: the program handles signals, and a runtime
  // that closes with unfinished work prints nothing to standard error.
  let ownsProcess = true
  var signalWakeUp: SignalWakeUp? { nil }

  func defaultNetworking() -> any NetworkingProvider { networking }

  /// Does nothing, because the program drives the pump. A call that would have to block is rejected
  /// before it gets here.
  func run(until condition: () -> Bool) {}

  func onTurn(_ hook: @escaping () -> Void) { hooks.append(hook) }

  func beginTurn() { for hook in hooks { hook() } }

  func share(_ service: Service) -> Bool {
    guard shared[ObjectIdentifier(service)] == nil else { return false }
    shared[ObjectIdentifier(service)] = (service, service.configurationVersion)
    return true
  }

  /// For each shared service that no longer has any script values, removes `owner` from the owners
  /// of the service. A service that may still have script values continues to keep `owner` alive.
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
