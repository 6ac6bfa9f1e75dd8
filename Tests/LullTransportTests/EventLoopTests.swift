import LullLibC
import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  @Suite struct EventLoopTests {
    @Test func `runs timers in order of their times`() throws {
      let loop = try EventLoop()
      defer { loop.close() }
      var order: [Int] = []
      _ = loop.schedule(after: 0.03) { order.append(3) }
      _ = loop.schedule(after: 0.01) { order.append(1) }
      _ = loop.schedule(after: 0.02) { order.append(2) }
      _ = loop.schedule(after: 0) { order.append(0) }
      loop.runBounded { order.count == 4 }
      #expect(order == [0, 1, 2, 3])
    }

    @Test func `timers of the same time run in order of scheduling`() throws {
      let loop = try EventLoop()
      defer { loop.close() }
      var order: [Int] = []
      for index in 0..<200 { _ = loop.schedule(after: 0.002) { order.append(index) } }
      loop.runBounded { order.count == 200 }
      #expect(order == Array(0..<200))
    }

    @Test func `a timer never fires early nor inside the call`() throws {
      let loop = try EventLoop()
      defer { loop.close() }
      let start = loop.now
      var fired: Double?
      _ = loop.schedule(after: 0.0101) { fired = loop.now }
      #expect(fired == nil)
      loop.runBounded { fired != nil }
      #expect(try #require(fired) - start >= 0.0101)
    }

    @Test func `a cancelled timer neither fires nor holds its action`() throws {
      final class Token {}
      let loop = try EventLoop()
      defer { loop.close() }
      weak var token: Token?
      var fired = false
      do {
        let strong = Token()
        token = strong
        let timer = loop.schedule(after: 0.001) {
          _ = strong
          fired = true
        }
        timer.cancel()
        timer.cancel()
      }
      #expect(token == nil)
      var done = false
      _ = loop.schedule(after: 0.01) { done = true }
      loop.runBounded { done }
      #expect(!fired)
      #expect(loop.activeTimerCount == 0)
    }

    @Test func `a timer due together with its canceller does not run`() throws {
      let loop = try EventLoop()
      defer { loop.close() }
      var later: (any HostTimer)?
      var ran: [String] = []
      _ = loop.schedule(after: 0.001) {
        ran.append("first")
        later?.cancel()
      }
      later = loop.schedule(after: 0.001) { ran.append("second") }
      usleep(5_000)
      loop.turn()
      loop.turn(.noWait)
      #expect(ran == ["first"])
    }

    @Test func `timers work nested in timers`() throws {
      let loop = try EventLoop()
      defer { loop.close() }
      var depth = 0
      func again() {
        depth += 1
        if depth < 50 { _ = loop.schedule(after: 0) { again() } }
      }
      again()
      loop.run { depth == 50 }
      // One handle serves them all.
      #expect(loop.openHandleKinds.filter { $0 == "timer" }.count == 1)
    }

    @Test func `a timer action may turn the loop`() throws {
      let loop = try EventLoop()
      defer { loop.close() }
      var order: [String] = []
      _ = loop.schedule(after: 0) {
        order.append("outer begins")
        var inner = false
        _ = loop.schedule(after: 0.002) { inner = true }
        loop.runBounded { inner }
        order.append("outer ends")
      }
      _ = loop.schedule(after: 0) { order.append("neighbour") }
      loop.runBounded { order.count == 3 }
      #expect(order == ["outer begins", "neighbour", "outer ends"])
    }

    @Test func `an action deferred by a timer does not wait for the next event`() throws {
      let loop = try EventLoop()
      defer { loop.close() }
      var done = false
      _ = loop.schedule(after: 0.001) { loop.pump.enqueue { done = true } }
      loop.runBounded { done }
      #expect(loop.activeTimerCount == 0)
    }

    @Test func `many timers free their handles`() throws {
      let loop = try EventLoop()
      var fired = 0
      for _ in 0..<5_000 { _ = loop.schedule(after: 0.001) { fired += 1 } }
      loop.runBounded { fired == 5_000 }
      loop.turn(.noWait)
      #expect(loop.openHandleKinds.count < 100)
      loop.close()
    }

    @Test func `a post from another thread wakes the loop`() throws {
      let loop = try EventLoop()
      defer { loop.close() }
      var status: Int?
      let completion = loop.pump.completion { status = $0.response?.status }
      Background.run { completion(NetworkResult(response: HTTPResponse(status: 299))) }
      loop.runBounded { status != nil }
      #expect(status == 299)
    }

    @Test func `a post after closing is harmless`() throws {
      let loop = try EventLoop()
      let completion = loop.pump.completion { _ in Issue.record("delivered after close") }
      loop.close()
      let isPosted = Flag()
      Background.run {
        completion(NetworkResult())
        isPosted.set()
      }
      #expect(isPosted.wait())
      loop.turn(.noWait)
    }

    @Test func `a wake from elsewhere ends a wait`() throws {
      let loop = try EventLoop()
      defer { loop.close() }
      // `wake` may be called anywhere until `close`, and the turn below ends only after this one.
      nonisolated(unsafe) let elsewhere = loop
      Background.run { elsewhere.wake() }
      let isLate = Flag()
      let watchdog = loop.schedule(after: 30) { isLate.set() }
      loop.turn(.once)
      loop.wake()
      loop.turn(.once)
      watchdog.cancel()
      #expect(!isLate.isSet)
    }

    @Test func `hooks run at the start of every turn`() throws {
      let loop = try EventLoop()
      defer { loop.close() }
      var order: [String] = []
      loop.beforeTurn.append { order.append("sweep") }
      loop.beforeTurn.append { order.append("second") }
      loop.pump.enqueue { order.append("deferred") }
      loop.turn()
      loop.turn(.noWait)
      #expect(order == ["sweep", "second", "deferred", "sweep", "second"])
    }

    @Test func `its descriptor tells another loop when to turn`() throws {
      let loop = try EventLoop()
      defer { loop.close() }
      // The loop's own handles are not known to the kernel before the first turn.
      #expect(loop.pollTimeout == 0)
      loop.turn(.noWait)
      #expect(loop.pollTimeout == -1)
      var fired = false
      _ = loop.schedule(after: 0.01) { fired = true }
      for _ in 0..<1000 where !fired {
        var item = pollfd(fd: loop.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&item, 1, min(loop.pollTimeout, 30_000))
        loop.turn(.noWait)
      }
      #expect(fired)
      #expect(loop.pollTimeout == -1)
      loop.pump.enqueue {}
      #expect(loop.pollTimeout == 0)
    }

    @Test func `closes twice and inside its own turn`() throws {
      let loop = try EventLoop()
      _ = loop.schedule(after: 60) { Issue.record("fired after close") }
      loop.pump.enqueue { loop.close() }
      loop.turn()
      loop.close()
      loop.turn()
      _ = loop.schedule(after: 0) { Issue.record("fired after close") }
      #expect(loop.openHandleKinds == [])
    }

    @Test func `leaves nothing behind without close`() throws {
      weak var loop: EventLoop?
      weak var provider: CurlProvider?
      weak var pump: Pump?
      do {
        let strong = try EventLoop()
        let user = CurlProvider(loop: strong)
        _ = strong.schedule(after: 60) {}
        _ = user.startRequest(
          HTTPRequest(method: "GET", url: "http://127.0.0.1:1/"),
          completion: strong.pump.completion { _ in })
        (loop, provider, pump) = (strong, user, strong.pump)
      }
      #expect(loop == nil)
      #expect(provider == nil)
      #expect(pump == nil)
    }
  }

  @Test
  func `THR-02 THR-03 slow work runs on another thread, what follows on the loop's, a turn later`()
    throws
  {
    let loop = try EventLoop()
    defer { loop.close() }
    let home = UInt(bitPattern: pthread_self().hashValue)
    var results: [Bool] = []
    for _ in 0..<20 {
      loop.pump.offload {
        UInt(bitPattern: pthread_self().hashValue) != home
      } then: { wasElsewhere in
        results.append(wasElsewhere && UInt(bitPattern: pthread_self().hashValue) == home)
      }
    }
    #expect(results.isEmpty)
    loop.runBounded { results.count == 20 }
    #expect(results == Array(repeating: true, count: 20))
  }

  @Test func `closing waits for work under way, whose result nobody hears`() throws {
    let loop = try EventLoop()
    var wasTold = false
    loop.pump.offload {
      var sum = 0
      for number in 0..<200_000 { sum &+= number }
      return sum
    } then: { _ in
      wasTold = true
    }
    loop.close()
    loop.pump.turn()
    #expect(!wasTold)
  }
}
