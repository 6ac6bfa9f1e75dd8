package import LullCore
import LullSystem

/// Limits that processes share: of one machine by a file, of several by a server where one is named. Home
/// thread only.
package final class SharedLimits: LimitSource {
  private unowned let pump: Pump
  private let machine: MachineLimits
  private let allowedHosts: AllowedHosts?
  private var client: ShareClient?
  private var hasLooked = false
  /// Whether the environment's server is nothing to those who run here, as in the sandbox.
  package var isAlone = false

  /// - Parameters:
  ///   - path: of the machine's file; nil for the usual one.
  ///   - allowedHosts: what servers may be reached that a program names; nil: any.
  package init(_ pump: Pump, path: String? = nil, allowedHosts: AllowedHosts? = nil) {
    self.pump = pump
    self.allowedHosts = allowedHosts
    machine = MachineLimits(pump, path: path)
  }

  /// Has what a pump shares counted on that server from now on, or asked for anew; nil: on none. Does
  /// nothing where nothing is shared, as in a test.
  package static func share(_ share: Share?, on pump: Pump) throws(ShareError) {
    let settings = try share.map { share throws(ShareError) in try ShareSettings(share) }
    guard let limits = pump.limits as? SharedLimits else { return }
    if let refusal = settings?.address.place.refusal(by: limits.allowedHosts) {
      throw ShareError(description: refusal)
    }
    limits.use(settings, limits.allowedHosts)
  }

  /// Looks at the settings only.
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
        "what is shared by \(client.settings.address.shown) goes there unencrypted, and so does its password; "
          + "use rediss://")
    }
  }

  /// The server that is shared by, which the environment may name: that is a matter of whoever started the
  /// program, and not asked after.
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
