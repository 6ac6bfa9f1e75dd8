import LullCore
import LullLibC
import LullTestSupport
import LullTesting
import Synchronization
import Testing

@testable import LullTransport

/// Responses that are on their way while another program changes the resource: the server has made
/// them before the change, and they come after it.
@Suite(.timeLimit(.minutes(20)))
struct OverlappingWriteTests {
  enum Store: CaseIterable {
    case file, server
  }

  /// Keeps a thread of the server waiting until it is released.
  private final class Hold: Sendable {
    private let isOver = Mutex(false)

    func wait() { while !isOver.withLock({ $0 }) { usleep(1000) } }

    func release() { isOver.withLock { $0 = true } }
  }

  /// A program of its own: a loop, connections, and a cache that it shares with the others.
  private final class Program {
    let host: SharedCacheHost
    let provider: CurlProvider
    let service: Service

    init(_ url: String, _ store: Store, _ redis: RedisServer, _ folder: CacheFolderFixture) throws {
      host = try SharedCacheHost(
        store == .server ? redis.url : nil, folder: store == .file ? folder : nil)
      provider = CurlProvider(loop: host.loop, userAgent: "lull/test")
      service = Service(baseURL: url, networking: provider, pump: host.loop.pump)
      let cache = host.cache
      service.configure {
        $0.pipeline[.parsing].cacheUsing(cache)
        $0.expirationTime = 30
      }
    }

    func end(_ request: Request?) {
      host.loop.turn { request?.isCompleted ?? true }
      host.settle()
    }

    deinit { provider.close() }
  }

  private func read(_ program: Program, _ isQuery: Bool) throws -> Resource {
    let resource = program.service.resource("/search")
    return isQuery ? try resource.query(json: ["a": 1]) : resource
  }

  @Test(arguments: Store.allCases, [true, false])
  func `QUERY-74 AGE-07 a response that was requested before a write is not fresh after it`(
    store: Store, isQuery: Bool
  ) throws {
    let redis = try #require(RedisServer(""))
    let folder = try #require(CacheFolderFixture())
    let held = Hold()
    let server = try #require(
      QueryServer { asked, count in
        guard asked.method != "PUT" else { return .status(204) }
        // The first answer is made at once, and arrives late.
        if count == 0 { held.wait() }
        return .text(count == 0 ? "old" : "new")
      })
    defer {
      held.release()
      server.stop()
    }
    let reader = try Program(server.url, store, redis, folder)
    let writer = try Program(server.url, store, redis, folder)
    let later = try Program(server.url, store, redis, folder)
    let slow = try read(reader, isQuery)
    let request = slow.load()
    reader.host.loop.turn { !server.requests.isEmpty }
    writer.end(writer.service.resource("/search").request(.put))
    held.release()
    reader.end(request)
    #expect(slow.text == "old")
    // Another program does not take the old response for fresh, and asks once.
    let fresh = try read(later, isQuery)
    later.end(fresh.loadIfNeeded())
    #expect(fresh.text == "new")
    later.end(fresh.loadIfNeeded())
    #expect(
      server.requests.map(\.method) == [
        isQuery ? "QUERY" : "GET", "PUT", isQuery ? "QUERY" : "GET",
      ])
    // What was requested after the write is fresh for all.
    let last = try Program(server.url, store, redis, folder)
    let known = try read(last, isQuery)
    last.end(known.loadIfNeeded())
    #expect(known.text == "new")
    #expect(server.requests.count == 3)
  }
}
