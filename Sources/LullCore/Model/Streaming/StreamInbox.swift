import Synchronization

/// Takes the body of a stream as it comes, until somebody reads it: how far ahead is bounded.
///
/// Written on the provider's thread and read at home.
final class StreamInbox: Sendable {
  /// What the answer turned out to be.
  enum Kind {
    case events
    case rows(JSONForm)
    /// 204: there is nothing more. (HTML, 9.2.3)
    case nothing
    /// Nothing that could be read as a stream.
    case other(status: Int, contentType: String?)
  }

  /// Bytes that may wait here before no more is read from the server.
  private static let room = 256 << 10

  private struct State {
    var kind: Kind?
    /// What the body is read as, whatever the head says.
    var type: ResponseType?
    var bytes: [UInt8] = []
    var isPaused = false
    /// Whether any of the body has come.
    var hasTaken = false
    /// Whether the same body was to be taken from its beginning, by who has repeated the request.
    var isRepeated = false
    var lacksMemory = false
    var signal: HomeSignal?

    mutating func tell() {
      signal?()
      signal = nil
    }
  }

  private let state = Mutex(State())

  var kind: Kind? { state.withLock { $0.kind } }
  var isRepeated: Bool { state.withLock { $0.isRepeated } }
  var lacksMemory: Bool { state.withLock { $0.lacksMemory } }

  /// The body is read as that.
  func expect(_ type: ResponseType) { state.withLock { $0.type = type } }

  // MARK: The provider's side

  var sink: BodySink {
    BodySink(
      isRaw: true, begin: { self.begin($0) }, take: { self.take($0) },
      mayBegin: { self.state.withLock { !$0.hasTaken } })
  }

  /// What has been read of a body cannot be read once more.
  private func begin(_ head: HTTPResponse) -> Bool {
    state.withLock { state in
      guard !state.hasTaken else {
        state.isRepeated = true
        return false
      }
      var head = head
      state.type?.apply(to: &head.headers)
      let kind = StreamInbox.kind(of: head)
      state.kind = kind
      state.tell()
      if case .other = kind { return false }
      return true
    }
  }

  private static func kind(of head: HTTPResponse) -> Kind {
    func isOf(_ isKind: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
      head.headers.withFirstValue("content-type", isKind) ?? false
    }
    switch head.status {
    case 204: return .nothing
    case 200 where isOf(ContentTypePattern.isEventStream): return .events
    case 200 where isOf({ ContentTypePattern.isJSON($0) || ContentTypePattern.isJSONLines($0) }):
      let form = head.headers.withFirstValue("content-type", ContentTypePattern.jsonForm)
      return .rows(form == .lines ? .lines : .values)
    default: return .other(status: head.status, contentType: head.headers["content-type"])
    }
  }

  private func take(_ piece: UnsafeBufferPointer<UInt8>) -> BodySink.Verdict {
    state.withLock { state in
      guard MemoryLedger.reserve(state.bytes.count + piece.count, in: &state.bytes) else {
        state.lacksMemory = true
        return .refuse
      }
      state.bytes += piece
      state.hasTaken = true
      state.isPaused = state.bytes.count >= StreamInbox.room
      state.tell()
      return state.isPaused ? .pause : .more
    }
  }

  /// Takes an answer that has come as a whole, as what stands in for the network gives it.
  func take(whole entity: Entity) {
    let head = HTTPResponse(status: entity.exchange?.status ?? 200, headers: entity.headers)
    guard begin(head) else { return }
    switch entity.content {
    case .bytes(let bytes): bytes.withUnsafeBufferPointer { _ = take($0) }
    case .text(let text): Array(text.utf8).withUnsafeBufferPointer { _ = take($0) }
    case .json(let document) where document.hasLines:
      Array(JSONLines.text(document).utf8).withUnsafeBufferPointer { _ = take($0) }
    case .json(let document):
      var bytes: [UInt8] = []
      document.root.encode(into: &bytes)
      bytes.withUnsafeBufferPointer { _ = take($0) }
    case .value, .foreign:
      state.withLock { $0.kind = .other(status: head.status, contentType: nil) }
    }
  }

  // MARK: At home

  /// Exchanges what has come for an empty array, perhaps with memory to be used again.
  ///
  /// - Returns: Whether the server is to be read on.
  func swap(_ bytes: inout [UInt8]) -> Bool {
    state.withLock { state in
      Swift.swap(&bytes, &state.bytes)
      defer { state.isPaused = false }
      return state.isPaused
    }
  }

  /// Gives the signal once something has come, at once if it has.
  func tell(_ signal: HomeSignal) {
    state.withLock { state in
      state.signal = signal
      if !state.bytes.isEmpty { state.tell() }
    }
  }
}
