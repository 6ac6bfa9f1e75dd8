import LullLibC
import LullCore
import LullSystem

/// The notice that tells the user what a script is waiting for. It is shown when the main chunk has
/// ended or is itself waiting.
struct WaitNotice {
  struct Item: Equatable {
    let name: String
    /// The time when the wait began, in seconds since 1970.
    let since: Double
  }

  /// The delay in seconds after which the notice is shown. The delay begins at the end of the main
  /// chunk, or when the main chunk begins to wait. `LULL_WAIT_NOTICE` sets another delay.
  static let delay: Double = chosenDelay ?? 10

  private static let chosenDelay: Double? = {
    let value = getenv("LULL_WAIT_NOTICE").flatMap { Double(String(cString: $0)) }
    return value.flatMap { $0 >= 0 ? $0 : nil }
  }()

  /// Whether the notice may be shown. It is shown on a terminal or if `LULL_WAIT_NOTICE` is set,
  /// but not while a progress bar is shown.
  static var isWanted: Bool {
    (StandardTerminals.showsErrors || chosenDelay != nil) && !StatusLines.areShown
  }

  private static let mostNamed = 3

  /// Returns whether the main chunk waits intentionally, so that no notice is needed.
  static func isMeant(_ wait: String) -> Bool {
    wait.hasPrefix("lull.sleep") || wait == "the REPL"
  }

  /// Returns the notice as one line, with the longest wait first. Returns nil if the script waits
  /// for nothing.
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
  /// Prints the notice to standard error.
  func reportWaiting() {
    guard WaitNotice.isWanted, let text = waitingText else { return }
    StandardError.write("lull: \(text)\n")
  }

  /// The description of everything that the script waits for; nil if it does not wait.
  var waitingText: String? { WaitNotice.text(waitItems, at: clock.now) }

  /// The waits that the notice lists: requests that are not part of another request, and coroutines
  /// that wait for something other than requests and tasks.
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
