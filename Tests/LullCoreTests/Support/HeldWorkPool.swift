import LullCore

/// A pool that does its work when the test says so.
final class HeldWorkPool: WorkPool {
  private var works: [@Sendable () -> Void] = []

  var count: Int { works.count }

  func run(_ work: @escaping @Sendable () -> Void) { works.append(work) }

  /// Does the work at `index`, by default the oldest.
  func work(_ index: Int = 0) { works.remove(at: index)() }
}
