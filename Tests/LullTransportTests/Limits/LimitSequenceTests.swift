import LullCore
import LullLibC
import LullSystem
import LullTestSupport
import LullTesting
import Testing

@testable import LullTransport

/// Random histories of processes that start one after another, some of them killed, on one file of limits.
/// After each step every count equals its rows, and no process waits longer than the rows demand.
///
/// `LULL_FUZZ_SEED` sets the first history. With `LULL_FUZZ_SECONDS` there are 2,000 of them.
@Suite(.timeLimit(.minutes(20)))
struct LimitSequenceTests {
  private static func setting(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  @Test
  func `LIM-84 after each step of processes that come and go, a limit's count equals its rows`()
    throws
  {
    try #require(SQLiteConnection.problem == nil)
    let first = Self.setting("LULL_FUZZ_SEED").flatMap { UInt64($0) } ?? 1
    let count: UInt64 = Self.setting("LULL_FUZZ_SECONDS") == nil ? 40 : 2000
    var totals = LimitHistory.Totals()
    for seed in first..<first + count {
      let fixture = try #require(CacheFolderFixture())
      var history = try LimitHistory(path: fixture.path, seed: seed)
      do {
        try history.run()
      } catch {
        Issue.record("LULL_FUZZ_SEED=\(seed): \(error)")
        if count == 40 { return }
      }
      totals.add(history.totals)
      withExtendedLifetime(fixture) {}
    }
    // A harness in which nothing happens would find nothing.
    #expect(totals.grants > count)
    #expect(totals.kills > count / 2)
    #expect(totals.repairs > 0)
    print("Limits: \(count) histories from \(first): \(totals)")
  }

  @Test func `LIM-84 a count without rows blocks nobody, whether the file is opened or stays open`()
    throws
  {
    let fixture = try #require(CacheFolderFixture())
    let bench = try LimitTablesTests.Bench(fixture.path)
    var asker = LimitTables.Asker(key: LimitKey(name: "a"), requests: 2, per: 10)
    #expect(try bench.isGranted(&asker, 100))
    #expect(try bench.isGranted(&asker, 100))
    // As version 0.2.0 has left it whenever a process opened the file after the span.
    try bench.database.execute("DELETE FROM admission")
    #expect(try bench.isGranted(&asker, 101), "the rows decide")
    try bench.database.execute("UPDATE rule SET inside = 7; DELETE FROM admission")
    try bench.run { (tables) throws(SQLiteError) in try tables.forgetUnused(now: 102) }
    #expect(try bench.database.integer("SELECT inside FROM rule") == 0)
    let summaries = try bench.run { (tables) throws(SQLiteError) in
      try tables.summaries(now: 102)
    }
    #expect(summaries.map { $0.rules.first?.used } == [0])
    try bench.database.execute("UPDATE tally SET paused = 1e308, resets = 1e308, allowance = 0")
    try bench.run { (tables) throws(SQLiteError) in try tables.forgetUnused(now: 103) }
    #expect(try bench.database.integer("SELECT max(resets, paused) FROM tally") == 86_503)
    withExtendedLifetime(fixture) {}
  }
}

/// One history: its file, its clock and the processes that use it.
struct LimitHistory {
  struct Totals {
    var processes: UInt64 = 0
    var kills: UInt64 = 0
    var grants: UInt64 = 0
    var repairs: UInt64 = 0

    mutating func add(_ other: Totals) {
      processes += other.processes
      kills += other.kills
      grants += other.grants
      repairs += other.repairs
    }
  }

  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  /// A process, as far as the file knows it.
  private struct Process {
    let owner: Int64
    let database: SQLiteConnection
    let identities: SaltedIdentities
    var askers: [LimitTables.Asker]
    /// Admitted and not sent.
    var unsent: [Admission] = []
  }

  private static let rules: [(requests: Int, per: Double)] = [(3, 1), (5, 4), (1, 0.5), (9, 30)]
  private static let key = LimitKey(name: "a")

  private(set) var totals = Totals()
  private let path: String
  private let locks: OwnerLocks
  private var random: SeededGenerator
  private var now = 1000.0
  /// The rules of this history; each process uses one of them or several.
  private let rules: [(requests: Int, per: Double)]
  /// When requests were sent, in order.
  private var sent: [Double] = []

  init(path: String, seed: UInt64) throws {
    self.path = path
    locks = try OwnerLocks(path: path)
    random = SeededGenerator(seed: seed)
    var rules = LimitHistory.rules.shuffled(using: &random)
    rules.removeLast(random.below(rules.count))
    self.rules = rules
    try CacheFolder.makeFile(path)
  }

  mutating func run() throws {
    let longest = rules.map(\.per).max() ?? 1
    for _ in 0..<4 + random.below(8) {
      if random.chance(6) { try damage() }
      try runProcess()
      now += random.chance(2) ? Double.random(in: 0..<longest * 3, using: &random) : 0.01
    }
  }

