import LullLibC
import LullCore
import LullSystem

/// What a script waits for whose main chunk has come to its end, or waits itself, for a person who
/// wonders.
struct WaitNotice {
  struct Item: Equatable {
    let name: String
    /// Unix epoch seconds.
    let since: Double
  }

  /// Seconds after the main chunk's end, or after it began to wait; `LULL_WAIT_NOTICE` sets another number.
  static let delay: Double = chosenDelay ?? 10

  private static let chosenDelay: Double? = {
    let value = getenv("LULL_WAIT_NOTICE").flatMap { Double(String(cString: $0)) }
    return value.flatMap { $0 >= 0 ? $0 : nil }
  }()

  /// Whether a person reads it, or somebody has asked for it; a progress bar says enough.
  static var isWanted: Bool {
    (StandardTerminals.showsErrors || chosenDelay != nil) && !StatusLines.areShown
  }

  private static let mostNamed = 3

  /// Whether a main chunk that waits for this knows what it does.
  static func isMeant(_ wait: String) -> Bool {
    wait.hasPrefix("lull.sleep") || wait == "the REPL"
  }

  /// One line, what has been waited for longest first; nil for nothing.
  static func text(_ items: [Item], at now: Double) -> String? {
    guard !items.isEmpty else { return nil }
    let sorted = items.enumerated().sorted {
      ($0.element.since, $0.offset) < ($1.element.since, $1.offset)
    }.map(\.element)
    var text = sorted.prefix(mostNamed).map { item in
      "\(item.name) (\(Int(max(0, now - item.since))) s)"
    }.joined(separator: ", ")
    if items.count > mostNamed { text += " and \(items.count - mostNamed) more" }
    return "still waiting for: " + text
  }
}

extension Reporter {
  /// Says on standard error what the script waits for, if it does.
  func reportWaiting() {
    guard WaitNotice.isWanted, let text = waitingText else { return }
    StandardError.write("lull: \(text)\n")
  }

  /// What the script waits for, in words; nil for nothing.
  var waitingText: String? { WaitNotice.text(waitItems, at: clock.now) }

  /// Requests, as far as they are no parts of others, and coroutines that wait for something else.
  private var waitItems: [WaitNotice.Item] {
    let open = requests.open.map { request in
      WaitNotice.Item(
        name: waitName(of: request), since: request.mark.since)
    }
    let contexts = coroutines.waiting.values.filter { context in
      context.awaited.requests.isEmpty && context.awaited.tasks.isEmpty
        && context.awaited.scope == nil && !loop.isWaitingForIdle(context)
    }
    let waits = contexts.map { context in
      WaitNotice.Item(
        name: "\(context.waitsFor?() ?? "") in \(context.purpose)", since: context.waitsSince)
    }
    return open.sorted { $0.name < $1.name } + waits.sorted { $0.name < $1.name }
  }

  private func waitName(of request: Request) -> String {
    guard let target = request.resource?.displayName else { return request.displayName }
    return [request.method?.rawValue, LogText.url(target)].compactMap(\.self).joined(separator: " ")
  }
}
