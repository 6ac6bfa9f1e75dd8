/// Where the services of one pump have their shared limits counted: in memory, unless it is told otherwise.
/// Home thread only.
final class LimitDesk: LimitSlot {
  let source: any LimitSource

  init(_ source: any LimitSource) {
    self.source = source
    super.init(counter: source)
  }
}

extension Pump {
  /// Has limits that go beyond one service counted there, until the pump closes; in place of an earlier one.
  package func attach(_ source: any LimitSource) { limitSlot = LimitDesk(source) }

  /// What counts them; nil if nobody has needed or named it.
  package var attachedLimits: (any LimitSource)? {
    // `attach` makes no other slot.
    limitSlot.map { unsafeDowncast($0, to: LimitDesk.self).source }
  }

  /// The same, in memory if nobody has named another.
  var limitSource: any LimitSource {
    if let source = attachedLimits { return source }
    let source = LoopLimits(self)
    attach(source)
    return source
  }
}
