import Synchronization

/// A buffer of limited size for the body of a stream, until the body is read.
///
/// The networking provider writes to the buffer on its own thread. The buffer is read on the home
/// thread.
final class StreamInbox: Sendable {
  /// The kind of response.
  enum Kind {
    case events
    case rows(JSONForm)
    /// A 204 response, which ends the stream. (HTML, 9.2.3)
    case nothing
    /// A response that can't be read as a stream.
    case other(status: Int, contentType: String?)
  }

  /// When the buffer contains at least this number of bytes, reading from the server pauses.
  private static let room = 256 << 10

  private struct State {
    var kind: Kind?
    /// The configured type of the body, which overrides the content type of the response; nil if no
    /// type is configured.
    var type: ResponseType?
    var bytes: [UInt8] = []
    var isPaused = false
    /// Whether part of the body has arrived.
    var hasTaken = false
    /// Whether the provider has sent the request again, so that the same body would be delivered a
    /// second time.
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

  /// Sets the configured type of the body. The body is read as this type instead of its content
  /// type.
  func expect(_ type: ResponseType) { state.withLock { $0.type = type } }

  // MARK: Provider's thread

  var sink: BodySink {
    BodySink(
      isRaw: true, begin: { self.begin($0) }, take: { self.take($0) },
      mayBegin: { self.state.withLock { !$0.hasTaken } })
  }

  /// Handles the status and headers of a response. Returns false if the body can't be read as a
  /// stream, or if part of an earlier body has already arrived.
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

  /// Writes a complete response to the buffer. Such a response comes from a stub or from a
  /// networking function.
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

  // MARK: Home thread

  /// Moves the buffered bytes to `bytes`, which must be an empty array. The buffer reuses the
  /// memory of the empty array.
  ///
  /// - Returns: Whether reading from the server was paused and has to be resumed.
  func swap(_ bytes: inout [UInt8]) -> Bool {
    state.withLock { state in
      Swift.swap(&bytes, &state.bytes)
      defer { state.isPaused = false }
      return state.isPaused
    }
  }

  /// Triggers the signal once when bytes arrive. If bytes are already in the buffer, triggers it at
  /// once.
  func tell(_ signal: HomeSignal) {
    state.withLock { state in
      state.signal = signal
      if !state.bytes.isEmpty { state.tell() }
    }
  }
}
