import LullCore

/// A simulated clock. It moves only on request, from one timer to the next.
///
/// Timers fire one by one, in the order of their times. If several have the same time, they fire in
/// the order in which they were scheduled. Home thread only.
final class HeldClock: HostClock {
  /// The time at which tests begin unless they set another one: the first second of 2026, UTC.
  static let beginning = 1_767_225_600.0

  /// The elapsed seconds since the test began. Setting the time of day does not change them.
  private(set) var uptime = 0.0
  private var shift = HeldClock.beginning
  private var isSet = false
  /// The scheduled timers as a binary heap, ordered by time.
  private var timers: [Timer] = []
  private var lastNumber = 0
  private var cancelledCount = 0

  var now: Double { uptime + shift }

  /// Sets the time of day. The timers are not affected.
  func set(_ now: Double) {
    shift = now - uptime
    isSet = true
  }

  /// Records that the test may have seen the time. From then on, `begin(at:)` does not change it.
  func hasBeenSeen() { isSet = true }

  /// Sets the initial time. Does nothing if the time has been set or seen, or if time has elapsed.
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

  /// Whether there is a timer that will fire.
  var hasNext: Bool { timers.contains { $0.action != nil && $0.due < HeldClock.end } }

  /// Advances the clock to the next timer and fires it. Returns `false` if no timer will fire.
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

  /// The maximum time of a timer that fires, about ten thousand years.
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

  /// Counts a cancelled timer. If most timers in the heap are cancelled, removes the cancelled
  /// timers.
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
