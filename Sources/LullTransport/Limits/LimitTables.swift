import LullCore

/// The rules by which processes count admissions together, applied to the tables of a limits file.
/// For use inside one transaction.
///
/// Each limit is a tally. A tally consists of a log of admissions, the rules of its users, which
/// all apply, a queue of waiting callers, and the state that the server has reported. Every
/// operation takes constant time, however many admissions a rule allows.
struct LimitTables {
  let database: SQLiteConnection
  private let identities: SaltedIdentities
  private let owner: Int64
  private let locks: OwnerLocks

  /// - Parameters:
  ///   - identities: Computes identities with the salt of the file.
  ///   - owner: The ID (see `OwnerLocks`) of the process that uses the tables; nil for this
  ///     process.
  init(
    _ database: SQLiteConnection, _ identities: SaltedIdentities, _ locks: OwnerLocks,
    owner: Int64? = nil
  ) {
    self.database = database
    self.identities = identities
    self.locks = locks
    self.owner = owner ?? locks.owner
  }

  /// A caller that requests admissions. The value is kept from one request of the caller to the
  /// next.
  struct Asker: Sendable {
    let key: LimitKey
    let requests: Int
    let per: Double
    /// The caller's position in the queue of processes; nil if the caller is not in the queue.
    var ticket: Int64?
  }

  /// Returns the number of seconds after which a waiting caller must ask again. The caller must ask
  /// again because another caller may have left the queue. The result is smaller if the wait is
  /// short or unknown.
  ///
  /// - Parameter opens: Seconds until the limit opens.
  private static func patience(_ opens: Double) -> Double {
    opens < 30 || opens >= unsent ? 0.5 : 5
  }
  /// If a waiting caller does not ask again within this number of seconds, it counts as suspended.
  /// Other callers are then admitted before it.
  static let silence = 15.0
  /// The time that is stored for granted admissions that are not sent.
  private static let unsent = 1e308
  /// The time that is stored for admissions for whose requests a byte may have been sent.
  /// Admissions with a time above 1e300 count until they are sent.
  private static let begun = 1e307
  /// The number of seconds after which an unused rule no longer applies, if the rule's own period
  /// has passed too. Waiting callers use their rules more often.
  private static let shortestUse = 2.0
  private static let tolerance = 1e-6

  // MARK: Requesting admissions

  func ask(_ asker: inout Asker, now: Double) throws(SQLiteError) -> AdmissionAnswer {
    let tally = try tally(asker.key)
    try note(asker, tally, now: now)
    try showLife(&asker, now: now)
    var answer = try opening(asker, tally, now: now)
    if answer != nil, try forgetDead(tally, now: now) {
      answer = try opening(asker, tally, now: now)
    }
    if let answer {
      if asker.ticket == nil {
        try database.run(
          "INSERT INTO waiting (tally, owner, seen) VALUES (?, ?, ?)",
          [.integer(tally), .integer(owner), .real(now)])
        asker.ticket = try database.integer("SELECT last_insert_rowid()")
      }
      return .opens(after: min(answer, LimitTables.patience(answer)))
    }
    try leave(&asker)
    // The admission counts until it is sent, however long that takes.
    try database.run(
      "INSERT INTO admission (tally, time, owner) VALUES (?, ?, ?)",
      [.integer(tally), .real(LimitTables.unsent), .integer(owner)])
    let admission = Admission(number: try database.integer("SELECT last_insert_rowid()"))
    try database.run(
      "UPDATE rule SET inside = inside + 1 WHERE tally = ?", [.integer(tally)])
    try database.run(
      "UPDATE tally SET allowance = max(0, allowance - 1) WHERE id = ? AND allowance IS NOT NULL",
      [.integer(tally)])
    return .granted(admission)
  }

