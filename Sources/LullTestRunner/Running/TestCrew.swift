import LullLibC
import LullCore
import LullSystem
import LullTransport

/// The worker processes. A worker that is free gets the next order. Replies are reported in the
/// order of the orders, not of their arrival.
///
/// Used only on the thread that created it.
final class TestCrew {
  private final class Seat {
    let worker: WorkerProcess
    let watch: DescriptorWatch

    init(_ worker: WorkerProcess, _ watch: DescriptorWatch) {
      self.worker = worker
      self.watch = watch
    }
  }

  struct Failure: Error {
    let text: String
  }

  private let words: [String]
  private let settings: TestSettings
  private let size: Int
  private let loop: EventLoop
  private var seats: [Seat] = []
  private var signals: [SignalWatch] = []
  /// The signal that interrupted the run.
  private(set) var signal: Int32?

  /// - Parameter words: The command line that starts a worker, without its settings.
  init(_ words: [String], _ settings: TestSettings, size: Int) throws(Failure) {
    self.words = words
    self.settings = settings
    self.size = max(1, size)
    do throws(TransportError) { loop = try EventLoop() } catch {
      throw Failure(text: error.message)
    }
    signals = [SIGINT, SIGTERM].compactMap { number in
      SignalWatch(number, on: loop) { [unowned self] in signal = signal ?? number }
    }
  }

  deinit { close() }

  func close() {
    for seat in seats {
      seat.watch.close()
      seat.worker.end()
    }
    seats = []
    for watch in signals { watch.close() }
    signals = []
    loop.close()
  }

  /// Carries out all orders. If a signal arrives, the remaining orders are skipped.
  ///
  /// - Parameter tell: Called for each reply, with the index of its order. The calls are in the
  ///   order of the orders.
  func carryOut(
    _ orders: [TestOrder], _ tell: (Int, TestReply) -> Void
  ) throws(Failure) {
    var replies: [Int: TestReply] = [:]
    var next = 0
    var told = 0
    while told < orders.count, signal == nil {
      while next < orders.count, let worker = try freeWorker() {
        worker.start(next, orders[next])
        next += 1
      }
      loop.turn(.once)
      for seat in seats where seat.watch.isReady { take(from: seat, orders, &replies) }
      while let reply = replies.removeValue(forKey: told) {
        tell(told, reply)
        told += 1
      }
    }
    // After an interruption, report the replies that have already arrived.
    for (place, reply) in replies.sorted(by: { $0.key < $1.key }) { tell(place, reply) }
  }

  private func freeWorker() throws(Failure) -> WorkerProcess? {
    if let seat = seats.first(where: { $0.worker.task == nil }) { return seat.worker }
    guard seats.count < size else { return nil }
    let worker: WorkerProcess
    do throws(WorkerProcess.Failure) {
      worker = try WorkerProcess(words, settings)
    } catch {
      throw Failure(text: "cannot start a process for the tests: \(error.text)")
    }
    guard let watch = DescriptorWatch(worker.descriptor, on: loop) else {
      throw Failure(text: "cannot start a process for the tests: it cannot be watched")
    }
    seats.append(Seat(worker, watch))
    return worker
  }

  private func take(from seat: Seat, _ orders: [TestOrder], _ replies: inout [Int: TestReply]) {
    let task = seat.worker.task
    switch seat.worker.progress() {
    case .nothing: seat.watch.rearm()
    case .reply(let reply):
      if let task { replies[task] = reply }
      guard reply.isLast else { return seat.watch.rearm() }
      seat.watch.close()
      seats.removeAll { $0 === seat }
    case .died(let how, let output):
      seat.watch.close()
      seats.removeAll { $0 === seat }
      guard let task else { return }
      var reply = TestReply()
      let what = orders[task].number == nil ? "loaded the file" : "ran the test"
      reply.failures = ["lull: the process that \(what) \(how)\n"]
      reply.output = output
      replies[task] = reply
    }
  }
}
