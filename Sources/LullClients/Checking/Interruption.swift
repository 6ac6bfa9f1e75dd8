import CLullBridge
import LullHost

/// What has ended an API file that was only looked at: a limit, `os.exit`, or a signal.
///
/// Home thread only.
struct Interruption {
  private let bridge: BridgeRuntime
  private let limits: LimitKeeper
  private let loop: ScriptLoop
  private let reporter: Reporter

  init(_ host: LuaHost) {
    bridge = host.bridge
    limits = host.limits
    loop = host.loop
    reporter = host.reporter
  }

  /// How the file has ended, or would not have ended, what only looked at it; nil if it was a signal.
  var text: String? {
    if limits.hasPassed {
      return lull_limit_passed(bridge.pointer) == Int32(LULL_LIMIT_MEMORY)
        ? "needs more memory than an API file may" : "does not come to an end"
    }
    return loop.exitCode == nil ? nil : "calls os.exit, which ends whatever uses the file"
  }

  /// Whether it was a limit of which has been told.
  var isKnownLimit: Bool { limits.hasPassed && reporter.hasReportedLimit }

  /// Nothing more is told of it, and what comes after it is run all the same.
  func pass() {
    loop.exitCode = nil
    reporter.forgoLimit()
  }
}
