import LullCore
import Synchronization

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
