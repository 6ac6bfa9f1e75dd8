import LullLibC
import LullClients
import LullCore
import LullHost
import LullSystem
import Synchronization

/// Shows the content of a resource and then each change, until the user stops it.
///
/// The resource is observed and reloaded repeatedly, so that its configuration applies. Requests
/// are conditional if the data has a validator. Home thread only.
final class ContentWatch: ResourceObserver {
  private let exchange: CallExchange
  private let request: CallRequest
  private let filter: ContentFilter?
  private let every: Double?
  private let count: Int
  private let alarm = StreamAlarm()
  private let text: DifferenceText
  private var pace = WatchPace()
  private var shown: ComparedContent?
  /// Whether the resource has new content that has not been shown.
  private var hasNewData = false
  /// The last error that was reported. `nil` after a successful response.
  private var told: String?

  let logName = "watch"
  var wantsProgress: Bool { false }

  private enum Turn {
    case answered
    /// The request failed. The values are:
    ///
    /// - the exit code if this was the last request,
    /// - whether a retry may succeed,
    /// - the delay in seconds that the server requests, if any.
    case failed(Int32, mayPass: Bool, wanted: Double?)
    case ended(Int32)
  }

  /// - Parameters:
  ///   - every: Seconds between a response and the next request. If it is `nil`, the next request
  ///     is sent when the data expires.
  ///   - count: The number of requests.
  init(
    _ exchange: CallExchange, _ request: CallRequest, every: Double?, count: Int
  ) throws(ContentFilter.Problem) {
    self.exchange = exchange
    self.request = request
    self.every = every
    self.count = count
    // Report an invalid expression before sending anything.
    filter =
      exchange.options.filter == nil
      ? nil : try ContentFilter(exchange.host, exchange.options.filter)
    text = DifferenceText(style: exchange.style, format: exchange.options.format)
  }

  func resourceChanged(_ resource: Resource, event: ResourceEvent) {
    if case .newData = event { hasNewData = true }
  }

  /// Runs until the watch ends. Returns the exit code.
  func run() -> Int32 {
    exchange.override(exchange.api.service)
    exchange.watchHeads(alarm)
    request.resource.addObserver(self)
    var asked = 0
    var code: Int32 = 0
    while !exchange.host.loop.isInterrupted {
      asked += 1
      var wanted: Double?
      switch ask() {
      case .ended(let code): return code
      case .answered:
        code = 0
        pace.answered()
      case .failed(let failure, let mayPass, let later):
        guard mayPass || shown != nil else { return failure }
        code = failure
        wanted = later
        pace.failed()
      }
      if asked == count { return code }
      // No script is running that would trigger a garbage collection.
      if asked.isMultiple(of: 64) { exchange.host.loop.collect() }
      let usual = every ?? max(1, request.resource.expirationSeconds)
      wait(pace.delay(usual: usual, wanted: wanted))
    }
    return 0
  }

  private func wait(_ seconds: Double) {
    let loop = exchange.host.loop
    var isOver = false
    let timer = exchange.api.service.pump.clock.schedule(after: seconds) { isOver = true }
    loop.run { isOver || loop.isInterrupted }
    timer.cancel()
  }

  // MARK: Requests

  private func ask() -> Turn {
    guard let started = request.start() else { return .ended(0) }
    let loop = exchange.host.loop
    ProgressBar(exchange.options, exchange.api.service.pump.clock).follow(started)
    var response: Response?
    started.onCompletion { response = $0 }
    loop.run { [alarm] in response != nil || alarm.isRaised || loop.isInterrupted }
    if loop.isInterrupted { return .ended(0) }
    if alarm.isRaised {
      started.cancel()
      Exit.complain(
        "lull: the response is a stream of events: lull get … --stream writes "
          + "the events\n")
      return .ended(2)
    }
    guard let response else { return .ended(0) }
    exchange.trace?.show(response, of: started)
    if let error = response.error { return failed(error) }
    // Not modified, according to the server or to a stage of the API file.
    guard response.isNew || hasNewData || shown == nil else {
      let partial = request.resource.latestData?.partialError
      return partial.map { incomplete($0) } ?? answered()
    }
    hasNewData = false
    do throws(ContentFilter.Problem) {
      let entity = request.resource.latestData ?? response.entity
      if let error = entity?.partialError {
        let turn = incomplete(error)
        return try show(try exchange.compared(entity, filter)) ? turn : .ended(0)
      }
      return try show(try exchange.compared(entity, filter)) ? answered() : .ended(0)
    } catch {
      tell(error.report, FailureFacts("script_error"), isLast: shown == nil)
      return .failed(1, mayPass: false, wanted: nil)
    }
  }

