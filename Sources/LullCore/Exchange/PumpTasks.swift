/// Starts tasks on the thread of a pump, for code on that thread that runs outside a task.
///
/// If the pump belongs to a home, the tasks run among the other jobs of the home; otherwise they
/// run in the turns of the pump. If tasks still wait when the pump has closed, they continue like
/// the tasks of a home that has ended. Home thread only.
package final class PumpTasks: PumpGuest {
  /// The actor to which the tasks are isolated.
  private actor Seat {
    private let executor: HomeExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor {
      executor.asUnownedSerialExecutor()
    }

    init(_ executor: HomeExecutor) {
      self.executor = executor
    }

    func run(_ work: Confined<(isolated Seat) async -> Void>) async {
      await work.value(self)
    }
  }

  private unowned let pump: Pump
  private let executor: HomeExecutor
  private let seat: Seat
  /// Whether this object runs and ends the executor. If false, a home does.
  private let isOwner: Bool
  private var hasEnded = false
  /// The running tasks, by the identity of their owners.
  private var tasks: [ObjectIdentifier: PumpTask] = [:]

  /// Makes the object that starts tasks on a home.
  ///
  /// - Parameter executor: The executor of the home, which runs the home's jobs.
  package init(_ pump: Pump, on executor: HomeExecutor) {
    self.pump = pump
    self.executor = executor
    seat = Seat(executor)
    isOwner = false
  }

  private init(_ pump: Pump) {
    self.pump = pump
    // No receiver expects this item; it only causes a turn.
    executor = HomeExecutor { [inbox = pump.inbox] in inbox.post(0, .work(true)) }
    seat = Seat(executor)
    isOwner = true
  }

  deinit { end() }

  /// Returns the `PumpTasks` of a pump. It is made on first use.
  static func of(_ pump: Pump) -> PumpTasks {
    if let tasks = pump.guest(PumpTasks.self) { return tasks }
    let tasks = PumpTasks(pump)
    pump.add(tasks)
    return tasks
  }

  /// Starts a task for `owner`. The task begins in a later turn. The returned function cancels the
  /// task.
  func start(
    for owner: AnyObject, _ work: nonisolated(nonsending) @escaping () async -> Void
  ) -> () -> Void {
    let own = PumpTask(on: pump, for: owner)
    tasks[ObjectIdentifier(owner)] = own
    let work = Confined(work)
    let end = Confined { [weak self] in self?.ended(own, of: owner) }
    let waits = Confined(pump.waits)
    let job = Confined { (_: isolated Seat) in
      let number = waits.value.taskBegan()
      await work.value()
      waits.value.taskEnded(number)
      end.value()
    }
    let task = PumpTask.$current.withValue(Confined(own)) {
      Task(executorPreference: executor) { [seat] in await seat.run(job) }
    }
    return { task.cancel() }
  }

  private func ended(_ task: PumpTask, of owner: AnyObject) {
    let place = ObjectIdentifier(owner)
    // The owner's next task may have begun meanwhile.
    if tasks[place] === task { tasks[place] = nil }
  }

  /// Returns the task whose end `owner` waits for.
  func task(of owner: AnyObject) -> PumpTask? {
    guard let task = tasks[ObjectIdentifier(owner)], task.owner === owner else { return nil }
    return task
  }

  package func turnBegins() {}

  package func turnEnded() {
    // A job that is added from now on causes another turn.
    if isOwner { executor.runJobs() }
  }

  package func pumpCloses() {
    // Guests are dismissed before the last turns, which the tasks need.
    if pump.ending.hasEnded { end() } else { pump.add(self) }
  }

  private func end() {
    guard isOwner, !hasEnded else { return }
    hasEnded = true
    executor.end()
  }
}

/// A task on a pump, with its owner and the objects that the task waits for. Used to report a wait
/// that can never end.
///
/// Home thread only, except `current`, which child tasks inherit.
package final class PumpTask {
  /// The `PumpTask` in which the calling code runs.
  @TaskLocal static var current: Confined<PumpTask>?

  private let pump: ObjectIdentifier
  /// The object that waits for the end of the task.
  private(set) weak var owner: AnyObject?
  /// The objects that the task waits for. There may be several, because the task may have child
  /// tasks.
  private(set) var awaited: [AnyObject] = []

  init(on pump: Pump, for owner: AnyObject) {
    self.pump = ObjectIdentifier(pump)
    self.owner = owner
  }

  /// Returns the `PumpTask` in which the calling code runs, if that task belongs to this pump.
  static func current(on pump: Pump) -> PumpTask? {
    guard let task = current?.value, task.pump == ObjectIdentifier(pump) else { return nil }
    return task
  }

  /// Calls `start` outside the current `PumpTask`. Use it to start work that isn't part of that
  /// task.
  package static func outside<Result>(_ start: () -> Result) -> Result {
    $current.withValue(nil) { start() }
  }

  func began(_ wait: AnyObject) { awaited.append(wait) }

  func ended(_ wait: AnyObject) {
    guard let index = awaited.lastIndex(where: { $0 === wait }) else { return }
    awaited.remove(at: index)
  }
}

/// Counts the tasks that wait for something that only this pump can deliver. If all tasks of a test
/// wait and nothing is left to deliver, the test is deadlocked.
///
/// Tasks are identified by their hash values. Home thread only.
package final class PumpWaits {
  /// The number of waits of each task, by hash value. Child tasks may have the same hash value as
  /// their parent.
  private var waiting: [Int: Int] = [:]
  private var running: Set<Int> = []

  package init() {}

  /// Registers the calling task with the pump until `taskEnded` is called.
  package func taskBegan() -> Int {
    let task = PumpWaits.currentTask
    running.insert(task)
    return task
  }

  package func taskEnded(_ task: Int) { running.remove(task) }

  /// Records that the calling task begins to wait. Call `ended` when the task resumes.
  package func began() -> Int {
    let task = PumpWaits.currentTask
    waiting[task, default: 0] += 1
    return task
  }

  package func ended(_ task: Int) {
    guard let count = waiting[task] else { return }
    waiting[task] = count > 1 ? count - 1 : nil
  }

  /// Whether every registered task waits for the pump; false if there are no tasks.
  package var holdAll: Bool {
    !running.isEmpty && running.allSatisfy { waiting[$0] != nil }
  }

  private static var currentTask: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }
}
