import LullCore
import Testing

@Suite(.timeLimit(.minutes(20)))
struct RequestProgressTests {
  /// One request with a clock that the test moves.
  private struct Model {
    var progress = RequestProgress()
    var metrics = RequestTransferMetrics()
    var now = 100.0
    let isGet: Bool

    init(get isGet: Bool) {
      self.isGet = isGet
    }

    mutating func poll(
      after seconds: Double = 0, _ change: (inout RequestTransferMetrics) -> Void = { _ in }
    ) -> Double {
      now += seconds
      change(&metrics)
      return progress.poll(metrics, isGet: isGet, now: now)
    }
  }

  private func isNear(_ value: Double, _ expected: Double, _ tolerance: Double) -> Bool {
    abs(value - expected) <= tolerance
  }

  @Test func `PRG-01 a request that has ended is at exactly 1`() {
    var model = Model(get: true)
    _ = model.poll()
    model.progress.complete()
    #expect(model.progress.value == 1)
    #expect(model.poll(after: 1) == 1)
  }

  @Test func `PRG-02 a request not polled yet is at 0, and so is the first poll without bytes`() {
    #expect(RequestProgress().value == 0)
    var model = Model(get: true)
    #expect(model.poll() == 0)
  }

  @Test func `PRG-03 waiting for the connection raises it with time`() {
    var model = Model(get: true)
    var last = model.poll()
    for _ in 0..<20 {
      let next = model.poll(after: 0.2)
      #expect(next > last)
      last = next
    }
  }

  @Test func `PRG-04 the first byte of a response does not make it jump`() {
    var model = Model(get: true)
    _ = model.poll()
    let waiting = model.poll(after: 1)
    let receiving = model.poll { ($0.responseBytesReceived, $0.responseBytesTotal) = (1, 1000) }
    #expect(isNear(receiving, waiting, 0.01))
  }

  @Test(arguments: [
    1000, nil, 0, -1,
  ])
  func `PRG-05 to PRG-07 bytes raise it, whether the size is known or not`(size: Int?) {
    var model = Model(get: true)
    let first = model.poll { ($0.responseBytesReceived, $0.responseBytesTotal) = (1, size) }
    let second = model.poll { $0.responseBytesReceived = 2 }
    #expect(second > first)
    #expect(second < 1)
  }

  @Test(arguments: [nil, -1])
  func `PRG-07 no number of bytes ends a download of unknown size`(size: Int?) {
    var model = Model(get: true)
    var last = model.poll { $0.responseBytesTotal = size }
    for received in [1, 1 << 10, 1 << 16, 1 << 19] {
      let next = model.poll { $0.responseBytesReceived = received }
      #expect(next > last)
      last = next
    }
    for received in [1 << 24, 1 << 40, Int.max] {
      let next = model.poll { $0.responseBytesReceived = received }
      #expect(next >= last && next < 1)
      last = next
    }
  }

  @Test func `PRG-08 PRG-13 a total becoming known changes nothing, exactly`() {
    for bytes in [1, 7, 100, 4321, 65536, 1_000_003] {
      var get = Model(get: true)
      _ = get.poll()
      _ = get.poll(after: 0.7)
      let downloading = get.poll { $0.responseBytesReceived = bytes }
      #expect(get.poll { $0.responseBytesTotal = bytes * 3 + 1 } == downloading)
      #expect(get.poll { $0.responseBytesReceived += 1 } > downloading)

      var post = Model(get: false)
      _ = post.poll()
      _ = post.poll(after: 0.7)
      let uploading = post.poll { $0.requestBytesSent = bytes }
      #expect(post.poll { $0.requestBytesTotal = bytes * 3 + 1 } == uploading)
    }
  }

  @Test func `PRG-09 more bytes than declared are exactly 1, and it stays`() {
    var model = Model(get: true)
    _ = model.poll()
    _ = model.poll(after: 0.3) { ($0.responseBytesReceived, $0.responseBytesTotal) = (1, 1000) }
    #expect(model.poll { $0.responseBytesReceived = 1001 } == 1)
    #expect(model.poll(after: 10) { $0.responseBytesReceived = 2000 } == 1)
    #expect(model.poll { $0.responseBytesTotal = 100_000 } == 1)
  }

