package import LullCore
import LullSystem
import Synchronization

/// Sends requests that are to be recorded to the real network, and returns the entries to record.
///
/// Read requests are sent without their conditions, so that responses are complete, and without
/// ranges that depend on one. A body that does not go to memory is copied while it passes. A
/// failure before anything could be sent, because of a missing secret or file, is not an exchange.
/// (CAS-53 to CAS-55) Home thread only.
package final class RecordingNetwork {
  /// The result of one exchange.
  package struct Outcome {
    /// The network's result.
    package let result: NetworkResult
    /// The entry to record, including credentials; nil for none.
    package let entry: HAREntry?
    /// The duration in seconds.
    package let seconds: Double
    /// Why it cannot be recorded although it should be.
    package let problem: String?
  }

  /// The largest body that is recorded, in bytes.
  package static let largestBody = 64 << 20

  private let network: any NetworkingProvider
  private let pump: Pump

  /// - Parameter pump: Delivers the results, and its clock gives the times.
  package init(_ network: any NetworkingProvider, _ pump: Pump) {
    self.network = network
    self.pump = pump
  }

  /// - Parameters:
  ///   - asked: The same request in the form to record, with its secrets masked.
  ///   - hiding: Returns the part of a head, or of some lines, that the reader of a stream may see.
  ///     A body that goes to a file then arrives as a whole, with the response. nil passes
  ///     everything on as it arrives.
  ///   - finish: Called once, on a later turn, also for a cancelled request.
  package func startRequest(
    _ request: HTTPRequest, _ asked: HARRequest, hiding: ((HARResponse) -> HARResponse)? = nil,
    _ finish: @escaping (Outcome) -> Void
  ) -> any RequestNetworking {
    var sent = request
    sent.leaveOutConditions()
    var copy: BodyCopy?
    if let sink = sent.options?.sink {
      if hiding == nil || sink.isRaw { copy = BodyCopy(for: sink, hiding: hiding) }
      sent.options?.sink = copy?.sink
      if copy == nil { sent.limits.maxBodySize = RecordingNetwork.largestBody }
    }
    let isWholeFile = request.options?.sink != nil && copy == nil
    var entry = HAREntry(started: pump.clock.now, milliseconds: 0, request: asked)
    let names = sent.headers.lines.bytePairs.map { String(decoding: $0.name, as: UTF8.self) }
    entry.request.headers.removeAll { header in
      !names.contains { $0.lowercased() == header.name.lowercased() }
    }
    let start = SystemClock.uptime
    return network.startRequest(
      sent,
      completion: pump.completion { result in
        let seconds = result.response?.elapsed ?? (SystemClock.uptime - start)
        // Whole milliseconds: fractions are of no use.
        entry.milliseconds = (seconds * 1000).rounded(.up)
        copy?.end()
        let problem = entry.fill(with: result, copy, isWholeFile: isWholeFile)
        finish(
          Outcome(
            result: result, entry: problem == nil && entry.isWhole ? entry : nil,
            seconds: entry.seconds, problem: problem))
      })
  }
}

extension HTTPRequest {
  fileprivate mutating func leaveOutConditions() {
    guard method == .get || method == .head else { return }
    // A range with it requests the rest of a resource if that has not changed.
    if headers["if-range"] != nil { headers.remove("Range") }
    for name in ["If-None-Match", "If-Modified-Since", "If-Range"] where headers[name] != nil {
      headers.remove(name)
    }
  }
}

extension HAREntry {
  fileprivate var isWhole: Bool { response != nil || failure != nil }

