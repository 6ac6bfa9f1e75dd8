import LullCore

extension LimitTables {
  /// What there is of every limit that still holds, by name.
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
