import LullLibC
import LullCore
import LullSystem
import LullTestSupport
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// The loop is not turned for a while, at each step of a request's life and for longer than each of its
  /// timeouts. Nothing may end the process, and the next request must be answered.
  ///
  /// `LULL_FUZZ_SECONDS` makes the random run that long, `LULL_FUZZ_SEED` repeats it, and
  /// `LULL_FUZZ_STALLS` names a file that has the stalls so far, should one end the process.
  @Suite struct StallTests {
    /// What an exchange is given up for if curl did not notice in time, besides its timeout; seconds.
    private static let grace = 1.0
    private static let timeout = 0.15
    private static let stalls = [0, 0.001, 0.12, timeout + 0.05, timeout + grace + 0.1]

    /// Starts requests, turns the loop so often, blocks it, and turns it until all have ended.
    private func stall(
      _ ways: [StallScene.Way], _ scene: StallScene, afterTurns turns: Int, for seconds: Double
    ) throws {
      let harness = try TransportHarness(certificateAuthorities: scene.nginx.authority)
      var results: [String: NetworkResult] = [:]
      for way in ways {
        harness.start(try way.request()) { results[way.name] = $0 }
      }
      for _ in 0..<turns {
        harness.loop.turn(.noWait)
        usleep(500)
      }
      usleep(UInt32(seconds * 1e6))
      harness.turn { results.count == ways.count }
      let place = "after \(turns) turns for \(seconds) s"
      for way in ways where way.neverEnds {
        let error = results[way.name]?.error
        #expect(error?.kind == .timeout, "\(way.name), \(place): \(String(describing: error))")
      }
      if turns == 0, seconds > Self.timeout + Self.grace {
        // None of them had a chance.
        for way in ways {
          #expect(results[way.name]?.error?.kind == .timeout, "\(way.name), \(place)")
        }
      }
      #expect(try harness.get(scene.nginx.url + "/json").text == #"{"answer":42}"#, "\(place)")
      // By way of an older connection perhaps.
      let spoken = try harness.get(scene.nginx.tlsURL + "/protocol").text
      #expect(spoken?.hasPrefix("HTTP/") == true, "\(place)")
      harness.finish(timers: ways.count + 3)
    }

    @Test(arguments: 0..<8)
    func `NET-09 a request whose loop stands still fails with its timeout`(turns: Int) throws {
      let scene = try StallScene()
      for seconds in Self.stalls {
        try stall(scene.ways, scene, afterTurns: turns, for: seconds)
      }
      scene.finish()
    }

    @Test(.timeLimitOfStalls) func `NET-09 random stalls end no process`() throws {
      let seed = getenv("LULL_FUZZ_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
      let seconds = getenv("LULL_FUZZ_SECONDS").flatMap { Double(String(cString: $0)) } ?? 5
      let log = getenv("LULL_FUZZ_STALLS").flatMap { fopen($0, "w") }
      defer { if let log { fclose(log) } }
      var lot = SeededGenerator(seed: seed)
      let scene = try StallScene()
      let end = SystemClock.uptime + seconds
      repeat {
        let ways = scene.ways.shuffled(using: &lot).prefix(1 + lot.below(4))
        let turns = lot.below(40)
        let stall = lot.chance(2) ? lot.pick(Self.stalls) ?? 0 : Double(lot.below(300)) / 1000
        if let log {
          let names = ways.map(\.name).joined(separator: "; ")
          fputs("LULL_FUZZ_SEED=\(seed): \(turns) turns, \(stall) s: \(names)\n", log)
          fflush(log)
        }
        try self.stall(Array(ways), scene, afterTurns: turns, for: stall)
      } while SystemClock.uptime < end
      scene.finish()
    }

    /// What takes a body is called by curl: it may be slow as well.
    @Test func `NET-09 a sink that takes longer than the timeout`() throws {
      let scene = try StallScene()
      let harness = try TransportHarness(certificateAuthorities: scene.nginx.authority)
      for url in [scene.nginx.url + "/large", scene.nginx.tlsURL + "/metered"] {
        let hasStalled = Flag()
        var request = HTTPRequest.get(url) {
          $0.sink = BodySink(
            begin: { _ in true },
            take: { _ in
              if !hasStalled.isSet {
                hasStalled.set()
                usleep(1_400_000)
              }
              return .more
            })
        }
        request.limits.timeout = 0.15
        // The rest may have arrived meanwhile.
        let error = try harness.send(request).error
        #expect(error == nil || error?.kind == .timeout)
        #expect(hasStalled.isSet)
        #expect(try harness.get(scene.nginx.url + "/json").text == #"{"answer":42}"#)
      }
      harness.finish()
      scene.finish()
    }

    /// As a Swift program that passes -1 on.
    @Test func `NET-09 a request without any time`() throws {
      let scene = try StallScene()
      for timeout in [-1, -10, 0.0] {
        let harness = try TransportHarness(certificateAuthorities: scene.nginx.authority)
        for way in scene.ways {
          var request = try way.request()
          request.limits.timeout = timeout
          let result = try harness.send(request)
          if way.neverEnds { #expect(result.error?.kind == .timeout, "\(way.name), \(timeout)") }
        }
        #expect(try harness.get(scene.nginx.url + "/json").text == #"{"answer":42}"#)
        harness.finish(timers: 4)
      }
      scene.finish()
    }

    /// The numbers of descriptors that curl has closed are used by others at once.
    @Test func `NET-09 a descriptor that curl has closed is not watched any longer`() throws {
      let scene = try StallScene()
      let harness = try TransportHarness()
      for way in scene.ways where way.neverEnds {
        var error: TransportError?
        harness.start(try way.request()) { error = $0.error }
        harness.loop.turn(.noWait)
        harness.turn { error != nil }
        #expect(!harness.loop.openHandleKinds.contains("poll"), "\(way.name)")
      }
      harness.finish()
      scene.finish()
    }
  }
}

extension Trait where Self == TimeLimitTrait {
  fileprivate static var timeLimitOfStalls: Self {
    let seconds = getenv("LULL_FUZZ_SECONDS").flatMap { Int(String(cString: $0)) } ?? 0
    return .timeLimit(.minutes(20 + seconds / 60))
  }
}
