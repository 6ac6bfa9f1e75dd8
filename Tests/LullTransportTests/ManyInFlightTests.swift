import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// A thousand exchanges at once, as long polls make them.
  @Suite struct ManyInFlightTests {
    private static let count = 1000
    private static let queued = 200

    private let server: LongPollServer

    init() throws {
      server = try #require(LongPollServer())
    }

    private func request(_ number: Int) -> HTTPRequest {
      var request = HTTPRequest(method: "GET", url: server.url + "/\(number)")
      request.limits.connectionsPerHost = ManyInFlightTests.count
      return request
    }

    @Test func `all complete and the queued go out in their order over the same connections`()
      throws
    {
      let harness = try TransportHarness()
      let all = ManyInFlightTests.count + ManyInFlightTests.queued
      var answers: [Int: String] = [:]
      for number in 0..<all {
        harness.start(request(number)) {
          answers[number] = $0.text ?? "\(String(describing: $0.error))"
        }
      }
      #expect(harness.provider.waitingCount == ManyInFlightTests.queued)
      harness.turn { server.heldCount == ManyInFlightTests.count }
      #expect(answers.isEmpty)

      // Each answer makes room for one.
      for next in ManyInFlightTests.count..<all {
        server.answerFirst()
        harness.turn { server.paths.count > next }
      }
      #expect(
        server.paths.dropFirst(ManyInFlightTests.count)
          == ArraySlice((ManyInFlightTests.count..<all).map { "/\($0)" }))
      #expect(server.connectionCount == ManyInFlightTests.count)
      #expect(harness.provider.waitingCount == 0)

      while server.heldCount > 0 { server.answerFirst() }
      harness.turn { answers.count == all }
      #expect(answers == Dictionary(uniqueKeysWithValues: (0..<all).map { ($0, "/\($0)") }))

      // What comes then finds connections that are open.
      for number in 0..<all { harness.start(request(number)) }
      harness.turn { server.heldCount == ManyInFlightTests.count }
      #expect(server.connectionCount == ManyInFlightTests.count)
      harness.provider.close()
      harness.finish()
      server.stop()
    }

    @Test func `some can be cancelled among many`() throws {
      let harness = try TransportHarness()
      var ended: [Int] = []
      let transfers = (0..<300).map { number in
        harness.start(request(number)) { _ in ended.append(number) }
      }
      harness.turn { server.heldCount == 300 }
      for number in stride(from: 0, to: 300, by: 3) { transfers[number].cancel() }
      harness.turn { server.heldCount == 200 && ended.count == 100 }
      #expect(ended == Array(stride(from: 0, to: 300, by: 3)))
      while server.heldCount > 0 { server.answerFirst() }
      harness.turn { ended.count == 300 }
      #expect(Set(ended) == Set(0..<300))
      harness.finish()
      server.stop()
    }

    @Test func `connections that only many needed are closed some time later`() throws {
      let harness = try TransportHarness(idleTime: 0.05)
      var ended = 0
      for number in 0..<300 { harness.start(request(number)) { _ in ended += 1 } }
      harness.turn { server.heldCount == 300 }
      while server.heldCount > 0 { server.answerFirst() }
      harness.turn { ended == 300 && server.openCount < 100 }
      // Some are kept, and used.
      let before = server.connectionCount
      harness.start(request(0)) { _ in ended += 1 }
      harness.turn { server.heldCount == 1 }
      server.answerFirst()
      harness.turn { ended == 301 }
      #expect(server.connectionCount == before)
      harness.finish()
      server.stop()
    }
  }
}
