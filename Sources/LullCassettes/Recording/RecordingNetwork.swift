package import LullCore
import LullSystem
import Synchronization

/// Asks a network in earnest what is to be recorded, and says how that is to be written down.
///
/// Conditions of requests that only read are left out of what is sent, so that answers are whole; so are ranges
/// that depend on one. A body that goes elsewhere than into memory is noted on its way. What has failed before
/// anything could be sent, for want of a secret or file, is no exchange. (CAS-53 to CAS-55) Home thread only.
package final class RecordingNetwork {
  /// What came of one exchange.
  package struct Outcome {
    /// What the network has said.
    package let result: NetworkResult
    /// What is to be written down of it, with whatever lets somebody in; nil: nothing.
    package let entry: HAREntry?
    /// How long it took, in seconds.
    package let seconds: Double
    /// Why it is not written down though it should be.
    package let problem: String?
  }

  /// More than that of one body is not recorded. Bytes.
  package static let largestBody = 64 << 20

  private let network: any NetworkingProvider
  private let pump: Pump

  /// - Parameter pump: where answers are told, and whose clock says when something was sent.
  package init(_ network: any NetworkingProvider, _ pump: Pump) {
    self.network = network
    self.pump = pump
  }

  /// - Parameters:
  ///   - asked: the same as it is written down, with the masks of secrets.
  ///   - hiding: what whoever reads a stream is to see of a head, or of some lines of it; a body that goes into a
  ///     file then comes whole, with the answer. nil: they see all of it, as it comes.
  ///   - finish: called once, on a later turn; for what is cancelled as well.
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
        // Whole milliseconds, as long as a thousandth of one tells nobody anything.
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
    // A range with it asks for the rest of something, if that is still the same.
    if headers["if-range"] != nil { headers.remove("Range") }
    for name in ["If-None-Match", "If-Modified-Since", "If-Range"] where headers[name] != nil {
      headers.remove(name)
    }
  }
}

extension HAREntry {
  fileprivate var isWhole: Bool { response != nil || failure != nil }

  /// Why it cannot be written down though it was an exchange.
  ///
  /// - Parameter isWholeFile: whether the body would have gone into a file and was not to be larger.
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
        // Who reads a stream ends it so.
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

/// What was taken of a body that goes elsewhere than into memory: into a file, or to who reads a stream.
///
/// It stands between the network and its taker, and is told on the provider's thread. Where the taker is to see
/// what the recording will say, it gets whole lines, in which that is hidden.
final class BodyCopy: Sendable {
  fileprivate struct State {
    var head: HTTPResponse?
    var bytes: [UInt8] = []
    var isTooLarge = false
    /// The beginning of a line, of which the taker has seen nothing.
    var line: [UInt8] = []
  }

  private let state = Mutex(State())
  private let taker: BodySink
  private let hiding: Confined<(HARResponse) -> HARResponse>?

  /// - Parameter hiding: what the taker is to see of a head, or of some lines; nil: all of it, as it comes.
  init(for taker: BodySink, hiding: ((HARResponse) -> HARResponse)?) {
    self.taker = taker
    self.hiding = hiding.map { Confined($0) }
  }

  /// What the network is to give the body to.
  var sink: BodySink {
    BodySink(
      isRaw: taker.isRaw,
      begin: { [self] head in
        // What came of an attempt before does not count.
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

  /// Gives what is left to the taker, behind which nothing comes.
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

  /// Head and body as far as they have come; nil if it never began.
  var taken: (head: HTTPResponse, bytes: [UInt8], isTooLarge: Bool)? {
    state.withLock { state in
      state.head.map { ($0, state.bytes, state.isTooLarge) }
    }
  }
}

extension BodyCopy.State {
  /// The lines that are whole with that piece; what follows them waits.
  fileprivate mutating func lines(with piece: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    line += piece
    // A stream may end its lines with CR alone.
    guard let last = line.lastIndex(where: { $0 == 10 || $0 == 13 }) else { return [] }
    defer { line.removeSubrange(...last) }
    return Array(line[...last])
  }
}
