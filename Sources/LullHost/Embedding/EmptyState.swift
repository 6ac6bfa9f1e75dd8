import CLullBridge
import LullCore

/// An empty Lua state that replaces the state of a closed runtime. Services that still refer to
/// values of the closed runtime find none of those values in the empty state. Each pump has one
/// empty state.
final class EmptyState: PumpGuest {
  private let host: LuaHost
  private let state: OpaquePointer

  /// Returns the empty state of the pump, created on first use, or nil if memory runs out.
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
    // The state is prepared as in `RuntimeCore`.
    let pointer = Unmanaged.passUnretained(host).toOpaque()
    guard lull_state_preload(state, pointer) == 0, lull_state_require(state, 0) == 0 else {
      lull_state_close(state)
      return nil
    }
  }

  deinit {
    // The state holds no values with finalisers that could call back.
    lull_state_close(state)
  }

  var runtime: OpaquePointer { host.bridge.pointer }

  func turnBegins() {}
  func turnEnded() {}
  func pumpCloses() {}
}
