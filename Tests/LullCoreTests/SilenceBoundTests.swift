import LullCore
import Testing

/// What bounds exchanges that are as long as their bodies.
@Suite(.timeLimit(.minutes(20)))
struct SilenceBoundTests {
  /// The timeout and the idle_timeout that are set, and the silence that is allowed.
  private static let rows: [(timeout: Double, idle: Double?, silence: Double)] = [
    (60, nil, 60), (5, nil, 60), (0, nil, 60), (300, nil, 300), (.infinity, nil, .infinity),
    (60, 10, 10), (300, 10, 10), (5, 90, 90), (60, .infinity, .infinity), (5, .infinity, .infinity),
  ]

  @Test(arguments: rows)
  func `BODY-06 DWN-14 silence bounds it, never for less than a timeout that was set`(
    _ row: (timeout: Double, idle: Double?, silence: Double)
  ) {
    let bound = SilenceBound(insteadOf: row.timeout, idleTimeout: row.idle)
    #expect(bound.timeout == .infinity)
    #expect(bound.idleTimeout == row.silence)
    var request = HTTPRequest(method: "GET", url: "http://localhost/")
    request.limits.timeout = row.timeout
    if let idle = row.idle {
      request.options = TransferOptions()
      request.options?.idleTimeout = idle
    }
    for _ in 0..<2 {
      request.boundBySilence()
      #expect(request.limits.timeout == .infinity)
      #expect(request.options?.idleTimeout == row.silence)
    }
  }
}
