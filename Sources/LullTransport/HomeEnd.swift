import Synchronization

/// The end of one home: who asks for it, and who waits for it. For any thread.
final class HomeEnd: Sendable {
  fileprivate enum Phase {
    case running
    case asked
    case over
  }

  fileprivate struct State {
    var phase = Phase.running
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    /// What cancels the tasks that have not ended, by number.
    var cancellations: [Int: @Sendable () -> Void] = [:]
    /// Those that have ended before it was said how to cancel them.
    var ended: Set<Int> = []
    var nextNumber = 0
  }

  private let state = Mutex(State())

  var isAsked: Bool { state.withLock { $0.phase != .running } }
  var isOver: Bool { state.withLock { $0.phase == .over } }

  /// Asks for it; whether nobody has before.
  func ask() -> Bool {
    state.withLock { state in
      guard state.phase == .running else { return false }
      state.phase = .asked
      return true
    }
  }

  func declare() {
    let waiting = state.withLock { state in
      state.phase = .over
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume() }
  }

  /// Waits until it is over, or the task is cancelled.
  func wait() async {
    let number = state.withLock { $0.number() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          guard state.phase != .over, !Task.isCancelled else { return false }
          state.waiting[number] = continuation
          return true
        }
        if !isWaiting { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
  }

  // MARK: Tasks

  func number() -> Int { state.withLock { $0.number() } }

  /// Has a task cancelled when the end is asked for, unless it is over before.
  func add(_ number: Int, _ cancel: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      guard state.ended.remove(number) == nil else { return false }
      guard state.phase == .running else { return true }
      state.cancellations[number] = cancel
      return false
    }
    if isLate { cancel() }
  }

  /// Of a task that has ended.
  func forget(_ number: Int) {
    state.withLock { state in
      guard state.cancellations.removeValue(forKey: number) == nil, state.phase == .running else {
        return
      }
      state.ended.insert(number)
    }
  }

  func cancelTasks() {
    let cancellations = state.withLock { state in
      defer { state.cancellations = [:] }
      return state.cancellations
    }
    for cancel in cancellations.values { cancel() }
  }
}

extension HomeEnd.State {
  fileprivate mutating func number() -> Int {
    nextNumber += 1
    return nextNumber
  }
}