  private mutating func runProcess() throws {
    totals.processes += 1
    let database = try SQLiteConnection(path: path)
    let identities = try LimitFile.prepare(database, locks, boot: "one", now: now, wall: now)
    let used = rules.shuffled(using: &random).prefix(1 + random.below(rules.count))
    var process = Process(
      owner: Int64.random(in: 1..<1 << 62, using: &random), database: database,
      identities: identities,
      askers: used.map {
        LimitTables.Asker(key: LimitHistory.key, requests: $0.requests, per: $0.per)
      })
    try check(process, "a process has opened the file")
    for _ in 0..<1 + random.below(20) {
      try step(&process)
      now += Double.random(in: 0..<0.2, using: &random)
      if random.chance(12) {
        // Killed: nothing is given back.
        totals.kills += 1
        return
      }
    }
    try end(&process)
  }

  private mutating func step(_ process: inout Process) throws {
    let index = random.below(max(1, process.unsent.count))
    switch random.below(8) {
    case 0 where !process.unsent.isEmpty:
      let admission = process.unsent.remove(at: index)
      // By its rule, which may have been forgotten while it was unsent.
      let asker = process.askers[0]
      try change(process) { (tables, now) throws(SQLiteError) in
        try tables.send(admission, by: asker, now: now)
      }
      sent.append(now)
    case 1 where !process.unsent.isEmpty:
      let admission = process.unsent.remove(at: index)
      try change(process) { (tables, _) throws(SQLiteError) in try tables.withdraw(admission) }
    case 2:
      // Another process opens the file, or looks at it, and does nothing.
      let other = try SQLiteConnection(path: path)
      _ = try LimitFile.prepare(other, locks, boot: "one", now: now, wall: now)
    case 3 where !sent.isEmpty && process.unsent.isEmpty:
      now += Double.random(in: 0..<2, using: &random)
    default:
      try ask(&process)
    }
    try check(process, "a step")
  }

  /// Asks until it is granted, which takes no longer than the longest span once nothing is unsent.
  private mutating func ask(_ process: inout Process) throws {
    let index = random.below(process.askers.count)
    let deadline = now + (rules.map(\.per).max() ?? 1) + 1
    while true {
      var asker = process.askers[index]
      let answer = try change(process) { (tables, now) throws(SQLiteError) in
        try tables.ask(&asker, now: now)
      }
      process.askers[index] = asker
      switch answer {
      case .granted(let admission):
        totals.grants += 1
        process.unsent.append(admission)
        if !random.chance(4) {
          process.unsent.removeLast()
          try change(process) { (tables, now) throws(SQLiteError) in
            try tables.send(admission, by: asker, now: now)
          }
          sent.append(now)
        }
        return
      case .opens(let delay):
        if !process.unsent.isEmpty || random.chance(10) {
          try change(process) { (tables, _) throws(SQLiteError) in
            try tables.stopAsking(&asker)
          }
          process.askers[index] = asker
          return
        }
        guard now < deadline else {
          throw Problem(description: "a process waits longer than every span at \(now)")
        }
        now += max(delay, 0.001)
      }
      try check(process, "a question")
    }
  }

  /// It ends in order, and gives back what it has not sent.
  private mutating func end(_ process: inout Process) throws {
    for admission in process.unsent {
      try change(process) { (tables, _) throws(SQLiteError) in try tables.withdraw(admission) }
    }
    for var asker in process.askers {
      try change(process) { (tables, _) throws(SQLiteError) in try tables.stopAsking(&asker) }
    }
    try check(process, "a process has ended")
  }

  /// As an earlier version has left it, or worse.
  private mutating func damage() throws {
    totals.repairs += 1
    let database = try SQLiteConnection(path: path)
    guard try LimitSchema.isReady(database) else { return }
    let sql = [
      "DELETE FROM admission", "UPDATE rule SET inside = inside + 3",
      "UPDATE rule SET inside = -2", "UPDATE rule SET since = 1e9",
      "DELETE FROM admission WHERE id % 2 = 0",
    ]
    try database.execute(sql[random.below(sql.count)])
    // What is lost was sent all the same, and counts no more.
    sent = []
  }

  @discardableResult
  private func change<Result>(
    _ process: Process, _ body: (LimitTables, Double) throws(SQLiteError) -> Result
  ) throws -> Result {
    try process.database.transaction { () throws(SQLiteError) in
      try body(
        LimitTables(process.database, process.identities, locks, owner: process.owner), now)
    }
  }

  private func check(_ process: Process, _ step: String) throws {
    let wrong = try process.database.integer(
      """
      SELECT count(*) FROM rule WHERE inside <> (SELECT count(*) FROM admission
        WHERE admission.tally = rule.tally AND admission.time > rule.since)
      """)
    guard wrong == 0 else {
      throw Problem(description: "after \(step) at \(now) \(wrong) counts differ from their rows")
    }
    // A rule holds while it is asked by, which the only one of a history always is.
    guard rules.count == 1, let rule = rules.first, sent.count > rule.requests else { return }
    let last = sent.count - 1
    guard sent[last] - sent[last - rule.requests] >= rule.per - 1e-5 else {
      throw Problem(
        description: "after \(step) at \(now) more than \(rule.requests) within \(rule.per) s")
    }
  }
}
