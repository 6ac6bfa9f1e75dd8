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
