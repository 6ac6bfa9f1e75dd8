import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Testing

/// Looking into a cache file, and clearing it.
@Suite(.timeLimit(.minutes(20)))
struct CacheInspectionTests {
  private let fixture: CacheFolderFixture

  init() throws {
    fixture = try #require(CacheFolderFixture())
  }

  @Test func `CACHE-15 a summary counts entries and hosts, and knows the oldest`() throws {
    let harness = fixture.harness()
    for path in ["/a", "/b"] { _ = harness.loaded(path, .text("x")) }
    harness.advance(by: 100)
    let other = harness.makeService(base: "http://other.test:8080")
    var options = FileEntityCache.Options()
    options.path = fixture.path
    let cache = FileEntityCache(options)
    other.configure { $0.pipeline[.parsing].cacheUsing(cache) }
    harness.provider.stub(
      "GET", "http://other.test:8080/c", .text(String(repeating: "x", count: 5000)))
    other.resource("/c").load()
    harness.settle()
    let inspection = try CacheInspection(path: fixture.path)
    let summary = try inspection.summary()
    #expect(summary.count == 3)
    #expect(summary.oldest == 1000)
    #expect(summary.hosts.map(\.name) == ["other.test:8080", "api.test"])
    #expect(summary.hosts.map(\.count) == [1, 2])
    #expect(summary.fileSize > 5000)
  }

  @Test func `CACHE-15 every entry of a URL is shown`() throws {
    for version in 1...2 {
      _ = fixture.harness { $0.version = version }.loaded("/a", .text("\(version)"))
    }
    let inspection = try CacheInspection(path: fixture.path)
    let entries = try inspection.entries(url: "https://api.test/v1/a")
    #expect(Set(entries.map(\.place.version)) == [1, 2])
    #expect(entries.allSatisfy { $0.entity.timestamp == 1000 })
    #expect(try inspection.entries(url: "https://api.test/v1/b").isEmpty)
  }

  @Test func `CACHE-27 clearing removes what begins so, or all`() throws {
    let harness = fixture.harness()
    for number in 0..<300 { _ = harness.loaded("/a/\(number)", .text("x")) }
    _ = harness.loaded("/b", .text("x"))
    let inspection = try CacheInspection(path: fixture.path)
    #expect(try inspection.clear(prefix: "https://api.test/v1/a/") == 300)
    #expect(try inspection.summary().count == 1)
    #expect(try inspection.clear(prefix: nil) == 1)
    #expect(try inspection.summary().count == 0)
    let later = fixture.harness()
    later.service.isOffline = true
    #expect(later.content("/b") == nil)
  }

  @Test
  func `CACHE-27 a service that has the file open goes on with the next one when it is cleared`()
    throws
  {
    let harness = fixture.harness()
    _ = harness.loaded("/a", .text("x"))
    let inspection = try CacheInspection(path: fixture.path)
    #expect(try inspection.clear(prefix: nil) == 1)
    #expect(fixture.files == ["-lock"])
    _ = harness.loaded("/b", .text("y"))
    let later = fixture.harness()
    #expect(later.content("/b") == "y")
    #expect(later.provider.requests.isEmpty)
    #expect(try CacheInspection(path: fixture.path).summary().count == 1)
  }

  @Test func `CACHE-27 clearing does not remove what is no cache`() throws {
    let directory = try #require(TemporaryDirectory())
    defer { directory.remove() }
    directory.write("text", Array("hello".utf8))
    for path in [directory.path + "/text", directory.path] {
      let inspection = try CacheInspection(path: path)
      #expect(throws: CacheInspection.Problem.self) { try inspection.clear(prefix: nil) }
    }
  }

  @Test func `CACHE-02 a file that is not there is not made`() throws {
    let inspection = try CacheInspection(path: fixture.path)
    #expect(try inspection.summary().count == 0)
    #expect(try inspection.clear(prefix: nil) == 0)
    #expect(try inspection.entries(url: "https://api.test/").isEmpty)
    #expect(!inspection.exists)
    #expect(fixture.files == [])
  }
}