  @Test func `PRG-10 the first byte of an upload does not make it jump`() {
    var model = Model(get: false)
    _ = model.poll()
    let waiting = model.poll(after: 1)
    #expect(
      isNear(model.poll { ($0.requestBytesSent, $0.requestBytesTotal) = (1, 1000) }, waiting, 0.01))
  }

  @Test(arguments: [
    1000, nil,
  ])
  func `PRG-11 PRG-12 bytes sent raise it, whether the size is known or not`(size: Int?) {
    var model = Model(get: false)
    let first = model.poll { ($0.requestBytesSent, $0.requestBytesTotal) = (10, size) }
    #expect(model.poll { $0.requestBytesSent = 11 } > first)
  }

  @Test func `PRG-14 time alone changes nothing during an upload`() {
    var model = Model(get: false)
    _ = model.poll()
    let value = model.poll(after: 1) { ($0.requestBytesSent, $0.requestBytesTotal) = (10, 1000) }
    #expect(model.poll(after: 1) == value)
    #expect(model.poll(after: 100) == value)
  }

  @Test func `PRG-15 to PRG-17 time raises it again until the response begins, then bytes do`() {
    var model = Model(get: false)
    _ = model.poll()
    let sent = model.poll(after: 1) { ($0.requestBytesSent, $0.requestBytesTotal) = (1000, 1000) }
    let waiting = model.poll(after: 1)
    #expect(waiting > sent)
    let receiving = model.poll { ($0.responseBytesReceived, $0.responseBytesTotal) = (1, 1000) }
    #expect(isNear(receiving, waiting, 0.01))
    #expect(model.poll(after: 5) == receiving)
    #expect(model.poll { $0.responseBytesReceived = 500 } > receiving)
  }

  @Test func `PRG-21 the response is not waited for before the body is sent, nor without one`() {
    var model = Model(get: true)
    _ = model.poll()
    let value = model.poll(after: 1) { $0.requestBytesSent = 10 }
    #expect(model.poll(after: 1) == value)
    #expect(model.poll { $0.requestBytesTotal = 10 } == value)
    #expect(model.poll(after: 1) > value)
  }

  @Test func `PRG-23 the reference values of a GET`() {
    var idle = Model(get: true)
    _ = idle.poll()
    #expect(isNear(idle.poll(after: 1), 0.079810, 5e-7))
    #expect(isNear(idle.poll(after: 999), 0.187500, 5e-7))

    var late = Model(get: true)
    _ = late.poll()
    _ = late.poll(after: 1)
    #expect(
      isNear(
        late.poll { ($0.responseBytesReceived, $0.responseBytesTotal) = (1, 1000) }, 0.080435, 5e-7)
    )
    #expect(late.poll { $0.responseBytesReceived = 1000 } == 1)

    var quick = Model(get: true)
    #expect(
      isNear(
        quick.poll { ($0.responseBytesReceived, $0.responseBytesTotal) = (1, 1000) }, 0.000625, 5e-7
      ))
  }

  @Test func `PRG-23 the reference values of a POST`() {
    var model = Model(get: false)
    _ = model.poll()
    #expect(isNear(model.poll(after: 1), 0.075115, 5e-7))
    #expect(
      isNear(model.poll { ($0.requestBytesSent, $0.requestBytesTotal) = (1, 1000) }, 0.075703, 5e-7)
    )
    #expect(isNear(model.poll { $0.requestBytesSent = 1000 }, 0.735726, 5e-7))
    #expect(isNear(model.poll(after: 1.2), 0.884380, 5e-7))
  }

  @Test func `PRG-25 it never goes back, even if bytes are counted anew`() {
    var model = Model(get: true)
    _ = model.poll()
    let before = model.poll { ($0.responseBytesReceived, $0.responseBytesTotal) = (900, 1000) }
    #expect(model.poll { ($0.responseBytesReceived, $0.responseBytesTotal) = (0, nil) } == before)
    #expect(model.poll { ($0.responseBytesReceived, $0.responseBytesTotal) = (10, 1000) } == before)
    #expect(model.poll { $0.responseBytesReceived = 1000 } == 1)
  }

  struct Weight: Sendable {
    let isGet: Bool
    let metrics: RequestTransferMetrics
    var wait = 0.0
    /// Where no part finishes at this poll, which would hold the value below (PRG-22).
    var isExact = true
    let expected: Double
  }

  @Test(arguments: [
    Weight(isGet: true, metrics: .init(), wait: 2.5, expected: 0.3 / 1.6 * 0.75),
    Weight(
      isGet: true, metrics: .init(responseBytesReceived: 65536), isExact: false,
      expected: (0.6 + 0.75) / 1.6),
    Weight(
      isGet: false, metrics: .init(requestBytesSent: 8192), isExact: false,
      expected: (0.3 + 0.75) / 1.7),
    Weight(
      isGet: false, metrics: .init(requestBytesSent: 10, requestBytesTotal: 10), isExact: false,
      expected: 1.3 / 1.7),
    Weight(
      isGet: false,
      metrics: .init(
        requestBytesSent: 10, requestBytesTotal: 10, responseBytesReceived: 10,
        responseBytesTotal: 10),
      expected: 1),
  ])
  func `PRG-18 PRG-19 connecting and answering weigh 0.3 each, bytes by method`(row: Weight) {
    var model = Model(get: row.isGet)
    _ = model.poll()
    let value = model.poll(after: row.wait) { $0 = row.metrics }
    #expect(value > 0 && value <= row.expected + 1e-9)
    if row.isExact { #expect(isNear(value, row.expected, 1e-9)) }
  }

  @Test(arguments: [nil, 0, -1, -1000])
  func `PRG-20 a total that is nil, zero or negative is unknown`(total: Int?) {
    var known = Model(get: true)
    var unknown = Model(get: true)
    for bytes in [1, 100, 10_000] {
      let value = known.poll { ($0.responseBytesReceived, $0.responseBytesTotal) = (bytes, nil) }
      #expect(
        unknown.poll { ($0.responseBytesReceived, $0.responseBytesTotal) = (bytes, total) } == value
      )
    }
  }
}
