import LullLibC
package import LullCore
import LullSystem

/// The limits that processes share, as one looks at them from outside.
package struct LimitInspection {
  /// What is wrong, in words.
  package struct Problem: Error {
    package let message: String
  }

  /// One limit.
  package struct Summary: Sendable, Equatable {
    package let name: String
    /// A digest of whose it is; empty if that is nobody in particular.
    package let identity: [UInt8]
    /// By number and span; none if nobody has asked for so long that none holds.
    package var rules: [Rule] = []
    /// Processes that wait now, each once for each of its services.
    package var waiting = 0
    /// What the server has said, while that holds.
    package var server: LimitLesson.Budget?
    /// Seconds for which the server wants no more.
    package var pause: Double?
  }

  /// What one of the rules of a limit allows, and what of it is used now.
  package struct Rule: Sendable, Equatable {
    package let requests: Int
    /// Seconds.
    package let per: Double
    package let used: Int
    /// Seconds until one more is let through; nil if that is not known, 0 for now.
    package let opensAfter: Double?
  }

  package let path: String

  /// - Parameter path: nil for the usual one.
  package init(path: String?) throws(Problem) {
    guard let path = path ?? MachineLimits.standardPath else {
      throw Problem(message: "neither XDG_STATE_HOME nor HOME says where limits are counted")
    }
    self.path = CacheFolder.absolute(path)
  }

  /// Whether there are any; if not, the file is not made either.
  package var exists: Bool { CacheFolder.identity(of: path) != nil }

  /// Those that still hold, in the order of their names. It waits for processes that are counting.
  package func summaries() throws(Problem) -> [Summary] {
    guard access(path, R_OK) == 0 else {
      let code = errno
      if code == ENOENT || code == ENOTDIR { return [] }
      throw Problem(message: "cannot read '\(path)': \(ErrorText.of(code))")
    }
    guard CacheFolder.size(of: path) > 0 else { return [] }
    // Before anything is made beside it.
    guard LimitSchema.isDatabase(path) else {
      throw Problem(message: "'\(path)' is no file of limits")
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
