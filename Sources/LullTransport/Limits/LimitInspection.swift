import LullLibC
package import LullCore
import LullSystem

/// Inspects the limits that processes share, from outside a program.
package struct LimitInspection {
  /// The reason why the limits cannot be inspected.
  package struct Problem: Error {
    package let message: String
  }

  /// One limit.
  package struct Summary: Sendable, Equatable {
    package let name: String
    /// A digest of the identity to which the limit applies; empty for none.
    package let identity: [UInt8]
    /// The rules, sorted by number of requests and period. They are empty if there was no request
    /// for so long that no rule applies.
    package var rules: [Rule] = []
    /// The number of waiting processes. Each process counts once for each of its services.
    package var waiting = 0
    /// The budget that the server has reported; nil if no budget is valid now.
    package var server: LimitLesson.Budget?
    /// Seconds for which the server accepts no more requests; nil if it accepts requests.
    package var pause: Double?
  }

  /// One rule of a limit, and its current use.
  package struct Rule: Sendable, Equatable {
    package let requests: Int
    /// The period in seconds.
    package let per: Double
    package let used: Int
    /// Seconds until the next admission: 0 if an admission is available now, nil if unknown.
    package let opensAfter: Double?
  }

  package let path: String

  /// - Parameter path: The path of the file; nil for the default.
  package init(path: String?) throws(Problem) {
    guard let path = path ?? MachineLimits.standardPath else {
      throw Problem(message: "limits have no file: neither XDG_STATE_HOME nor HOME names a folder")
    }
    self.path = CacheFolder.absolute(path)
  }

  /// Whether the file exists. Inspecting does not create it.
  package var exists: Bool { CacheFolder.identity(of: path) != nil }

  /// Returns the limits that still apply, sorted by name. Waits for processes that are using the
  /// file.
  package func summaries() throws(Problem) -> [Summary] {
    guard access(path, R_OK) == 0 else {
      let code = errno
      if code == ENOENT || code == ENOTDIR { return [] }
      throw Problem(message: "cannot read '\(path)': \(ErrorText.of(code))")
    }
    guard CacheFolder.size(of: path) > 0 else { return [] }
    // This is checked before any file is created beside it.
    guard LimitSchema.isDatabase(path) else {
      throw Problem(message: "'\(path)' is not a limits file")
    }
    let troubles = Troubles()
    let file = LimitFile(path: path, isInspection: true) { troubles.add($0) }
    let found = SignalGuard.withoutSIGXFSZ {
      file.change(waiting: true) { (tables) throws(SQLiteError) in
        try tables.summaries(now: BootTime.now)
      }
    }
    guard let found else {
      throw Problem(message: troubles.first ?? "'\(path)' cannot be read now")
    }
    return found
  }
}