  private func answered() -> Turn {
    if told != nil { Exit.notify("lull: the server responds again\n") }
    told = nil
    return .answered
  }

  /// Reports the error of a response that also has data.
  private func incomplete(_ error: RequestError) -> Turn {
    tell(CallExchange.text(of: error), error.facts, isLast: false)
    return .failed(CallExchange.exitCode(of: error), mayPass: true, wanted: nil)
  }

  private func failed(_ error: RequestError) -> Turn {
    let now = exchange.api.service.pump.clock.now
    let wanted = error.entity.flatMap { RetryAfter.delay(in: $0.headers, now: now) }
    tell(CallExchange.text(of: error), error.facts, isLast: !error.mayPass && shown == nil)
    // Wait one day at most, and never forever.
    return .failed(
      CallExchange.exitCode(of: error), mayPass: error.mayPass,
      wanted: wanted.map { min($0, 86_400) })
  }

  /// Reports an error unless the previous one was the same.
  ///
  /// - Parameter isLast: Whether this error ends the watch.
  private func tell(_ report: String, _ facts: FailureFacts, isLast: Bool) {
    guard report != told else { return }
    told = report
    if isLast { return Exit.fail(report, facts) }
    ErrorLines.failLater(ControlCharacters.shown(in: report), facts)
  }

  // MARK: Output

  /// Writes the content if it is the first, otherwise the changes since the previous content.
  /// Returns `false` if the reader of the output has closed it.
  private func show(_ content: ComparedContent) throws(ContentFilter.Problem) -> Bool {
    guard let known = shown else {
      shown = content
      return Output.write(first(content))
    }
    shown = content
    let difference = ContentDifference(known, content)
    guard !difference.isEmpty else { return true }
    return Output.write(heading + text.bytes(of: difference))
  }

  private func first(_ content: ComparedContent) -> [UInt8] {
    if text.format != nil { return text.bytes(ofFirst: content) }
    switch content {
    case .json(let json, _): return exchange.text.bytes(of: json)
    case .text(let text): return exchange.text.bytes(of: text)
    case .bytes: return Array("\(content.described.plain)\n".utf8)
    }
  }

  /// The line above an output: on a terminal the time of day, otherwise empty.
  private var heading: [UInt8] {
    guard text.format == nil, exchange.style.isTerminal else { return [] }
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    let fields = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { ($0 < 10 ? "0" : "") + "\($0)" }
    return Array((exchange.style.painted(fields.joined(separator: ":"), "2") + "\n").utf8)
  }
}

extension CallExchange {
  /// Adds an observer that passes the head of each response to the alarm.
  fileprivate func watchHeads(_ alarm: StreamAlarm) {
    let observer = alarm.observer(besides: trace?.observer(withBodies: options.verbosity > 1))
    api.service.configure(
      nil, requestMethods: nil, description: "lull watch",
      source: SourcePlace(file: "lull watch", line: 0)
    ) { settings in
      settings.setOptions { $0.wire = observer }
    }
  }
}

/// The delay between a response and the next request, in seconds.
struct WatchPace {
  /// The longest delay between retries, unless the interval between requests is longer, or the
  /// server requests more.
  static let longest = 60.0

  private(set) var failures = 0

  mutating func answered() { failures = 0 }
  mutating func failed() { failures += 1 }

  /// - Parameters:
  ///   - usual: The delay after a successful response.
  ///   - wanted: The delay that the server requests.
  func delay(usual: Double, wanted: Double?) -> Double {
    guard failures > 0 else { return usual }
    let doubled = usual * Double(1 << min(failures - 1, 16))
    return max(min(doubled, max(usual, WatchPace.longest)), wanted ?? 0)
  }
}

/// Detects from the head of a response that it is an event stream, which may never end.
final class StreamAlarm: Sendable {
  private let noticed = Atomic(false)

  var isRaised: Bool { noticed.load(ordering: .relaxed) }

  /// Checks response heads and forwards every event to another observer.
  func observer(besides other: WireObserver?) -> WireObserver {
    WireObserver(wantsBodies: other?.wantsBodies ?? false) { [self] event in
      if case .head(isSent: false, let bytes) = event, StreamAlarm.isOfEvents(bytes) {
        noticed.store(true, ordering: .relaxed)
      }
      other?.tell(event)
    }
  }

  static func isOfEvents(_ head: [UInt8]) -> Bool {
    head.split(separator: 10).contains { line in
      let text = String(decoding: line, as: UTF8.self).lowercased()
      guard text.hasPrefix("content-type:") else { return false }
      return text.dropFirst(13).drop(while: \.isWhitespace).hasPrefix("text/event-stream")
    }
  }
}
