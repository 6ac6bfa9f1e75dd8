/// Starts tasks on the thread of a pump, for what is called there outside of any task.
///
/// On a home they run among its other jobs, else with the turns of the pump. What still waits when the
/// pump has closed goes on as that of a home does. Home thread only.
package final class PumpTasks: PumpGuest {
  /// What the tasks are isolated to.
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
  /// Whether nobody else runs the executor's jobs, nor ends it.
  private let isOwner: Bool
  private var hasEnded = false
  /// Those that have not ended, by their owners.
  private var tasks: [ObjectIdentifier: PumpTask] = [:]

  /// - Parameter executor: that of the home, which runs its jobs.
  package init(_ pump: Pump, on executor: HomeExecutor) {
    self.pump = pump
    self.executor = executor
    seat = Seat(executor)
    isOwner = false
  }

  private init(_ pump: Pump) {
    self.pump = pump
    // Nobody expects this: it brings about a turn.
    executor = HomeExecutor { [inbox = pump.inbox] in inbox.post(0, .work(true)) }
    seat = Seat(executor)
    isOwner = true
  }

  deinit { end() }

  /// That of the pump.
  static func of(_ pump: Pump) -> PumpTasks {
    if let tasks = pump.guest(PumpTasks.self) { return tasks }
    let tasks = PumpTasks(pump)
    pump.add(tasks)
    return tasks
  }

  /// Starts a task that `owner` waits for, which begins on a later turn; what this returns cancels it.
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
    // The next one may have begun meanwhile.
    if tasks[place] === task { tasks[place] = nil }
  }

  /// That which `owner` waits for.
  func task(of owner: AnyObject) -> PumpTask? {
    guard let task = tasks[ObjectIdentifier(owner)], task.owner === owner else { return nil }
    return task
  }

  package func turnBegins() {}

  package func turnEnded() {
    // A job that comes from now on brings about another turn.
    if isOwner { executor.runJobs() }
  }

  package func pumpCloses() {
    // Guests are dismissed while there are turns to come, which tasks need.
    if pump.ending.hasEnded { end() } else { pump.add(self) }
  }

  private func end() {
    guard isOwner, !hasEnded else { return }
    hasEnded = true
    executor.end()
  }
}

/// A task of a pump: on whose behalf it runs, and what it waits for, so that a wait that could never end is
/// told.
///
/// Home thread only, but for `current`, which child tasks have too.
package final class PumpTask {
  /// That within which the calling task runs.
  @TaskLocal static var current: Confined<PumpTask>?

  private let pump: ObjectIdentifier
  /// What goes on when the task has ended.
  private(set) weak var owner: AnyObject?
  /// One for each wait: it may have child tasks.
  private(set) var awaited: [AnyObject] = []

  init(on pump: Pump, for owner: AnyObject) {
    self.pump = ObjectIdentifier(pump)
    self.owner = owner
  }

  /// That of the calling task, if it is of this pump.
  static func current(on pump: Pump) -> PumpTask? {
    guard let task = current?.value, task.pump == ObjectIdentifier(pump) else { return nil }
    return task
  }

  /// Starts what is no part of the calling task.
  package static func outside<Result>(_ start: () -> Result) -> Result {
    $current.withValue(nil) { start() }
  }

  func began(_ wait: AnyObject) { awaited.append(wait) }

  func ended(_ wait: AnyObject) {
    guard let index = awaited.lastIndex(where: { $0 === wait }) else { return }
    awaited.remove(at: index)
  }
}

/// Which tasks of a pump wait for something that only this pump can bring: a test whose tasks all do, with
/// nothing left to deliver, is deadlocked.
///
/// Tasks are known by their hash values. Home thread only.
package final class PumpWaits {
  /// How often each waits: its child tasks may be the same to whoever compares.
  private var waiting: [Int: Int] = [:]
  private var running: Set<Int> = []

  package init() {}

  /// The calling task belongs to the pump until `taskEnded`.
  package func taskBegan() -> Int {
    let task = PumpWaits.currentTask
    running.insert(task)
    return task
  }

  package func taskEnded(_ task: Int) { running.remove(task) }

  /// The calling task begins to wait; `ended` is called when it goes on.
  package func began() -> Int {
    let task = PumpWaits.currentTask
    waiting[task, default: 0] += 1
    return task
  }

  package func ended(_ task: Int) {
    guard let count = waiting[task] else { return }
    waiting[task] = count > 1 ? count - 1 : nil
  }

  /// Whether every task that belongs to the pump waits for it; false without any.
  package var holdAll: Bool {
    !running.isEmpty && running.allSatisfy { waiting[$0] != nil }
  }

  private static var currentTask: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }
}