  /// Fills in the result. Returns why the exchange cannot be recorded, or nil if it can.
  ///
  /// - Parameter isWholeFile: Whether the body goes to a file and had to be within the size limit.
  fileprivate mutating func fill(
    with result: NetworkResult, _ copy: BodyCopy?, isWholeFile: Bool
  ) -> String? {
    let name = "\(request.method) \(LogText.url(request.url))"
    let taken = copy?.taken
    if taken?.isTooLarge == true || result.body?.count ?? 0 > RecordingNetwork.largestBody
      || isWholeFile && result.error?.kind == .bodyTooLarge
    {
      let size = RecordingNetwork.largestBody >> 20
      return "\(name): its body is larger than \(size) MB, which is not recorded"
    }
    if let error = result.error {
      switch error.kind {
      case .secretUnavailable, .secretOrigin, .fileUnavailable, .fileChanged, .scriptError,
        .offline,
        .invalidURL:
        return nil
      case .cancelled:
        // The reader of a stream ends it in this way.
        guard let taken else { return nil }
        response = HARResponse(taken.head, body: taken.bytes, asked: request.url)
        return nil
      default: failure = HARFailure(error)
      }
    }
    response = (result.response ?? taken?.head).map {
      HARResponse($0, body: taken?.bytes ?? result.body, asked: request.url)
    }
    return nil
  }
}

/// A copy of a body that does not go to memory, but to a file or the reader of a stream.
///
/// It is between the network and the receiver, and is called on the provider's thread. If the
/// receiver may only see what the recording will contain, it gets whole lines with hidden
/// credentials.
final class BodyCopy: Sendable {
  fileprivate struct State {
    var head: HTTPResponse?
    var bytes: [UInt8] = []
    var isTooLarge = false
    /// The beginning of a line that the receiver has not seen yet.
    var line: [UInt8] = []
  }

  private let state = Mutex(State())
  private let taker: BodySink
  private let hiding: Confined<(HARResponse) -> HARResponse>?

  /// - Parameter hiding: Returns the part of a head, or of some lines, that the receiver may see;
  ///   nil passes everything on as it arrives.
  init(for taker: BodySink, hiding: ((HARResponse) -> HARResponse)?) {
    self.taker = taker
    self.hiding = hiding.map { Confined($0) }
  }

  /// The sink for the network.
  var sink: BodySink {
    BodySink(
      isRaw: taker.isRaw,
      begin: { [self] head in
        // The result of an earlier attempt does not count.
        state.withLock { $0 = State(head: head) }
        guard let hiding else { return taker.begin(head) }
        let shown = hiding.value(HARResponse(head, body: nil, asked: ""))
        return taker.begin(HTTPResponse(shown, asked: head.url ?? ""))
      },
      take: { [self] piece in
        let lines = state.withLock { state in
          if !state.isTooLarge {
            if state.bytes.count + piece.count > RecordingNetwork.largestBody {
              state.bytes = []
              state.isTooLarge = true
            } else {
              state.bytes += piece
            }
          }
          return hiding == nil ? [] : state.lines(with: piece)
        }
        if hiding == nil { return taker.take(piece) }
        return lines.isEmpty ? .more : give(lines)
      }, mayBegin: taker.mayBegin)
  }

  /// Passes the remaining line to the receiver at the end.
  func end() {
    let rest = state.withLock { state in
      defer { state.line = [] }
      return state.line
    }
    if !rest.isEmpty { _ = give(rest) }
  }

  private func give(_ lines: [UInt8]) -> BodySink.Verdict {
    let head = state.withLock { $0.head }
    let response = HARResponse(
      status: head?.status ?? 200,
      body: HARBody(lines, type: head?.headers["content-type"] ?? ""))
    let shown = hiding?.value(response).body?.bytes ?? lines
    return shown.withUnsafeBufferPointer { taker.take($0) }
  }

  /// The head and body so far; nil if the body never began.
  var taken: (head: HTTPResponse, bytes: [UInt8], isTooLarge: Bool)? {
    state.withLock { state in
      state.head.map { ($0, state.bytes, state.isTooLarge) }
    }
  }
}

extension BodyCopy.State {
  /// Returns the lines that are complete with that piece. The rest waits.
  fileprivate mutating func lines(with piece: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    line += piece
    // A stream may end its lines with CR only.
    guard let last = line.lastIndex(where: { $0 == 10 || $0 == 13 }) else { return [] }
    defer { line.removeSubrange(...last) }
    return Array(line[...last])
  }
}