  /// Returns the number of seconds until the limit opens for the asker, as far as known; nil if the
  /// limit is open now.
  private func opening(
    _ asker: Asker, _ tally: Int64, now: Double
  ) throws(SQLiteError) -> Double? {
    let ahead = try database.integer(
      "SELECT count(*) FROM waiting WHERE tally = ? AND id < ? AND seen > ?",
      [.integer(tally), .integer(asker.ticket ?? .max), .real(now - LimitTables.silence)])
    var opens = try learned(tally).opens(now: now, reserved: Int(ahead))
    for noted in try rules(of: tally, now: now) where noted.inside + ahead >= noted.requests {
      let rule = try recounted(noted, tally)
      guard rule.inside + ahead >= rule.requests else { continue }
      // Each caller in front of this one takes one admission.
      let place = rule.inside + ahead - rule.requests
      let time = try opening(of: rule, tally, place: place, now: now) ?? LimitTables.unsent
      opens = max(opens ?? 0, time)
    }
    return opens.map { $0 < LimitTables.unsent ? max(0, $0 - now) : $0 }
  }

  /// Returns the time when `place` + 1 admissions will have left the rule's period. Returns nil if
  /// one of these admissions is not sent yet.
  func opening(
    of rule: Rule, _ tally: Int64, place: Int64, now: Double
  ) throws(SQLiteError) -> Double? {
    var time: Double?
    try database.run(
      "SELECT time FROM admission WHERE tally = ? AND time > ? ORDER BY time LIMIT 1 OFFSET ?",
      [.integer(tally), .real(rule.since), .integer(max(0, place))]
    ) { (row) throws(SQLiteError) in time = row.real(0) }
    return time.flatMap { $0 < 1e300 ? $0 + rule.per : nil }
  }

  private func showLife(_ asker: inout Asker, now: Double) throws(SQLiteError) {
    guard let ticket = asker.ticket else { return }
    try database.run(
      "UPDATE waiting SET seen = ? WHERE id = ? AND owner = ?",
      [.real(now), .integer(ticket), .integer(owner)])
    // The ticket belonged to a file that no longer exists.
    if database.changeCount == 0 { asker.ticket = nil }
  }

  func stopAsking(_ asker: inout Asker) throws(SQLiteError) { try leave(&asker) }

  private func leave(_ asker: inout Asker) throws(SQLiteError) {
    guard let ticket = asker.ticket else { return }
    asker.ticket = nil
    try database.run(
      "DELETE FROM waiting WHERE id = ? AND owner = ?", [.integer(ticket), .integer(owner)])
  }

  // MARK: Granted admissions

  /// Marks an admission for whose request a byte may be sent from now on. If the process ends, the
  /// admission counts for a full period.
  func begin(_ admission: Admission) throws(SQLiteError) {
    try database.run(
      "UPDATE admission SET time = \(LimitTables.begun) WHERE id = ? AND time > 1e300",
      [.integer(admission.number)])
  }

  /// Starts the period of an admission. The sender's rule applies for at least that long.
  func send(_ admission: Admission, by asker: Asker, now: Double) throws(SQLiteError) {
    try note(asker, try tally(asker.key), now: now)
    try send(admission, of: asker.key, now: now)
  }

  func send(_ admission: Admission, of key: LimitKey, now: Double) throws(SQLiteError) {
    guard let (tally, before) = try find(admission) else {
      // The admission was granted elsewhere, or the file was replaced.
      return try enter(admission, of: key, at: now)
    }
    try database.run(
      "UPDATE admission SET time = ? WHERE id = ?", [.real(now), .integer(admission.number)])
    // Rules whose period has passed no longer count the admission.
    try database.run(
      "UPDATE rule SET inside = inside + (since < ?3) - (since < ?2) WHERE tally = ?1",
      [.integer(tally), .real(before), .real(now)])
  }

  func withdraw(_ admission: Admission) throws(SQLiteError) {
    guard let (tally, time) = try find(admission) else { return }
    try database.run("DELETE FROM admission WHERE id = ?", [.integer(admission.number)])
    try database.run(
      "UPDATE rule SET inside = inside - 1 WHERE tally = ? AND since < ?",
      [.integer(tally), .real(time)])
    try database.run(
      "UPDATE tally SET allowance = allowance + 1 WHERE id = ? AND allowance IS NOT NULL",
      [.integer(tally)])
  }

