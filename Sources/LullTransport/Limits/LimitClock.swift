import LullCore
import LullLibC

/// The time base of a limits file: seconds since the machine has started.
enum LimitClock {
  /// If the file has times of an earlier boot, converts them to times of this boot, using the
  /// wall-clock time that has passed since. If the wall clock was set back, no time counts as
  /// passed.
  static func adjust(
    _ database: SQLiteConnection, boot: String, uptime: Double, wall: Double
  ) throws(SQLiteError) {
    var known: (boot: String, uptime: Double, wall: Double)?
    try database.run("SELECT boot, uptime, wall FROM clock") { (row) throws(SQLiteError) in
      known = (row.text(0), row.real(1), row.real(2))
    }
    if let known, known.boot != boot {
      let passed = max(0, wall - known.wall)
      let shift: [SQLiteValue] = [.real(uptime - passed - known.uptime), .real(uptime)]
      // Waiting callers and unsent admissions no longer exist. Admissions that may have been sent
      // count from now on, because of the minimum below.
      try database.execute("DELETE FROM waiting; DELETE FROM admission WHERE time >= 1e308")
      try database.run("UPDATE admission SET time = min(time + ?, ?)", shift)
      try database.run("UPDATE rule SET since = min(since + ?1, ?2), used = used + ?1", shift)
      try database.run(
        "UPDATE tally SET resets = resets + ?1, paused = paused + ?1", Array(shift.prefix(1)))
      try database.execute(
        """
        UPDATE rule SET inside = (SELECT count(*) FROM admission
          WHERE admission.tally = rule.tally AND admission.time > rule.since)
        """)
    }
    try database.execute("DELETE FROM clock")
    try database.run(
      "INSERT INTO clock VALUES (?, ?, ?)", [.text(boot), .real(uptime), .real(wall)])
  }
}

/// A clock that advances evenly, also while the machine sleeps or its wall clock is set. It is the
/// same for all processes until the machine restarts.
enum BootTime {
  /// The current time in seconds.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLibrary.clockSinceBoot, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Identifies the boot from which the time counts.
  static let boot: String = {
    guard case .success(let bytes) = SecretFile.read("/proc/sys/kernel/random/boot_id") else {
      return ""
    }
    return String(escaping: bytes.prefix { $0 > 32 })
  }()
}
