import LullLibC
import LullTesting
import Testing

@testable import LullTransport

extension TransportSuite {
  /// Calls into curl that do not come back, and those that only wait for what takes a body.
  @Suite struct StuckCallGuardTests {
    /// Both ends of a connection, closed at the end.
    private final class Pair {
      let ends: [Int32]

      init() throws {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        self.ends = ends
      }

      deinit {
        for end in ends { close(end) }
      }

      /// Whether somebody has shut it down: there is an end to be read.
      var isCut: Bool {
        var byte: UInt8 = 0
        return recv(ends[1], &byte, 1, Int32(MSG_DONTWAIT)) == 0
      }

      /// Waits for that, but not for ever.
      func waitUntilCut() {
        for _ in 0..<30_000 where !isCut { usleep(1000) }
      }
    }

    private let callGuard = StuckCallGuard(patience: 0.1, interval: 0.01)
    private let pair: Pair

    init() throws {
      pair = try Pair()
      callGuard.opened(pair.ends[0])
      callGuard.start()
    }

    @Test func `a call that does not come back loses its connection`() {
      callGuard.enter(pair.ends[0])
      pair.waitUntilCut()
      #expect(pair.isCut)
      callGuard.leave()
      callGuard.stop()
    }

    @Test func `what takes a body may take its time`() {
      callGuard.enter(pair.ends[0])
      let isCut = callGuard.pausing {
        usleep(1_000_000)
        return pair.isCut
      }
      #expect(!isCut)
      // The call itself is still watched.
      pair.waitUntilCut()
      #expect(pair.isCut)
      callGuard.leave()
      callGuard.stop()
    }

    @Test func `outside of calls nothing is cut`() {
      callGuard.enter(pair.ends[0])
      callGuard.leave()
      callGuard.pausing {}
      usleep(500_000)
      #expect(!pair.isCut)
      callGuard.stop()
    }
  }
}