  func learn(
    _ lesson: LimitLesson, from admission: Admission, of key: LimitKey, now: Double
  ) throws(SQLiteError) {
    let tally = try tally(key)
    // Counts the admissions that were granted later, and those that were granted before but sent
    // later or not yet.
    let sentSince = try database.integer(
      """
      SELECT count(*) FROM admission WHERE tally = ?1 AND id <> ?2 AND (id > ?2
        OR time > ifnull((SELECT time FROM admission WHERE id = ?2), 1e300))
      """, [.integer(tally), .integer(admission.number)])
    if lesson.isFree { try withdraw(admission) }
    var learned = try learned(tally)
    learned.learn(lesson, now: now, sentSince: Int(sentSince))
    try database.run(
      "UPDATE tally SET allowance = ?, resets = ?, paused = ? WHERE id = ?",
      [
        .optional(learned.left), .real(max(learned.resets, -1e308)),
        .real(max(learned.pausedUntil, -1e308)), .integer(tally),
      ])
  }

  private func enter(
    _ admission: Admission, of key: LimitKey, at time: Double
  ) throws(SQLiteError) {
    let tally = try tally(key)
    try database.run(
      "INSERT INTO admission (id, tally, time, owner) VALUES (?, ?, ?, ?)",
      [.integer(admission.number), .integer(tally), .real(time), .integer(owner)])
    try database.run(
      "UPDATE rule SET inside = inside + 1 WHERE tally = ? AND since < ?",
      [.integer(tally), .real(time)])
  }

  private func find(_ admission: Admission) throws(SQLiteError) -> (tally: Int64, time: Double)? {
    var found: (Int64, Double)?
    try database.run(
      "SELECT tally, time FROM admission WHERE id = ?", [.integer(admission.number)]
    ) { (row) throws(SQLiteError) in found = (row.integer(0), row.real(1)) }
    return found
  }

  // MARK: Tallies and rules

  private func tally(_ key: LimitKey) throws(SQLiteError) -> Int64 {
    let values: [SQLiteValue] = [
      .text(key.name), .bytes(identities.salted(key.identity)),
    ]
    let known = try database.integer(
      "SELECT id FROM tally WHERE name = ? AND identity = ?", values)
    guard known == 0 else { return known }
    try database.run(
      "INSERT INTO tally (name, identity, resets, paused) VALUES (?, ?, -1e308, -1e308)", values)
    return try database.integer("SELECT last_insert_rowid()")
  }

  struct Rule {
    let requests: Int64
    let per: Double
    let since: Double
    let inside: Int64
    let used: Double
  }

  /// Records the asker's rule in the tally. If the rule is new, it counts the existing admissions
  /// of the tally.
  private func note(_ asker: Asker, _ tally: Int64, now: Double) throws(SQLiteError) {
    let values: [SQLiteValue] = [
      .integer(tally), .integer(Int64(asker.requests)), .real(asker.per), .real(now),
    ]
    try database.run(
      "UPDATE rule SET used = ?4 WHERE tally = ?1 AND requests = ?2 AND per = ?3", values)
    guard database.changeCount == 0 else { return }
    try database.run(
      """
      INSERT INTO rule (tally, requests, per, used, since, inside) VALUES (?1, ?2, ?3, ?4, ?4 - ?3,
        (SELECT count(*) FROM admission WHERE tally = ?1 AND time > ?4 - ?3))
      """, values)
  }

