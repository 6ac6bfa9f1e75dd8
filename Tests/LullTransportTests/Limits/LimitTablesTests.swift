import LullCore
import LullSystem
import Testing

@testable import LullTransport

/// The rules by which processes count together, told the time.
@Suite(.timeLimit(.minutes(20)))
struct LimitTablesTests {
  /// Admissions as the rules have them, the slow way.
  private struct Model {
    var admissions: [(number: Int64, time: Double)] = []

    func inside(_ per: Double, _ now: Double) -> Int {
      admissions.filter { $0.time > now - per + 1e-6 }.count
    }
  }

  private func withTables(_ body: (Bench) throws -> Void) throws {
    let fixture = try #require(CacheFolderFixture())
    try body(Bench(fixture.path))
    withExtendedLifetime(fixture) {}
  }

  private struct Unexpected: Error {
    let what: String
  }

  /// A file of limits, and whoever asks in it.
  final class Bench {
    let path: String
    let locks: OwnerLocks
    let database: SQLiteConnection
    let identities: SaltedIdentities

    init(_ path: String) throws {
      self.path = path
      locks = try OwnerLocks(path: path)
      try #require(SQLiteConnection.problem == nil)
      try CacheFolder.makeFile(path)
      database = try SQLiteConnection(path: path)
      if try !LimitSchema.isReady(database) { try LimitSchema.create(in: database) }
      try LimitSchema.configure(database)
      identities = try LimitSchema.identities(of: database)
    }

    func run<Result>(
      as owner: Int64? = nil, _ body: (LimitTables) throws(SQLiteError) -> Result
    ) throws -> Result {
      try database.transaction { () throws(SQLiteError) in
        try body(LimitTables(database, identities, locks, owner: owner))
      }
    }

    func isGranted(_ asker: inout LimitTables.Asker, _ now: Double) throws -> Bool {
      if case .granted = try ask(&asker, now) { return true }
      return false
    }

    /// - Parameter isSent: whether what is granted is sent at the same time.
    func ask(
      _ asker: inout LimitTables.Asker, _ now: Double, isSent: Bool = true
    ) throws -> AdmissionAnswer {
      var copy = asker
      let answer = try run { (tables) throws(SQLiteError) in
        let answer = try tables.ask(&copy, now: now)
        if isSent, case .granted(let admission) = answer {
          try tables.send(admission, by: copy, now: now)
        }
        return answer
      }
      asker = copy
      return answer
    }
  }

  private func asker(
    _ requests: Int, per: Double, _ name: String = "a"
  ) -> LimitTables.Asker {
    LimitTables.Asker(key: LimitKey(name: name), requests: requests, per: per)
  }

  @Test
  func
    `LIM-01 as many are let through as the rule says, and the next when the oldest is as old as 'per'`()
    throws
  {
    try withTables { bench in
      var asker = asker(2, per: 10)
      guard case .granted = try bench.ask(&asker, 100), case .granted = try bench.ask(&asker, 101)
      else { throw Unexpected(what: "two are let through") }
      #expect(try bench.ask(&asker, 109.75) == .opens(after: 0.25))
      #expect(try bench.ask(&asker, 102) == .opens(after: 0.5), "somebody may give one back before")
      guard case .granted = try bench.ask(&asker, 110) else { throw Unexpected(what: "it opens") }
      #expect(try bench.ask(&asker, 110.75) == .opens(after: 0.25))
    }
  }

  @Test func `LIM-02 never more than each rule says in any window, whoever asks by which`() throws {
    try withTables { bench in
      var random = SystemRandomNumberGenerator()
      let rules = [(7, 3.0), (20, 11.0), (3, 0.5)]
      var askers = (0..<6).map { asker(rules[$0 % 3].0, per: rules[$0 % 3].1) }
      var sent: [Double] = []
      var now = 1000.0
      var open: [Admission] = []
      // A rule holds from when somebody asks by it.
      for index in rules.indices {
        guard case .granted(let admission) = try bench.ask(&askers[index], now) else { continue }
        try bench.run { (tables) throws(SQLiteError) in try tables.withdraw(admission) }
      }
      for step in 0..<6000 {
        now += Double.random(in: 0..<0.15, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0 where !open.isEmpty:
          let admission = open.remove(at: Int.random(in: 0..<open.count, using: &random))
          try bench.run { (tables) throws(SQLiteError) in try tables.withdraw(admission) }
        case 1 where !open.isEmpty:
          let admission = open.remove(at: Int.random(in: 0..<open.count, using: &random))
          let time = now
          try bench.run { (tables) throws(SQLiteError) in
            try tables.send(admission, of: LimitKey(name: "a"), now: time)
          }
          sent.append(now)
        default:
          let index = step % askers.count
          let isSent = Bool.random(using: &random)
          guard case .granted(let admission) = try bench.ask(&askers[index], now, isSent: isSent)
          else { continue }
          if isSent { sent.append(now) } else { open.append(admission) }
        }
      }
      #expect(sent.count > 300)
      for (requests, per) in rules {
        for index in sent.indices.dropFirst(requests) {
          #expect(sent[index] - sent[index - requests] >= per - 1e-5)
        }
      }
    }
  }

