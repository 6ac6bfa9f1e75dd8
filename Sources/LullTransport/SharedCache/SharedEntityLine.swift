import LullCore

/// What is asked of the server for entities: of one entry one thing after the other, in the order asked, and not
/// more at once than a connection carries well. Home thread only.
final class SharedEntityLine {
  /// Does its work and then calls its argument, once, now or later.
  typealias Operation = (_ done: @escaping () -> Void) -> Void

  private struct Waiting {
    let name: String
    let byteCount: Int
    let operation: Operation
  }

  /// Operations, and bytes of what they send.
  private static let mostAtOnce = 8
  private static let mostBytesAtOnce = 4 << 20

  private var busy: Set<String> = []
  private var bytesUnderWay = 0
  /// By entry; only of those that are busy.
  private var held: [String: [Waiting]] = [:]
  /// Whose entry is free; the next one last.
  private var ready: [Waiting] = []
  private var arriving: [Waiting] = []
  private var isRunning = false
  private let large = CacheOperations()

  func perform(_ name: String, byteCount: Int = 0, _ operation: @escaping Operation) {
    let waiting = Waiting(name: name, byteCount: byteCount, operation: operation)
    arriving.append(waiting)
    run()
  }

  /// Whatever the entry, one after the other: a part of an operation that answers with much.
  func performAlone(_ operation: @escaping Operation) {
    large.perform(operation)
  }

  private func next() -> Waiting? {
    if ready.isEmpty {
      ready = arriving.reversed()
      arriving = []
    }
    return ready.popLast()
  }

  private func run() {
    guard !isRunning else { return }
    isRunning = true
    defer { isRunning = false }
    while busy.count < SharedEntityLine.mostAtOnce, let waiting = next() {
      guard !busy.contains(waiting.name) else {
        held[waiting.name, default: []].append(waiting)
        continue
      }
      guard
        bytesUnderWay == 0
          || bytesUnderWay + waiting.byteCount <= SharedEntityLine.mostBytesAtOnce
      else {
        ready.append(waiting)
        return
      }
      begin(waiting)
    }
  }

  private func begin(_ waiting: Waiting) {
    busy.insert(waiting.name)
    bytesUnderWay += waiting.byteCount
    var isDone = false
    waiting.operation { [self] in
      guard !isDone else { return }
      isDone = true
      ended(waiting)
    }
  }

  private func ended(_ waiting: Waiting) {
    busy.remove(waiting.name)
    bytesUnderWay -= waiting.byteCount
    // They came before whatever has not been looked at yet.
    if let others = held.removeValue(forKey: waiting.name) { ready += others.reversed() }
    run()
  }
}
