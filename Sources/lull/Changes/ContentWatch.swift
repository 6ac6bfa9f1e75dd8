import LullLibC
import LullClients
import LullCore
import LullHost
import LullSystem
import Synchronization

/// Shows what a resource holds, and then each change of it, for as long as anybody wants to know.
///
/// The resource is observed and loaded again and again, so that whatever is configured for it counts, and a
/// condition is sent where its data has a validator. Home thread only.
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
  /// Whether the resource has had other content since it was last shown.
  private var hasNewData = false
  /// What has been told of the failures since the last answer.
  private var told: String?

  let logName = "watch"
  var wantsProgress: Bool { false }

  private enum Turn {
    case answered
    /// The exit code, if nothing else comes; and whether asking again may help.
    case failed(Int32, mayPass: Bool, wanted: Double?)
    case ended(Int32)
  }

  /// - Parameters:
  ///   - every: seconds between an answer and the next time of asking; nil: as long as it is fresh.
  ///   - count: how many times to ask.
  init(
    _ exchange: CallExchange, _ request: CallRequest, every: Double?, count: Int
  ) throws(ContentFilter.Problem) {
    self.exchange = exchange
    self.request = request
    self.every = every
    self.count = count
    // An expression that is none is told before anything is asked.
    filter =
      exchange.options.filter == nil
      ? nil : try ContentFilter(exchange.host, exchange.options.filter)
    text = DifferenceText(style: exchange.style, format: exchange.options.format)
  }

  func resourceChanged(_ resource: Resource, event: ResourceEvent) {
    if case .newData = event { hasNewData = true }
  }

  /// The exit code.
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
      // No script runs that would have Lua let go of what has come.
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

  // MARK: Asking

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
        "lull: that is a stream of events: lull get … --stream writes "
          + "them\n")
      return .ended(2)
    }
    guard let response else { return .ended(0) }
    exchange.trace?.show(response, of: started)
    if let error = response.error { return failed(error) }
    // The server says that it is what it was, or a stage of the API's file does.
    guard response.isNew || hasNewData || shown == nil else { return answered() }
    hasNewData = false
    do throws(ContentFilter.Problem) {
      let entity = request.resource.latestData ?? response.entity
      return try show(try exchange.compared(entity, filter)) ? answered() : .ended(0)
    } catch {
      tell(error.report)
      return .failed(1, mayPass: false, wanted: nil)
    }
  }

  private func answered() -> Turn {
    if told != nil { Exit.complain("lull: answered again\n") }
    told = nil
    return .answered
  }

  private func failed(_ error: RequestError) -> Turn {
    let now = exchange.api.service.pump.clock.now
    let wanted = error.entity.flatMap { RetryAfter.delay(in: $0.headers, now: now) }
    tell(CallExchange.text(of: error))
    // A server may be asked again the next day, and is not asked at no time.
    return .failed(
      CallExchange.exitCode(of: error), mayPass: error.mayPass,
      wanted: wanted.map { min($0, 86_400) })
  }

  /// Says what is wrong, once.
  private func tell(_ report: String) {
    guard report != told else { return }
    told = report
    Exit.complain(report)
  }

  // MARK: Showing

  /// False if nobody reads any more.
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

  /// On a terminal, the time of day.
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
  /// Has it see the heads of answers.
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

/// How long to wait between one answer and the next time of asking. Seconds.
struct WatchPace {
  /// However often it has failed, unless answers are that far apart anyway, or the server wants more.
  static let longest = 60.0

  private(set) var failures = 0

  mutating func answered() { failures = 0 }
  mutating func failed() { failures += 1 }

  /// - Parameters:
  ///   - usual: after an answer.
  ///   - wanted: what the server asks for.
  func delay(usual: Double, wanted: Double?) -> Double {
    guard failures > 0 else { return usual }
    let doubled = usual * Double(1 << min(failures - 1, 16))
    return max(min(doubled, max(usual, WatchPace.longest)), wanted ?? 0)
  }
}

/// Notices that an answer is a stream of events, which ends some time or never, by its head.
final class StreamAlarm: Sendable {
  private let noticed = Atomic(false)

  var isRaised: Bool { noticed.load(ordering: .relaxed) }

  /// Sees the heads, and tells another one of everything.
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
