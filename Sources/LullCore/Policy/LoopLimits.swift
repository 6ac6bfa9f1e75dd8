/// Counts limits in memory, for all services of one event loop. Used if there is no shared storage
/// for counting across processes. Home thread only.
package final class LoopLimits: LimitSource {
  private struct Known {
    weak var count: MemoryCount?
  }

  private unowned let pump: Pump
  private var known: [LimitKey: Known] = [:]

  package init(_ pump: Pump) {
    self.pump = pump
  }

  package func identity(of credentials: [(name: String, value: SecretText)]) -> [UInt8] {
    Array(credentials.map { "\($0.name):\($0.value.masked)" }.joined(separator: "\n").utf8)
  }

  package func makeLog(of limit: RateLimit, _ key: LimitKey) -> any AdmissionLog {
    let count = known[key]?.count ?? MemoryCount(pump)
    known = known.filter { $0.value.count != nil }
    known[key] = Known(count: count)
    return MemoryAdmissionLog(limit, count)
  }
}
