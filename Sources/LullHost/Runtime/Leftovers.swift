import LullCore

/// What a script has begun and not ended, and what watches for it, when it comes to its end.
package struct Leftovers {
  /// Requests in flight, by method and URL.
  package var requests: [String] = []
  /// Tasks and streams that go on.
  package var taskCount = 0
  /// Resources that are observed, by what they are called, each with how many observers it has.
  package var observed: [(name: String, count: Int)] = []

  package var isEmpty: Bool { requests.isEmpty && taskCount == 0 && observed.isEmpty }

  /// In words.
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
  /// What there is when all that nobody holds any more has been collected.
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
}
