import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// Progress as a request reports it, from what curl has counted.
  @Suite struct TransferProgressTests {
    let harness: TransportHarness

    init() throws {
      harness = try TransportHarness()
    }

    /// Bytes that go out or come in between two reports.
    private static let step = 256 << 10
    private static let stepCount = 16
    private static let size = step * stepCount

    @Test func `PRG-11 PRG-15 PRG-25 PRG-26 a large upload, in step with its reports`() throws {
      let reported = Steps()
      let server = try #require(
        RawServer { connection in
          guard connection.readHead() != nil else { return }
          for count in 1...TransferProgressTests.stepCount {
            guard connection.read(TransferProgressTests.step) else { return }
            reported.wait(for: count)
          }
          connection.answer("ok")
        })
      let body = [UInt8](repeating: 65, count: TransferProgressTests.size)
      let reports = reports(of: "POST", at: server, body: body, after: reported.advance)
      expectRise(reports)
      harness.finish()
      server.stop()
    }

    @Test(arguments: ["Content-Length: \(size)\r\n", ""])
    func `PRG-05 PRG-06 PRG-25 PRG-26 a slow download, in step with its reports`(_ length: String)
      throws
    {
      let reported = Steps()
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write("HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n\(length)\r\n")
          let piece = [UInt8](repeating: 65, count: TransferProgressTests.step)
          for count in 1...TransferProgressTests.stepCount {
            guard connection.write(piece) else { return }
            // Of an unknown length, what has come soon counts as nearly all.
            reported.wait(for: length.isEmpty ? min(count, 2) : count)
          }
        })
      let reports = reports(of: "GET", at: server, body: nil, after: reported.advance)
      expectRise(reports, atLeast: length.isEmpty ? 2 : TransferProgressTests.stepCount - 1)
      harness.finish()
      server.stop()
    }

    @Test func `PRG-03 time alone moves it while nothing comes, on a curl handle used before too`()
      throws
    {
      let server = try #require(
        RawServer { connection in
          while let request = connection.readRequest() {
            if request.hasPrefix("GET /hang") { return connection.waitForClose() }
            connection.answer(String(repeating: "x", count: 1000))
          }
        })
      for _ in 0..<2 {
        let reports = reports(of: "GET", at: server, body: nil) {}
        #expect(reports.last == 1)
        let service = service(server)
        let request = service.resource("/hang").request("GET")
        #expect(request.progress == 0, "PRG-02: what the handle counted before is not its own")
        var waited: [Double] = []
        request.onProgress { waited.append($0) }
        harness.turn { waited.count == 5 }
        #expect(waited == waited.sorted())
        #expect(waited.allSatisfy { $0 > 0 && $0 < 0.1875 }, "PRG-23: the ceiling of waiting")
        request.cancel()
        harness.turn { waited.last == 1 }
        #expect(waited.count == 6)
      }
      harness.finish()
      server.stop()
    }

    @Test func `PRG-25 what a redirect's own body amounts to does not count`() throws {
      let seen = Steps()
      let server = try #require(
        RawServer { connection in
          while let request = connection.readRequest() {
            guard request.hasPrefix("GET /from") else {
              connection.answer("there")
              continue
            }
            connection.write("HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 1000\r\n\r\n")
            connection.write(String(repeating: "x", count: 999))
            seen.wait(for: 1)
            connection.write("x")
          }
        })
      let service = service(server)
      var reports: [Double] = []
      let request = service.resource("/from").request("GET")
      request.onProgress { reports.append($0) }
      harness.turn { reports.count == 10 || request.isCompleted }
      #expect(reports.allSatisfy { $0 < 0.1875 }, "still as if nothing had come")
      seen.advance()
      harness.turn { reports.last == 1 }
      #expect(reports == reports.sorted())
      harness.finish()
      server.stop()
    }

    @Test func `PRG-24 no timer runs unless somebody listens`() throws {
      let server = try #require(
        RawServer { connection in
          guard connection.readRequest() != nil else { return }
          connection.waitForClose()
        })
      let request = service(server).resource("/a").request("GET")
      harness.turn { server.requests.count == 1 }
      #expect(harness.loop.activeTimerCount == 0)
      request.onProgress { _ in }
      request.onProgress { _ in }
      #expect(harness.loop.activeTimerCount == 1)
      request.cancel()
      #expect(harness.loop.activeTimerCount == 0)
      harness.loop.turn(.noWait)
      harness.finish()
      server.stop()
    }

    // MARK: Parts

    private func service(_ server: RawServer) -> Service {
      let service = Service(
        baseURL: server.url, networking: harness.provider, pump: harness.loop.pump)
      service.configure { $0.progressReportingInterval = 0.002 }
      return service
    }

    /// All reports of one request, from its start to its completion.
    private func reports(
      of method: RequestMethod, at server: RawServer, body: [UInt8]?,
      after report: @escaping () -> Void
    ) -> [Double] {
      let service = service(server)
      var reports: [Double] = []
      var outcome: Response?
      let request = service.resource("/x").request(method) { $0.body = body }
      request.onProgress {
        reports.append($0)
        report()
      }
      request.onCompletion { outcome = $0 }
      harness.turn { outcome != nil }
      #expect(outcome?.error == nil)
      return reports
    }

    private func expectRise(_ reports: [Double], atLeast count: Int = stepCount - 1) {
      #expect(reports == reports.sorted(), "never backwards")
      #expect(reports.last == 1)
      let between = reports.filter { $0 > 0 && $0 < 1 }
      #expect(between.count >= count, "\(reports)")
      #expect(Set(between).count == between.count, "PRG-24: called only when it has changed")
      // All bytes may be there before the answer is; the 1 at the end comes anyway. (PRG-27)
      #expect(reports.count <= between.count + 2)
    }
  }
}