  /// Returns the rules that apply, with their current count.
  func rules(of tally: Int64, now: Double) throws(SQLiteError) -> [Rule] {
    var rules: [Rule] = []
    try database.run(
      "SELECT requests, per, since, inside, used FROM rule WHERE tally = ?", [.integer(tally)]
    ) { (row) throws(SQLiteError) in
      rules.append(
        Rule(
          requests: row.integer(0), per: row.real(1), since: row.real(2), inside: row.integer(3),
          used: row.real(4)))
    }
    var result: [Rule] = []
    var hasPassed = false
    for rule in rules {
      let key: [SQLiteValue] = [.integer(tally), .integer(rule.requests), .real(rule.per)]
      guard now - rule.used <= max(rule.per, LimitTables.shortestUse) else {
        try database.run("DELETE FROM rule WHERE tally = ? AND requests = ? AND per = ?", key)
        hasPassed = true
        continue
      }
      let since = max(rule.since, now - rule.per + LimitTables.tolerance)
      let passed = try database.integer(
        "SELECT count(*) FROM admission WHERE tally = ? AND time > ? AND time <= ?",
        [.integer(tally), .real(rule.since), .real(since)])
      if passed > 0 {
        hasPassed = true
        try database.run(
          """
          UPDATE rule SET since = ?4, inside = inside - ?5
          WHERE tally = ?1 AND requests = ?2 AND per = ?3
          """, key + [.real(since), .integer(passed)])
      }
      result.append(
        Rule(
          requests: rule.requests, per: rule.per, since: since, inside: rule.inside - passed,
          used: rule.used))
    }
    if hasPassed, let oldest = result.map(\.since).min() {
      try database.run(
        "DELETE FROM admission WHERE tally = ? AND time <= ?", [.integer(tally), .real(oldest)])
    }
    return result
  }

  func learned(_ tally: Int64) throws(SQLiteError) -> LearnedLimit {
    var learned = LearnedLimit()
    try database.run(
      "SELECT allowance, resets, paused FROM tally WHERE id = ?", [.integer(tally)]
    ) { (row) throws(SQLiteError) in
      learned = LearnedLimit(
        left: row.isNull(0) ? nil : Int(row.integer(0)), resets: row.real(1),
        pausedUntil: row.real(2))
    }
    return learned
  }

  // MARK: Cleaning up

  /// Deletes rules that no longer apply, with their admissions and limits. Recounts the admissions
  /// of all other rules, because a wrong count is damage and would block every process forever.
  /// (LIM-84)
  func forgetUnused(now: Double) throws(SQLiteError) {
    try database.run(
      "DELETE FROM rule WHERE used < ?1 - max(per, \(LimitTables.shortestUse))", [.real(now)])
    // Later times are wrong: no server requests longer pauses, and nothing was sent in the future.
    // (LIM-23)
    try database.run(
      "UPDATE tally SET resets = min(resets, ?1), paused = min(paused, ?1)",
      [.real(now + ServerLimit.longest)])
    try database.run(
      "UPDATE admission SET time = ?1 WHERE time > ?1 AND time < 1e300", [.real(now)])
    // A rule covers its whole period: a later start is damage.
    try database.run(
      "UPDATE rule SET since = ?1 - per + \(LimitTables.tolerance)", [.real(now)])
    try database.execute(
      """
      DELETE FROM admission WHERE time < 1e300 AND NOT EXISTS
        (SELECT 1 FROM rule WHERE rule.tally = admission.tally AND admission.time > rule.since);
      UPDATE rule SET inside = (SELECT count(*) FROM admission
        WHERE admission.tally = rule.tally AND admission.time > rule.since);
      """)
    try database.run(
      """
      DELETE FROM tally WHERE resets < ?1 AND paused < ?1
        AND NOT EXISTS (SELECT 1 FROM rule WHERE rule.tally = tally.id)
        AND NOT EXISTS (SELECT 1 FROM admission WHERE admission.tally = tally.id)
        AND NOT EXISTS (SELECT 1 FROM waiting WHERE waiting.tally = tally.id)
      """, [.real(now)])
  }

