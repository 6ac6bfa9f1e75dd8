import LullCore
import LullTestSupport
import LullTesting
import Testing

@testable import LullTransport

/// Entries of a cache file that were invalidated or written to.
@Suite(.timeLimit(.minutes(20)))
struct StaleEntryTests {
  private func fixture() throws -> CacheFolderFixture { try #require(CacheFolderFixture()) }

  @Test func `AGE-07 INV-59 what was written to or invalidated is stale for every process`() throws
  {
    for isWrite in [false, true] {
      let fixture = try fixture()
      let first = fixture.harness()
      let resource = first.loaded("/a", .json("1", etag: "\"v\""))
      let others = [fixture.harness(stage: .model), fixture.harness { $0.identity = "me" }]
      for other in others { _ = other.loaded("/a", .json("1", etag: "\"v\"")) }
      first.advance(by: 10)
      if isWrite {
        first.stub("PATCH", "/a", .init(status: 204))
        resource.request("PATCH")
      } else {
        resource.invalidate()
      }
      first.settle()
      let later = [
        fixture.harness(now: 1011), fixture.harness(stage: .model, now: 1011),
        fixture.harness(now: 1011) { $0.identity = "me" },
      ]
      for other in later {
        other.stub("GET", "/a", .init(status: 304))
        #expect(other.content("/a") == "1")
        #expect(other.provider.requests.map { $0.headers["if-none-match"] } == ["\"v\""])
        #expect(other.service.resource("/a").isUpToDate)
      }
      let last = fixture.harness(now: 1012)
      #expect(last.content("/a") == "1", "confirmed by the 304")
      #expect(last.provider.requests.isEmpty)
    }
  }

  @Test func `AGE-07 a mark leaves alone what another process has written later`() throws {
    let fixture = try fixture()
    let first = fixture.harness()
    let resource = first.loaded("/a", .text("old"))
    _ = fixture.harness(now: 1005).loaded("/a", .text("new"))
    resource.invalidate()
    first.settle()
    let third = fixture.harness(now: 1006)
    #expect(third.content("/a") == "new")
    #expect(third.provider.requests.isEmpty)
    // And what is written after the mark, but is older than that, is stale.
    let fourth = fixture.harness(now: 1010)
    _ = fourth.loaded("/a", .text("newest"))
    fourth.advance(by: 10)
    fourth.service.resource("/a").invalidate()
    fourth.settle()
    _ = fixture.harness(now: 1007).loaded("/a", .text("late"))
    let fifth = fixture.harness(now: 1021)
    fifth.stub("GET", "/a", .text("asked"))
    #expect(fifth.content("/a") == "asked")
  }

  @Test func `CACHE-28 a file of version 3 is used on, and gets what marks need`() throws {
    let fixture = try fixture()
    let warnings = Journal()
    func file() -> CacheFile {
      CacheFile(path: fixture.path) { [warnings] in warnings($0) }
    }
    let place = CacheKey(url: "https://api.test/a", stage: "parsing", version: 1)
    func read() -> Entity? {
      file().read(place, .answering(Headers()), now: 1000, maxAge: nil)
    }
    let older = file()
    let entity = Entity(content: .text("kept"), timestamp: 1000)
    _ = older.write(entity, at: place, now: 1000, maxSize: 1 << 28)
    older.perform { (database) throws(SQLiteError) in
      try database.execute(
        "ALTER TABLE entry DROP COLUMN stale_at; PRAGMA user_version = 3; "
          + "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    guard case .text("kept") = read()?.content else {
      Issue.record("the entry is gone")
      return
    }
    #expect(warnings.lines == [])
    #expect(fixture.files.filter { $0.hasPrefix(".version-") } == [])
    let version = file().perform { (database) throws(SQLiteError) in
      try database.integer("PRAGMA user_version")
    }
    #expect(version == 4)
    #expect(read()?.isOutdated == false)
    file().expire(place, asOf: 1000)
    #expect(read()?.isOutdated == true)
    _ = file().write(entity, at: place, now: 1000, maxSize: 1 << 28)
    #expect(read()?.isOutdated == false, "it was written after the mark of the same time")
  }
}
