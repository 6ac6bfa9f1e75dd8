/// Where the services of one pump have their shared limits counted: in memory, unless it is told otherwise.
/// Home thread only.
package final class LimitDesk: PumpGuest {
  package let source: any LimitSource

  package init(_ source: any LimitSource) {
    self.source = source
  }

  /// That of the pump.
  static func of(_ pump: Pump) -> LimitDesk {
    if let desk = pump.guest(LimitDesk.self) { return desk }
    let desk = LimitDesk(LoopLimits(pump))
    pump.add(desk)
    return desk
  }

  package func turnBegins() {}
  package func turnEnded() {}
  package func pumpCloses() {}
}
