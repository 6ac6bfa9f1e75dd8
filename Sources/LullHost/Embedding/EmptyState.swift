import CLullBridge
import LullCore

/// A Lua state in which there is nothing, in the place of one that was closed: what a service still has of
/// a closed runtime's finds everything gone in it. One for each pump.
final class EmptyState: PumpGuest {
  private let host: LuaHost
  private let state: OpaquePointer

  /// That of the pump, made when it is first needed; nil without memory.
  static func of(_ environment: PumpEnvironment) -> EmptyState? {
    let pump = environment.pump
    if let made = pump.guest(EmptyState.self) { return made }
    guard let made = EmptyState(pump.clock, environment.defaultNetworking()) else { return nil }
    pump.add(made)
    return made
  }

  private init?(_ clock: any HostClock, _ networking: any NetworkingProvider) {
    guard let state = lull_state_new_sandboxed(nil) else { return nil }
    self.state = state
    host = LuaHost(
      environment: PumpEnvironment(Pump(clock: clock), networking), library: .plain)
    // As in `RuntimeCore`.
    let pointer = Unmanaged.passUnretained(host).toOpaque()
    guard lull_state_preload(state, pointer) == 0, lull_state_require(state, 0) == 0 else {
      lull_state_close(state)
      return nil
    }
  }

  deinit {
    // Nothing of anybody's is in it that could call.
    lull_state_close(state)
  }

  var runtime: OpaquePointer { host.bridge.pointer }

  func turnBegins() {}
  func turnEnded() {}
  func pumpCloses() {}
}
