import LullCore
import Synchronization

/// What was taken of a body that goes elsewhere than into memory: into a file, or to who reads a stream.
///
/// It stands between the network and its taker, and is told on the provider's thread.
final class BodyCopy: Sendable {
  private struct State {
    var head: HTTPResponse?
    var bytes: [UInt8] = []
    var isTooLarge = false
  }

  private let state = Mutex(State())
  private let taker: BodySink

  init(for taker: BodySink) { self.taker = taker }

  /// What the network is to give the body to.
  var sink: BodySink {
    BodySink(
      isRaw: taker.isRaw,
      begin: { [self] head in
        // What came of an attempt before does not count.
        state.withLock { $0 = State(head: head) }
        return taker.begin(head)
      },
      take: { [self] piece in
        state.withLock { state in
          guard !state.isTooLarge else { return }
          if state.bytes.count + piece.count > RecordingNetwork.largestBody {
            state = State(head: state.head, isTooLarge: true)
          } else {
            state.bytes += piece
          }
        }
        return taker.take(piece)
      }, mayBegin: taker.mayBegin)
  }

  /// Head and body as far as they have come; nil if it never began.
  var taken: (head: HTTPResponse, bytes: [UInt8], isTooLarge: Bool)? {
    state.withLock { state in
      state.head.map { ($0, state.bytes, state.isTooLarge) }
    }
  }
}
