package import LullCore
import LullSystem

/// Limits that processes share: of one machine by a file, of several by a server where one is named. Home
/// thread only.
package final class SharedLimits: LimitSource {
  private unowned let pump: Pump
  private let machine: MachineLimits
  private var client: ShareClient?
  private var hasLooked = false

  /// - Parameter path: of the machine's file; nil for the usual one.
  package init(_ pump: Pump, path: String? = nil) {
    self.pump = pump
    machine = MachineLimits(pump, path: path)
  }

  /// That of the pump.
  static func of(_ pump: Pump) -> SharedLimits? {
    pump.attachedLimits as? SharedLimits
  }

  /// Limits that are set from now on, or asked for anew, are counted on that server; nil: on none.
  func share(_ share: Share?) throws(ShareError) {
    hasLooked = true
    let made = try share.map { share throws(ShareError) in try ShareClient(share, pump) }
    if let client {
      pump.remove(client)
      client.close()
    }
    client = made
    if let made { pump.add(made) }
  }

  /// The server that is shared by, which the environment may name.
  private var connected: ShareClient? {
    guard !hasLooked else { return client }
    hasLooked = true
    do throws(ShareError) {
      try share(Share.ofEnvironment)
    } catch {
      CacheStore.warn("\(Share.variable): \(error)")
    }
    return client
  }

  package func identity(of credentials: [(name: String, value: SecretText)]) -> [UInt8] {
    machine.identity(of: credentials)
  }

  package var server: Int { connected?.serial ?? 0 }

  package func makeLog(of limit: RateLimit, _ key: LimitKey) -> any AdmissionLog {
    var local = key
    local.server = 0
    guard let client, key.server == client.serial else { return machine.makeLog(of: limit, local) }
    return ServerAdmissionLog(limit, tag: client.tag(of: local), client, pump) {
      [machine] in machine.makeLog(of: limit, local)
    }
  }
}
