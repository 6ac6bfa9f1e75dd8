import CLullBridge
import LullCore
import LullSystem

extension LuaHost {
  /// Says which limit was passed, and where if that is known; once.
  func reportPassedLimit(_ failure: ScriptFailure? = nil) {
    guard !hasReportedLimit, let report = describePassedLimit(failure) else { return }
    hasReportedLimit = true
    scriptErrorCount += 1
    StandardError.write(report)
    lull_watchdog_keep_quiet()
  }

  /// The report of the limit that was passed; nil if none was.
  func describePassedLimit(_ failure: ScriptFailure?) -> String? {
    limits.passed(failure).map { describe($0) }
  }
}
