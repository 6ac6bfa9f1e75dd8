package import LullCore
package import LullSystem
package import LullTransport

/// The environment with the event loop and its network, which `lull` and `lull.so` use.
package final class LoopEnvironment: HostEnvironment {
  private let loop: EventLoop
  package let pump: Pump
  package let ownsProcess: Bool
  private let allowedHosts: AllowedHosts?
  /// The network that the event loop drives; nil until a service needs it.
  private var provider: CurlProvider?

  /// Creates an event loop and its environment.
  ///
  /// - Parameters:
  ///   - ownsProcess: true in the command, false in an interpreter that does not belong to Lull.
  ///   - allowedHosts: the hosts to which requests may be sent; nil for any host.
  package init(
    ownsProcess: Bool, allowedHosts: AllowedHosts? = nil
  ) throws(TransportError) {
    loop = try EventLoop()
    pump = loop.pump
    pump.limits = SharedLimits(pump, allowedHosts: allowedHosts)
    self.ownsProcess = ownsProcess
    self.allowedHosts = allowedHosts
  }

  package func defaultNetworking() -> any NetworkingProvider {
    if let provider { return provider }
    let made = CurlProvider(
      loop: loop, blocksSIGPIPE: !ownsProcess, allowedHosts: allowedHosts)
    provider = made
    return made
  }

  package var queuedExchangeCount: Int { provider?.waitingCount ?? 0 }

  package func run(until condition: () -> Bool) { loop.run(until: condition) }

  package func onTurn(_ hook: @escaping () -> Void) { loop.beforeTurn.append(hook) }

  package func wake() { loop.wake() }

  package var signalWakeUp: SignalWakeUp? { loop.signalWakeUp }

  package func watch(_ descriptor: Int32) -> DescriptorWatch? {
    DescriptorWatch(descriptor, on: loop)
  }

  package func watchSignal(_ number: Int32, _ action: @escaping () -> Void) -> SignalWatch? {
    SignalWatch(number, on: loop, action)
  }

  package func close() { loop.close() }
}
