import LullCore

/// What is asked of the server for entities: of one entry one thing after the other, in the order asked, and not
/// more at once than a connection carries well. Home thread only.
final class SharedEntityLine {
  /// Does its work and then calls its argument, once, now or later.
  typealias Operation = (_ done: @escaping () -> Void) -> Void

  private struct Waiting {
    let pump: ObjectIdentifier
    let name: String
    let byteCount: Int
    let operation: Operation
  }

  private struct Busy {
    let pump: ObjectIdentifier
    let byteCount: Int
    let number: Int
  }

  /// Operations, and bytes of what they send.
  private static let mostAtOnce = 8
  private static let mostBytesAtOnce = 4 << 20

  /// What is under way, by entry.
  private var busy: [String: Busy] = [:]
  private var count = 0
  private var bytesUnderWay = 0
  /// By entry; only of those that are busy.
  private var held: [String: [Waiting]] = [:]
  /// Whose entry is free; the next one last.
  private var ready: [Waiting] = []
  private var arriving: [Waiting] = []
  private var isRunning = false
  private let large = CacheOperations()
  /// Which pump was told last that this is to hear of its end.
  private weak var told: Pump?

  /// - Parameter pump: on which it does its work: what has not begun or ended when that closes never does.
  func perform(
    _ name: String, on pump: Pump, byteCount: Int = 0, _ operation: @escaping Operation
  ) {
    guard !pump.isClosed else { return }
    if told !== pump {
      told = pump
      pump.tellOfEnd(self)
    }
    arriving.append(
      Waiting(
        pump: ObjectIdentifier(pump), name: name, byteCount: byteCount, operation: operation))
    run()
  }

  /// Whatever the entry, one after the other: a part of an operation that answers with much.
  func performAlone(on pump: Pump, _ operation: @escaping Operation) {
    large.perform(on: pump, operation)
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
      guard busy[waiting.name] == nil else {
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
    count += 1
    let number = count
    busy[waiting.name] = Busy(pump: waiting.pump, byteCount: waiting.byteCount, number: number)
    bytesUnderWay += waiting.byteCount
    waiting.operation { [self] in
      guard busy[waiting.name]?.number == number else { return }
      free(waiting.name)
      run()
    }
  }

  private func free(_ name: String) {
    guard let ended = busy.removeValue(forKey: name) else { return }
    bytesUnderWay -= ended.byteCount
    // They came before whatever has not been looked at yet.
    if let others = held.removeValue(forKey: name) { ready += others.reversed() }
  }
}

extension SharedEntityLine: PumpQueue {
  func pumpHasClosed(_ pump: Pump) {
    let closed = ObjectIdentifier(pump)
    ready.removeAll { $0.pump == closed }
    arriving.removeAll { $0.pump == closed }
    held = held.mapValues { $0.filter { $0.pump != closed } }
    for name in busy.filter({ $0.value.pump == closed }).keys { free(name) }
    run()
  }
}
