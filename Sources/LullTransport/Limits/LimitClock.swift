import LullCore
import LullLibC

/// What the times in a file of limits mean: seconds since the machine has started.
enum LimitClock {
  /// Translates the times of an earlier start of the machine, by what its clock says has passed since; a
  /// clock that was set back meanwhile makes it none.
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
      // Whoever has waited, or had not sent yet, is no more. What was about to be sent counts from now on, by
      // the minimum below.
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

/// Time that goes on evenly, also while the machine sleeps, whatever is done to its clock; the same for all
/// processes until it starts anew.
enum BootTime {
  /// Seconds.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLibrary.clockSinceBoot, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Which start of the machine it counts from.
  static let boot: String = {
    guard case .success(let bytes) = SecretFile.read("/proc/sys/kernel/random/boot_id") else {
      return ""
    }
    return String(escaping: bytes.prefix { $0 > 32 })
  }()
}
