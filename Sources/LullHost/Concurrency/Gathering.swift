import LullCore

/// One call of `lull.all` or `lull.any`: waits for a list of requests and tasks together.
///
/// Order of events: each item is observed. The wait ends with the first item that decides the
/// outcome, or with the last item. Then unfinished tasks are cancelled. Unfinished requests are
/// cancelled too, unless something else waits for them. During the wait, the userdata of the items
/// are held, and with them the results of the items. Home thread only.
final class Gathering {
  enum Kind: String {
    /// `lull.all`: ends at the first failure.
    case all
    /// `lull.any`: ends at the first success.
    case any
  }

  enum Decision {
    /// All items of `lull.all`, or the item of `lull.any` that succeeded.
    case results([AwaitedItem])
    case failure(AwaitedItem.Outcome)
  }

  private unowned let stored: StoredValues
  private unowned let tasks: Tasks
  private unowned let pump: Pump
  private let kind: Kind
  let items: [AwaitedItem]
  private var pins: [UInt64] = []
  /// Functions that each end the wait for one item early, in the order of the items.
  private var leaving: [(Tasks) -> Void] = []
  private var openCount: Int
  private var firstFailure: (item: AwaitedItem, outcome: AwaitedItem.Outcome)?
  private var isOver = false

  init(
    _ kind: Kind, _ items: [AwaitedItem], _ stored: StoredValues, _ tasks: Tasks, _ pump: Pump
  ) {
    self.kind = kind
    self.items = items
    self.stored = stored
    self.tasks = tasks
    self.pump = pump
    openCount = items.count
  }

  var awaited: Awaited {
    var awaited = Awaited()
    awaited.isList = true
    for item in items {
      switch item {
      case .request(let request): awaited.requests.append(request)
      case .task(let task): awaited.tasks.append(task)
      }
    }
    return awaited
  }

  /// Begins to wait for the items. Calls `decided` once, in a later turn. If the wait is cancelled
  /// before, `decided` is not called. The waiting caller holds this object; the items do not.
  func begin(_ decided: @escaping (Decision) -> Void) {
    for item in items {
      if let handle = item.pin(in: stored) { pins.append(handle) }
      leaving.append(item.wait(in: pump) { [weak self] in self?.ended(item, decided) })
    }
  }

  private func ended(_ item: AwaitedItem, _ decided: (Decision) -> Void) {
    guard !isOver, let outcome = item.outcome else { return }
    openCount -= 1
    switch (kind, outcome) {
    case (.any, .success): finish(.results([item]), hearing: nil, decided)
    case (.all, .success):
      if openCount == 0 { finish(.results(items), hearing: nil, decided) }
    case (.all, _): finish(.failure(outcome), hearing: item, decided)
    case (.any, _):
      // A script error takes precedence over a failed request.
      if firstFailure == nil || outcome.isRaised && !(firstFailure?.outcome.isRaised ?? false) {
        firstFailure = (item, outcome)
      }
      if openCount == 0, let firstFailure {
        finish(.failure(firstFailure.outcome), hearing: firstFailure.item, decided)
      }
    }
  }

  /// Ends the wait with a decision. If the caller receives the error of an item, `item` is that
  /// item. If another task failed as well, the error of that task remains unhandled and is
  /// reported.
  private func finish(
    _ decision: Decision, hearing item: AwaitedItem?, _ decided: (Decision) -> Void
  ) {
    if case .task(let task) = item { task.markAwaited() }
    decided(decision)
    cancel()
  }

  /// Ends the wait: cancels unfinished items, and releases the userdata of all items.
  func cancel() {
    guard !isOver else { return }
    isOver = true
    let leaving = leaving
    self.leaving = []
    for (item, leave) in zip(items, leaving) where item.outcome == nil { leave(tasks) }
    let pins = pins
    self.pins = []
    // The userdata are released by the inner callback, which runs after the results have been
    // pushed.
    pump.enqueue { [unowned pump, unowned stored] in
      pump.enqueue { [unowned stored] in for handle in pins { stored.unpin(object: handle) } }
    }
  }
}

extension AwaitedItem.Outcome {
  var isRaised: Bool { if case .raised = self { true } else { false } }
}
