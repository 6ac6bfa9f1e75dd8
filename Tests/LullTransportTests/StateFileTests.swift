import LullCore
import LullLibC
import LullSystem
import LullTesting
import Testing

@testable import LullTransport

/// Files in which processes keep their state: whose they must be, and what becomes of them when others
/// hold or have changed them.
@Suite(.timeLimit(.minutes(20)))
struct StateFileTests {
  private let fixture: CacheFolderFixture
  private let warnings = Journal()

  init() throws {
    fixture = try #require(CacheFolderFixture())
    try #require(SQLiteConnection.problem == nil)
  }

  private func limits(patience: Double = 10, rest: Double = 30) -> LimitFile {
    LimitFile(path: fixture.path, patience: patience, rest: rest) { [warnings] in warnings($0) }
  }

  private func use(_ file: LimitFile) -> Bool {
    file.change(waiting: true) { (_) throws(SQLiteError) in true } ?? false
  }

  @Test func `LIM-91 a file that was locked for too long is used again later`() throws {
    #expect(use(limits()))
    let held = fixture.folder + "/held"
    let child = try #require(
      ChildProcess(
        """
        exec python3 -c 'import fcntl,sys
        lock=open("\(fixture.path)-lock","r+")
        fcntl.lockf(lock,fcntl.LOCK_EX,1,0)
        open("\(held)","w").close()
        sys.stdin.read()'
        """))
    while access(held, F_OK) != 0 { usleep(1000) }
    let file = limits(patience: 0.05, rest: 0.05)
    #expect(!use(file))
    #expect(warnings.lines.count == 1)
    #expect(
      warnings.lines.first?.contains("are shared only within this process for the next") == true)
    child.hangUp()
    child.wait()
    while !use(file) { usleep(1000) }
  }

  @Test func `LIM-91 limits are counted in memory until the file can be used again`() throws {
    let loop = try EventLoop()
    let lost = LimitFile(path: "/dev/null/none/limits.db", rest: 0) { _ in }
    let jobs = FileJobs(lost)
    let memory = CountingLog()
    let log = FileAdmissionLog(
      RateLimit(requests: 1, per: 3600), LimitKey(name: "a"), jobs, loop.pump, tryingAgainAfter: 0
    ) { memory }
    for count in 1...3 {
      var isAnswered = false
      log.ask { _ in isAnswered = true }
      loop.turn { isAnswered }
      // Asked each time, once the file has been tried again.
      #expect(memory.asked == count)
    }
  }

  /// Grants everything, and counts how often it is asked.
  private final class CountingLog: AdmissionLog {
    private(set) var asked = 0

    func ask(_ answer: @escaping (AdmissionAnswer) -> Void) {
      asked += 1
      answer(.granted(Admission(number: Int64(asked))))
    }
    func stopAsking() {}
    func begin(_ admission: Admission) {}
    func send(_ admission: Admission) -> Admission { admission }
    func withdraw(_ admission: Admission) {}
    func learn(_ lesson: LimitLesson, from admission: Admission) {}
  }

  @Test func `LIM-92 files of a newer Lull and of other programs are left as they are`() throws {
    for (change, sentence) in [
      ("PRAGMA user_version = 99", "it was written by a newer Lull"),
      ("PRAGMA application_id = 7", "it is a database of another program"),
    ] {
      for ending in ["", "-wal", "-shm"] { unlink(fixture.path + ending) }
      #expect(use(limits()))
      let database = try SQLiteConnection(path: fixture.path)
      try database.execute(change + "; PRAGMA wal_checkpoint(TRUNCATE)")
      #expect(!use(limits()))
      #expect(warnings.lines.last?.hasSuffix(sentence) == true, "\(warnings.lines)")
    }
    #expect(fixture.countSetAside == 0)
  }

  @Test func `LIM-93 a link, a file of others and one that others may read are not used`() throws {
    let other = fixture.folder + "/other"
    #expect(use(LimitFile(path: other) { _ in }))
    symlink(other, fixture.path)
    #expect(!use(limits()))
    #expect(warnings.lines.last?.contains("' is a symbolic link; use the path it leads to") == true)
    unlink(fixture.path)
    #expect(use(limits()))
    chmod(fixture.path, 0o640)
    #expect(!use(limits()))
    #expect(warnings.lines.last?.hasSuffix("; run chmod 600 on it") == true)
    #expect(warnings.lines.count == 2)
    let cache = CacheFile(path: fixture.path) { [warnings] in warnings($0) }
    #expect(cache.change { (_) throws(SQLiteError) in true } == nil)
    #expect(warnings.lines.last?.contains("other users may read or write '") == true)
  }

  @Test(.enabled(if: geteuid() == 0))
  func `LIM-93 root uses and makes no file of another user`() throws {
    #expect(use(limits()))
    chown(fixture.path, 65534, 65534)
    #expect(!use(limits()))
    #expect(warnings.lines.last?.hasSuffix("' belongs to another user") == true)
    unlink(fixture.path)
    unlink(fixture.path + "-lock")
    chown(fixture.folder, 65534, 65534)
    #expect(!use(limits()))
    #expect(warnings.lines.last?.contains("the folder '\(fixture.folder)' belongs to") == true)
    #expect(access(fixture.path, F_OK) != 0)
  }
}