  /// Returns the rule with the number of its admissions in the table. If the stored count is wrong,
  /// it is corrected, also while the file stays open. So processes wait only for admissions that
  /// exist.
  func recounted(_ rule: Rule, _ tally: Int64) throws(SQLiteError) -> Rule {
    let inside = try database.integer(
      "SELECT count(*) FROM admission WHERE tally = ? AND time > ?",
      [.integer(tally), .real(rule.since)])
    guard inside != rule.inside else { return rule }
    try database.run(
      "UPDATE rule SET inside = ?4 WHERE tally = ?1 AND requests = ?2 AND per = ?3",
      [.integer(tally), .integer(rule.requests), .real(rule.per), .integer(inside)])
    return Rule(
      requests: rule.requests, per: rule.per, since: rule.since, inside: inside, used: rule.used)
  }

  /// Removes the entries of processes that have ended. Their admissions count from now on if they
  /// may have been sent. Returns whether any process has ended.
  func forgetDead(_ tally: Int64, now: Double) throws(SQLiteError) -> Bool {
    var owners: Set<Int64> = []
    for sql in [
      "SELECT DISTINCT owner FROM waiting WHERE tally = ?",
      "SELECT DISTINCT owner FROM admission WHERE tally = ? AND time > 1e300",
    ] {
      try database.run(sql, [.integer(tally)]) { (row) throws(SQLiteError) in
        owners.insert(row.integer(0))
      }
    }
    let dead = owners.filter { $0 != owner && !locks.isHeldByOther($0) }
    for owner in dead {
      try database.run("DELETE FROM waiting WHERE owner = ?", [.integer(owner)])
      // These admissions count for every rule, as before.
      try database.run(
        """
        UPDATE admission SET time = ?3 WHERE tally = ?1 AND owner = ?2 AND time > 1e300
          AND time < \(LimitTables.unsent)
        """, [.integer(tally), .integer(owner), .real(now)])
      var unsent: [Admission] = []
      try database.run(
        "SELECT id FROM admission WHERE tally = ? AND owner = ? AND time > 1e300",
        [.integer(tally), .integer(owner)]
      ) { (row) throws(SQLiteError) in unsent.append(Admission(number: row.integer(0))) }
      for admission in unsent { try withdraw(admission) }
    }
    return !dead.isEmpty
  }
}

extension LimitTables {
  /// Returns the state of every limit that still applies, sorted by name.
  func summaries(now: Double) throws(SQLiteError) -> [LimitInspection.Summary] {
    var known: [(id: Int64, name: String, identity: [UInt8])] = []
    try database.run("SELECT id, name, identity FROM tally ORDER BY name, identity") {
      (row) throws(SQLiteError) in
      known.append((row.integer(0), row.text(1), row.bytes(2)))
    }
    var summaries: [LimitInspection.Summary] = []
    for (id, name, identity) in known {
      _ = try forgetDead(id, now: now)
      let learned = try learned(id)
      let rules = try rules(of: id, now: now)
      var summary = LimitInspection.Summary(name: name, identity: identity)
      for noted in rules {
        let rule = try recounted(noted, id)
        let opens = try opening(of: rule, id, place: rule.inside - rule.requests, now: now)
        summary.rules.append(
          LimitInspection.Rule(
            requests: Int(rule.requests), per: rule.per, used: Int(rule.inside),
            opensAfter: rule.inside >= rule.requests ? opens.map { max(0, $0 - now) } : 0))
      }
      summary.waiting = Int(
        try database.integer(
          "SELECT count(*) FROM waiting WHERE tally = ? AND seen > ?",
          [.integer(id), .real(now - LimitTables.silence)]))
      if let left = learned.left, learned.resets > now {
        summary.server = LimitLesson.Budget(left: left, resetsAfter: learned.resets - now)
      }
      if learned.pausedUntil > now { summary.pause = learned.pausedUntil - now }
      if !summary.rules.isEmpty || summary.server != nil || summary.pause != nil {
        summaries.append(summary)
      }
    }
    return summaries
  }
}
