import LullCore

/// The unfinished work at the end of a script, and the observers that are still registered.
package struct Leftovers {
  /// The requests in flight, each as a text with method and URL.
  package var requests: [String] = []
  /// The number of tasks and streams that are still running.
  package var taskCount = 0
  /// The names of the observed resources, each with the number of its observers.
  package var observed: [(name: String, count: Int)] = []

  package var isEmpty: Bool { requests.isEmpty && taskCount == 0 && observed.isEmpty }

  /// The leftovers as text for the user.
  package var text: String {
    var parts: [String] = []
    if !requests.isEmpty {
      parts.append(
        Leftovers.count(requests.count, "request") + " in flight (\(Leftovers.list(requests)))")
    }
    if taskCount > 0 { parts.append(Leftovers.count(taskCount, "task") + " unfinished") }
    if !observed.isEmpty {
      let count = observed.reduce(0) { $0 + $1.count }
      parts.append(
        Leftovers.count(count, "observer") + " of \(Leftovers.list(observed.map(\.name)))")
    }
    return parts.joined(separator: "; ")
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func list(_ names: [String]) -> String {
    let rest = names.count - 3
    return names.prefix(3).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}

extension LuaHost {
  /// The unfinished work and the registered observers. All garbage is collected before they are
  /// determined.
  package var leftovers: Leftovers {
    loop.collect()
    handles.sweep()
    var left = Leftovers(requests: requests.descriptions, taskCount: loop.taskCount)
    for service in handles.objects(.service, as: Service.self) {
      service.table.forEach { record in
        let count = record.observers.keptCount
        if count > 0 { left.observed.append((LogText.url(record.url.text), count)) }
      }
    }
    left.observed.sort { $0.name < $1.name }
    return left
  }

  /// The functions that have not ended and the requests that have not completed or not started.
  package var unfinished: Unfinished {
    let tasks = handles.objects(.task, as: LuaTask.self).compactMap(\.context)
    let running = Set(tasks.map { ObjectIdentifier($0) })
    let waiting = coroutines.waiting.values.filter { !running.contains(ObjectIdentifier($0)) }
    let unstarted = handles.objects(.request, as: Request.self).filter {
      $0.state == .notStarted && !$0.isCompleted
    }
    var observers: [Int64] = []
    for service in handles.objects(.service, as: Service.self) {
      service.table.forEach { record in
        for case let observer as LuaObserver in record.observers.held where observer.isUnheard {
          observers.append(observer.id)
        }
      }
    }
    return Unfinished(
      functions: (tasks + waiting).compactMap(\.function).sorted().map { .ref($0) },
      arguments: tasks.compactMap(\.arguments).sorted().map { .ref($0) },
      requests: requests.open.map { values.of($0) },
      unstarted: unstarted.map { values.of($0) },
      observers: observers.sorted().map { .ref($0) })
  }
}

/// The script functions that have not ended and the requests that have not completed or not
/// started, as script values.
package struct Unfinished {
  /// The functions of tasks, hooks and observers that have not ended.
  package let functions: [LuaValue]
  /// The argument lists of the tasks that have not ended, if argument lists are kept.
  package let arguments: [LuaValue]
  /// The requests in flight.
  package let requests: [LuaValue]
  /// The requests that have not started.
  package let unstarted: [LuaValue]
  /// The observers (functions or tables) that have got no events except `observer_added` and
  /// `requested`.
  package let observers: [LuaValue]
}
