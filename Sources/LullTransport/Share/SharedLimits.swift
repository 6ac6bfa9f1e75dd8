package import LullCore
import LullSystem

/// The limits that processes share. The processes of one machine share the limits through a file.
/// If a server is configured, several machines share the limits through the server. Home thread
/// only.
package final class SharedLimits: LimitSource {
  private unowned let pump: Pump
  private let machine: MachineLimits
  private let allowedHosts: AllowedHosts?
  private var client: ShareClient?
  private var hasLooked = false
  /// Whether to ignore the server that the environment configures, as in the sandbox.
  package var isAlone = false

  /// - Parameters:
  ///   - path: The path of this machine's limits file; nil for the default.
  ///   - allowedHosts: The servers that a program may name; nil for any.
  package init(_ pump: Pump, path: String? = nil, allowedHosts: AllowedHosts? = nil) {
    self.pump = pump
    self.allowedHosts = allowedHosts
    machine = MachineLimits(pump, path: path)
  }

  /// Sets the server through which a pump shares data from now on; nil ends the sharing. Has no
  /// effect if the pump shares nothing, as in a test.
  package static func share(_ share: Share?, on pump: Pump) throws(ShareError) {
    let settings = try share.map { share throws(ShareError) in try ShareSettings(share) }
    guard let limits = pump.limits as? SharedLimits else { return }
    if let refusal = settings?.address.place.refusal(by: limits.allowedHosts) {
      throw ShareError(description: refusal)
    }
    limits.use(settings, limits.allowedHosts)
  }

  /// Checks the settings without using them.
  package static func check(_ share: Share) throws(ShareError) { _ = try ShareSettings(share) }

  private func use(_ settings: ShareSettings?, _ allowedHosts: AllowedHosts?) {
    hasLooked = true
    if let client {
      pump.remove(client)
      client.close()
    }
    client = settings.map {
      ShareClient($0, pump, limitsPath: machine.filePath, allowedHosts: allowedHosts)
    }
    guard let client else { return }
    pump.add(client)
    if client.settings.address.isInClear {
      CacheStore.warn(
        "data and password are sent unencrypted to \(client.settings.address.shown); "
          + "use rediss://")
    }
  }

  /// The client of the server to share through; nil for none. If the program names no server, the
  /// environment may name one. The allowed hosts are not checked for that server, because the user
  /// who started the program has chosen it.
  var connected: ShareClient? {
    guard !hasLooked, !isAlone else { return client }
    hasLooked = true
    do throws(ShareError) {
      use(try Share.ofEnvironment.map { share throws(ShareError) in try ShareSettings(share) }, nil)
    } catch {
      CacheStore.warn("\(Share.variable): \(error); nothing is shared with other machines")
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
    return ServerAdmissionLog(limit, local, client, pump, machine: machine)
  }
}
