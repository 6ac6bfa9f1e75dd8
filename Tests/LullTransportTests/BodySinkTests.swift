import LullCore
import LullTransport
import Synchronization
import Testing

extension TransportSuite {
  /// Bodies that go somewhere else than into memory.
  @Suite struct BodySinkTests {
    /// What a sink was told, in order.
    private final class Told: Sendable {
      private let lines = Mutex<[String]>([])
      let heads = Mutex<[HTTPResponse]>([])
      let refusesToBegin: Bool
      let refusesBytes: Bool

      init(refusesToBegin: Bool = false, refusesBytes: Bool = false) {
        self.refusesToBegin = refusesToBegin
        self.refusesBytes = refusesBytes
      }

      /// Pieces in a row are one.
      var all: [String] { lines.withLock { $0 } }

      var sink: BodySink {
        BodySink(
          begin: { head in
            self.heads.withLock { $0.append(head) }
            self.lines.withLock { $0.append("begin ") }
            return !self.refusesToBegin
          },
          take: { bytes in
            self.lines.withLock { $0[$0.count - 1] += String(decoding: bytes, as: UTF8.self) }
            return self.refusesBytes ? .refuse : .more
          })
      }
    }

    let harness: TransportHarness

    init() throws { harness = try TransportHarness() }

    /// A server that gives these answers in turn, each over a connection of its own.
    private func result(
      _ answers: [String], _ told: Told, method: RequestMethod = "GET", limit: Int = 100
    ) throws -> NetworkResult {
      let rest = Mutex(answers[...])
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write("HTTP/1.1 " + (rest.withLock { $0.popFirst() } ?? ""))
        })
      defer { server.stop() }
      var request = HTTPRequest(method: method, url: server.url)
      request.limits.maxBodySize = limit
      var options = TransferOptions()
      options.sink = told.sink
      request.options = options
      let result = try harness.send(request)
      harness.finish()
      return result
    }

    private static func ok(_ body: String, length: Int? = nil) -> String {
      "200 OK\r\nContent-Length: \(length ?? body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    @Test func `the body of a success goes there whatever its size`() throws {
      let told = Told()
      let result = try result([Self.ok("larger than the limit")], told, limit: 3)
      #expect(told.all == ["begin larger than the limit"])
      #expect(result.response?.status == 200)
      #expect(result.body == [])
      #expect(result.error == nil)
    }

    @Test func `what takes a body is told its head before`() throws {
      let told = Told()
      let moved =
        "302 Found\r\nLocation: /x?y\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      let result = try result([moved, "203 Fine\r\nETag: \"1\"\r\n\r\n"], told)
      let head = try #require(told.heads.withLock { $0.count == 1 ? $0.first : nil })
      #expect(head.status == 203)
      #expect(head.headers["etag"] == "\"1\"")
      #expect(head.url?.hasSuffix("/x?y") == true)
      #expect(head.url == result.response?.url)
    }

    /// How often something was taken, and how much in all.
    private final class Slow: Sendable {
      let taken = Mutex<(pieces: Int, bytes: Int)>((0, 0))

      var sink: BodySink {
        BodySink(
          begin: { _ in true },
          take: { piece in
            self.taken.withLock { $0 = ($0.pieces + 1, $0.bytes + piece.count) }
            return .pause
          })
      }

      var pieces: Int { taken.withLock { $0.pieces } }
    }

    @Test func `nothing more is read before the taker goes on, and that is no silence`() throws {
      let size = 3 << 20
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
          connection.write(String(repeating: "x", count: size))
        })
      defer { server.stop() }
      let slow = Slow()
      var result: NetworkResult?
      let request = HTTPRequest.get(server.url) {
        $0.sink = slow.sink
        $0.idleTimeout = 1
      }
      let transfer = harness.start(request) { result = $0 }
      harness.turn { slow.pieces == 1 }
      var isLater = false
      let timer = harness.loop.schedule(after: 1.5) { isLater = true }
      harness.turn { isLater }
      timer.cancel()
      #expect(slow.pieces == 1)
      #expect(result == nil)
      while result == nil {
        let before = slow.pieces
        transfer.resume()
        harness.turn { slow.pieces > before || result != nil }
      }
      #expect(result?.error == nil)
      #expect(slow.taken.withLock { $0.bytes } == size)
      #expect(slow.pieces > 100)
      // One more, of this test.
      harness.finish(timers: 4)
    }

    @Test func `a paused exchange can be cancelled`() throws {
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write("HTTP/1.1 200 OK\r\n\r\nabc")
          connection.write(String(repeating: "x", count: 1 << 20))
        })
      defer { server.stop() }
      let slow = Slow()
      var result: NetworkResult?
      let transfer = harness.start(.get(server.url) { $0.sink = slow.sink }) { result = $0 }
      harness.turn { slow.pieces == 1 }
      transfer.cancel()
      transfer.resume()
      harness.turn { result != nil }
      #expect(result?.error?.kind == .cancelled)
      #expect(slow.pieces == 1)
      harness.finish()
    }

    @Test func `an empty body begins too`() throws {
      let told = Told()
      #expect(try result([Self.ok("")], told).error == nil)
      #expect(told.all == ["begin "])
    }

    @Test func `of redirects only the last body goes there`() throws {
      let told = Told()
      let moved =
        "302 Found\r\nLocation: /x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nmoved"
      #expect(try result([moved, Self.ok("here")], told).response?.status == 200)
      #expect(told.all == ["begin here"])
    }

    @Test(arguments: ["404 Not Found", "500 Internal Server Error", "300 Multiple Choices"])
    func `other bodies come as they always do`(status: String) throws {
      let told = Told()
      let answer = "\(status)\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody"
      #expect(try result([answer], told).body == Array("body".utf8))
      #expect(told.all == [])
    }

    @Test func `the limit holds for other bodies`() throws {
      let answer = "404 Not Found\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody"
      #expect(try result([answer], Told(), limit: 3).error?.kind == .bodyTooLarge)
    }

    @Test func `what a HEAD announces does not begin`() throws {
      let told = Told()
      let answer = "200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n"
      #expect(try result([answer], told, method: "HEAD").response?.status == 200)
      #expect(told.all == [])
    }

    @Test func `a body that breaks off fails`() throws {
      let told = Told()
      #expect(try result([Self.ok("half", length: 8)], told).error?.kind == .truncatedBody)
      #expect(told.all == ["begin half"])
    }

    @Test(arguments: [true, false])
    func `a refusal ends the exchange`(isAtOnce: Bool) throws {
      let told = Told(refusesToBegin: isAtOnce, refusesBytes: !isAtOnce)
      let error = try result([Self.ok("body")], told).error
      #expect(error?.kind == .network)
      #expect(error?.isFinal == true)
      #expect(told.all == [isAtOnce ? "begin " : "begin body"])
    }
  }
}
