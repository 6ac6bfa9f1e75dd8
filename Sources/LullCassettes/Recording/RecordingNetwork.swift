package import LullCore
import LullSystem
import Synchronization

/// Sends requests to the real network and returns the entries to record.
///
/// - Read requests are sent without conditions, so that the responses are complete, and without
///   ranges that depend on a condition.
/// - A body that is not collected in memory is copied while it arrives.
/// - If a request fails before anything is sent, because a secret or file is missing, nothing is
///   recorded.
///
/// (CAS-53 to CAS-55) Home thread only.
package final class RecordingNetwork {
  /// The result of one exchange.
  package struct Outcome {
    /// The result that the network reported.
    package let result: NetworkResult
    /// The entry to record, with its credentials; nil if nothing is to be recorded.
    package let entry: HAREntry?
    /// The duration of the exchange in seconds.
    package let seconds: Double
    /// The reason why an exchange can't be recorded although it should be; nil if there is no
    /// problem.
    package let problem: String?
  }

  /// The size of the largest body that is recorded, in bytes.
  package static let largestBody = 64 << 20

  private let network: any NetworkingProvider
  private let pump: Pump

  /// Makes a recording network.
  ///
  /// - Parameter pump: The pump that delivers the results. The recorded times are those of its
  ///   clock.
  package init(_ network: any NetworkingProvider, _ pump: Pump) {
    self.network = network
    self.pump = pump
  }

  /// Sends a request to the real network.
  ///
  /// - Parameters:
  ///   - asked: The same request in the form to record, with its secrets masked.
  ///   - hiding: Redacts the headers, or some lines of the body, for the reader of a stream. If
  ///     given, a body for a file is delivered as a whole, with the response. If nil, all data is
  ///     passed on unredacted as it arrives.
  ///   - finish: Called once, in a later turn, even if the request is cancelled.
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
        // Whole milliseconds are precise enough.
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
    guard method == .get || method == .head || method == .query || isDeclaredSafe else { return }
    // With `If-Range`, a range requests the rest of a resource only if the resource has not
    // changed.
    if headers["if-range"] != nil { headers.remove("Range") }
    for name in ["If-None-Match", "If-Modified-Since", "If-Range"] where headers[name] != nil {
      headers.remove(name)
    }
  }
}

extension HAREntry {
  fileprivate var isWhole: Bool { response != nil || failure != nil }

  /// Adds the result of the exchange to the entry. Returns why the exchange can't be recorded, or
  /// nil if it can.
  ///
  /// - Parameter isWholeFile: Whether the body is for a file and was delivered as a whole, within
  ///   the size limit.
  fileprivate mutating func fill(
    with result: NetworkResult, _ copy: BodyCopy?, isWholeFile: Bool
  ) -> String? {
    let name = "\(request.method) \(LogText.url(request.url))"
    let taken = copy?.taken
    if taken?.isTooLarge == true || result.body?.count ?? 0 > RecordingNetwork.largestBody
      || isWholeFile && result.error?.kind == .bodyTooLarge
    {
      let size = RecordingNetwork.largestBody >> 20
      return "\(name): its body is larger than \(size) MB, the limit for recordings"
    }
    if let error = result.error {
      switch error.kind {
      case .secretUnavailable, .secretOrigin, .fileUnavailable, .fileChanged, .scriptError,
        .offline,
        .invalidURL:
        return nil
      case .cancelled:
        // The reader of a stream cancels the request when it has read enough.
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

/// Copies a body that is passed to a file or to the reader of a stream instead of memory.
///
/// The copy is made between the network and the receiver of the body, on the provider's thread. If
/// the receiver may see only the redacted response, it gets whole lines in which credentials are
/// hidden.
final class BodyCopy: Sendable {
  fileprivate struct State {
    var head: HTTPResponse?
    var bytes: [UInt8] = []
    var isTooLarge = false
    /// The beginning of an incomplete line. It has not been passed to the receiver yet.
    var line: [UInt8] = []
  }

  private let state = Mutex(State())
  private let taker: BodySink
  private let hiding: Confined<(HARResponse) -> HARResponse>?

  /// Makes a copy of a body.
  ///
  /// - Parameters:
  ///   - taker: The receiver of the body.
  ///   - hiding: Redacts the headers, or some lines of the body, for the receiver. If nil, all data
  ///     is passed on unredacted as it arrives.
  init(for taker: BodySink, hiding: ((HARResponse) -> HARResponse)?) {
    self.taker = taker
    self.hiding = hiding.map { Confined($0) }
  }

  /// The sink for the network. It copies each chunk of the body and passes the chunk to the
  /// receiver.
  var sink: BodySink {
    BodySink(
      isRaw: taker.isRaw,
      begin: { [self] head in
        // The body of an earlier attempt is discarded.
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

  /// Ends the body. If the last line is incomplete, passes it to the receiver.
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

  /// The response headers and the bytes of the body received so far; nil if no body has begun.
  var taken: (head: HTTPResponse, bytes: [UInt8], isTooLarge: Bool)? {
    state.withLock { state in
      state.head.map { ($0, state.bytes, state.isTooLarge) }
    }
  }
}

extension BodyCopy.State {
  /// Appends a chunk and returns the lines that are now complete. The rest is kept until more
  /// chunks arrive.
  fileprivate mutating func lines(with piece: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    line += piece
    // The lines of a stream may end with CR alone.
    guard let last = line.lastIndex(where: { $0 == 10 || $0 == 13 }) else { return [] }
    defer { line.removeSubrange(...last) }
    return Array(line[...last])
  }
}