  @Test func `LIM-03 what is let through is as much as one window that nobody shares lets through`()
    throws
  {
    try withTables { bench in
      var asker = asker(5, per: 2)
      var model = Model()
      var now = 50.0
      for step in 0..<3000 {
        now += Double((step * 7919) % 100) / 300
        let isOpen = model.inside(2, now) < 5
        if case .granted(let admission) = try bench.ask(&asker, now) {
          #expect(isOpen)
          model.admissions.append((admission.number, now))
        } else {
          #expect(!isOpen)
        }
      }
      #expect(model.admissions.count > 500)
    }
  }

  @Test
  func `LIM-04 who has waited longer goes first, and each waits for as many as stand in front`()
    throws
  {
    try withTables { bench in
      var (first, second, third) = (asker(1, per: 10), asker(1, per: 10), asker(1, per: 10))
      _ = try bench.ask(&first, 0)
      #expect(try bench.ask(&second, 1) == .opens(after: 0.5))
      #expect(try bench.ask(&third, 2) == .opens(after: 0.5))
      #expect(try !bench.isGranted(&third, 10), "it is not its turn")
      #expect(try bench.isGranted(&second, 10))
      #expect(
        try bench.ask(&second, 20) == .opens(after: 0.5), "it stands behind the other one now")
      #expect(try bench.isGranted(&third, 20))
    }
  }

  @Test func `LIM-05 who leaves the line makes room for those behind`() throws {
    try withTables { bench in
      var (first, second, third) = (asker(1, per: 10), asker(1, per: 10), asker(1, per: 10))
      _ = try bench.ask(&first, 0)
      _ = try bench.ask(&second, 1)
      _ = try bench.ask(&third, 1)
      let leaving = second
      try bench.run { (tables) throws(SQLiteError) in
        var leaving = leaving
        try tables.stopAsking(&leaving)
      }
      #expect(try bench.isGranted(&third, 10))
    }
  }

  @Test
  func
    `LIM-06 one that is let through counts until it is sent, and from then on for the whole span`()
    throws
  {
    try withTables { bench in
      var asker = asker(1, per: 10)
      guard case .granted(let admission) = try bench.ask(&asker, 0, isSent: false) else {
        throw Unexpected(what: "the first is let through")
      }
      #expect(try bench.ask(&asker, 1000) == .opens(after: 0.5))
      try bench.run { (tables) throws(SQLiteError) in
        try tables.send(admission, of: LimitKey(name: "a"), now: 1001)
      }
      #expect(try bench.ask(&asker, 1010.75) == .opens(after: 0.25))
      guard case .granted = try bench.ask(&asker, 1011) else { throw Unexpected(what: "it opens") }
    }
  }

  @Test func `LIM-07 what a process has that is no more is given back`() throws {
    try withTables { bench in
      let dead = bench.locks.owner + 1
      var (gone, here) = (asker(1, per: 10), asker(1, per: 10))
      let copy = gone
      gone = try bench.run(as: dead) { (tables) throws(SQLiteError) in
        var gone = copy
        _ = try tables.ask(&gone, now: 0)
        _ = try tables.ask(&gone, now: 1)
        return gone
      }
      #expect(gone.ticket != nil)
      guard case .granted = try bench.ask(&here, 2) else {
        throw Unexpected(what: "nobody holds that number, so that nobody is in front")
      }
      let kept = try bench.database.integer("SELECT count(*) FROM waiting")
      #expect(kept == 0)
    }
  }

  @Test
  func `LIM-32 what a dead process may have sent counts for a span, and what it had not is free`()
    throws
  {
    try withTables { bench in
      let dead = bench.locks.owner + 1
      var (gone, here) = (asker(2, per: 10), asker(2, per: 10))
      let copy = gone
      gone = try bench.run(as: dead) { (tables) throws(SQLiteError) in
        var gone = copy
        _ = try tables.ask(&gone, now: 0)
        if case .granted(let admission) = try tables.ask(&gone, now: 0) {
          try tables.begin(admission)
        }
        return gone
      }
      #expect(try bench.isGranted(&here, 50), "that of which no byte went out")
      #expect(try bench.ask(&here, 59.75) == .opens(after: 0.25))
      #expect(try bench.isGranted(&here, 60))
    }
  }

  @Test func `LIM-08 limits of other names, or of somebody else, count apart`() throws {
    try withTables { bench in
      var (one, other) = (asker(1, per: 10, "a"), asker(1, per: 10, "b"))
      var somebody = LimitTables.Asker(
        key: LimitKey(name: "a", identity: [1]), requests: 1, per: 10)
      for _ in 0..<2 {
        _ = try bench.ask(&one, 0)
        _ = try bench.ask(&other, 0)
        _ = try bench.ask(&somebody, 0)
      }
      #expect(try bench.database.integer("SELECT count(*) FROM admission") == 3)
    }
  }

  @Test func `LIM-09 what the server says lowers the limit until it begins anew`() throws {
    try withTables { bench in
      var asker = asker(100, per: 60)
      guard case .granted(let first) = try bench.ask(&asker, 0),
        case .granted = try bench.ask(&asker, 0)
      else { throw Unexpected(what: "both are let through") }
      let lesson = LimitLesson(budget: LimitLesson.Budget(left: 2, resetsAfter: 30))
      try bench.run { (tables) throws(SQLiteError) in
        try tables.learn(lesson, from: first, of: LimitKey(name: "a"), now: 1)
      }
      guard case .granted = try bench.ask(&asker, 1) else {
        throw Unexpected(what: "of the two that are left, one was under way")
      }
      #expect(try bench.ask(&asker, 1) == .opens(after: 5))
      #expect(try bench.ask(&asker, 30.75) == .opens(after: 0.25))
      guard case .granted = try bench.ask(&asker, 31) else {
        throw Unexpected(what: "it begins anew")
      }
    }
  }

  @Test func `LIM-10 an answer that the server does not count gives its place back`() throws {
    try withTables { bench in
      var asker = asker(1, per: 10)
      guard case .granted(let admission) = try bench.ask(&asker, 0) else {
        throw Unexpected(what: "the first is let through")
      }
      try bench.run { (tables) throws(SQLiteError) in
        try tables.learn(
          LimitLesson(isFree: true), from: admission, of: LimitKey(name: "a"), now: 1)
      }
      guard case .granted = try bench.ask(&asker, 1) else { throw Unexpected(what: "it is open") }
    }
  }

  @Test func `LIM-11 after a new start of the machine what was sent before still counts`() throws {
    try withTables { bench in
      try LimitClock.adjust(bench.database, boot: "one", uptime: 5000, wall: 100_000)
      var asker = asker(2, per: 600)
      _ = try bench.ask(&asker, 5000)
      guard case .granted = try bench.ask(&asker, 5100, isSent: false) else {
        throw Unexpected(what: "both are let through")
      }
      // The clock of the wall says that 300 seconds have passed.
      try LimitClock.adjust(bench.database, boot: "two", uptime: 20, wall: 100_300)
      var again = asker
      again.ticket = nil
      guard case .granted = try bench.ask(&again, 20) else {
        throw Unexpected(what: "what was not sent is given back")
      }
      #expect(try bench.ask(&again, 20) == .opens(after: 5))
      #expect(try bench.ask(&again, 319.75) == .opens(after: 0.25))
    }
  }

  @Test
  func `LIM-41 who has stopped while it waits holds nobody up, and has its place when it goes on`()
    throws
  {
    try withTables { bench in
      var (first, stopped, third) = (asker(1, per: 60), asker(1, per: 60), asker(1, per: 60))
      _ = try bench.ask(&first, 0)
      _ = try bench.ask(&stopped, 1)
      _ = try bench.ask(&third, 2)
      _ = try bench.ask(&third, 50)
      #expect(try bench.isGranted(&third, 60), "the one in front has not been heard of since long")
      _ = try bench.ask(&third, 61)
      _ = try bench.ask(&stopped, 110)
      #expect(try !bench.isGranted(&third, 120), "it goes on, and stands in front")
      #expect(try bench.isGranted(&stopped, 120))
    }
  }

  @Test func `LIM-42 what is sent long after it was let through counts all that time and its span`()
    throws
  {
    try withTables { bench in
      var (late, other) = (asker(1, per: 2), asker(1, per: 2))
      guard case .granted(let admission) = try bench.ask(&late, 0, isSent: false) else {
        throw Unexpected(what: "the first is let through")
      }
      #expect(try bench.ask(&other, 2.5) == .opens(after: 0.5), "nobody knows when it is sent")
      let sender = late
      try bench.run { (tables) throws(SQLiteError) in
        try tables.send(admission, by: sender, now: 30)
      }
      // A process that opens the file now finds it, though nobody has asked by that rule for long.
      try bench.run { (tables) throws(SQLiteError) in try tables.forgetUnused(now: 30.5) }
      #expect(try bench.ask(&other, 31.75) == .opens(after: 0.25))
      #expect(try bench.isGranted(&other, 32))
    }
  }

  @Test func `LIM-43 one that is noted as sent when its span has passed takes no place for ever`()
    throws
  {
    try withTables { bench in
      var asker = asker(1, per: 2)
      guard case .granted(let admission) = try bench.ask(&asker, 0, isSent: false) else {
        throw Unexpected(what: "the first is let through")
      }
      #expect(try bench.ask(&asker, 10) == .opens(after: 0.5))
      var other = self.asker(5, per: 2)
      #expect(try !bench.isGranted(&other, 10))
      try bench.run { (tables) throws(SQLiteError) in
        try tables.send(admission, of: LimitKey(name: "a"), now: 1)
      }
      #expect(try bench.isGranted(&asker, 20))
      #expect(try bench.isGranted(&asker, 40))
    }
  }
}
