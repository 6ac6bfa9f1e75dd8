import LullCore

/// A simulated clock that moves only on request, from one timer to the next.
///
/// Timers fire one by one, in the order of their times. Those with the same time fire in the order
/// in which they were scheduled. Home thread only.
final class HeldClock: HostClock {
  /// The initial time of tests: the first second of 2026, UTC.
  static let beginning = 1_767_225_600.0

  /// The elapsed seconds, even if the clock was set.
  private(set) var uptime = 0.0
  private var shift = HeldClock.beginning
  private var isSet = false
  /// A binary heap, ordered by time.
  private var timers: [Timer] = []
  private var lastNumber = 0
  private var cancelledCount = 0

  var now: Double { uptime + shift }

  /// Sets the time of day. Timers are not affected.
  func set(_ now: Double) {
    shift = now - uptime
    isSet = true
  }

  /// Records that the time was shown, so that it is not changed any more.
  func hasBeenSeen() { isSet = true }

  /// Sets the initial time, unless the time was set or shown, or some has elapsed.
  func begin(at now: Double) {
    if !isSet, uptime == 0 { set(now) }
  }

  func schedule(after seconds: Double, _ action: @escaping () -> Void) -> any HostTimer {
    lastNumber += 1
    let timer = Timer(
      due: uptime + (seconds > 0 ? min(seconds, 1e300) : 0),
      number: lastNumber, action: action, clock: self)
    insert(timer)
    return timer
  }

  /// Whether any timer will fire.
  var hasNext: Bool { timers.contains { $0.action != nil && $0.due < HeldClock.end } }

  /// Advances to the next timer and fires it. Returns `false` if no timer is left that will fire.
  func fireNext() -> Bool {
    while let timer = timers.first {
      guard timer.action != nil else {
        removeFirst()
        cancelledCount -= 1
        continue
      }
      guard timer.due < HeldClock.end else { return false }
      removeFirst()
      uptime = max(uptime, timer.due)
      let action = timer.action
      timer.action = nil
      action?()
      return true
    }
    return false
  }

  /// Removes all timers.
  func close() { timers = [] }

  /// The maximum time, about ten thousand years.
  private static let end = 3e11

  // MARK: The heap

  private func insert(_ timer: Timer) {
    timers.append(timer)
    var place = timers.count - 1
    while place > 0, timers[place].isBefore(timers[(place - 1) / 2]) {
      timers.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private func removeFirst() {
    timers.swapAt(0, timers.count - 1)
    timers.removeLast()
    sink(from: 0)
  }

  private func sink(from start: Int) {
    var place = start
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2]
      where child < timers.count && timers[child].isBefore(timers[least]) {
        least = child
      }
      guard least != place else { return }
      timers.swapAt(place, least)
      place = least
    }
  }

  /// Records that a timer was cancelled. If most timers are, removes the cancelled ones.
  private func cancelled() {
    cancelledCount += 1
    guard cancelledCount > 1000, cancelledCount > timers.count / 2 else { return }
    timers.removeAll { $0.action == nil }
    cancelledCount = 0
    for place in stride(from: timers.count / 2, through: 0, by: -1) { sink(from: place) }
  }

  private final class Timer: HostTimer {
    let due: Double
    private let number: Int
    var action: (() -> Void)?
    private weak var clock: HeldClock?

    init(due: Double, number: Int, action: @escaping () -> Void, clock: HeldClock) {
      self.due = due
      self.number = number
      self.action = action
      self.clock = clock
    }

    func isBefore(_ other: Timer) -> Bool {
      due != other.due ? due < other.due : number < other.number
    }

    func cancel() {
      guard action != nil else { return }
      action = nil
      clock?.cancelled()
    }
  }
}
