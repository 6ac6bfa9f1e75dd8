import LullCore

/// The received part of one response, filled by curl's callbacks. This value calls curl only to
/// watch a TLS connection, see `CloseNotice`.
///
/// Only the final response's head is kept: every status line starts a new head, and trailers are
/// ignored.
struct IncomingResponse {
  private static let maxHeadSize = 1 << 20
  /// The maximum memory to reserve for a body before any of it has arrived, in bytes.
  private static let maxReserve = 4 << 20

  /// The status code; 0 before the first status line.
  private(set) var status = 0
  private(set) var failure: Failure?
  private(set) var isHeadComplete = true
  /// Whether there is a connection, so that the request is being sent.
  private(set) var isRequested = false
  /// The first Location header, decoded by `ResourceURL.text(ofBytes:)`.
  private(set) var location: String?
  /// The headers received so far. This value keeps its memory from one response to the next, so
  /// that a head costs one allocation.
  private var received = Headers()
  /// The size in bytes of all heads and trailers together. It is limited, because a server may send
  /// any number of heads and trailers.
  private var headSize = 0
  private var lineCount = 0
  /// Continuations of obsolete folded lines, with the index of their line.
  private var folds: [(index: Int, text: [UInt8])] = []
  private var body: [UInt8] = []
  /// Counts the memory of the body while the body is stored here.
  private var held: HeldBytes?
  private var bodySize = 0
  private var contentLength: Int?
  /// Whether the last header determines the body's framing, so that it must not be folded.
  private var isFraming = false
  private var isChunked = false
  private var isHTTP1 = false
  /// Detects whether a TLS connection was closed properly, if the end of the connection is also the
  /// end of the body; nil for every other body.
  private var closeNotice: CloseNotice?
  /// curl's handle, if the body ends with its TLS connection and needs a close_notify; otherwise
  /// nil.
  private var tlsHandle: UnsafeMutableRawPointer?
  /// The Content-Encoding headers; nil without any.
  private var encoding: String?
  /// The codings to decode.
  private var codings: [ContentCoding] = []
  /// Decodes the body; nil before the first byte of a coded body.
  private var decoder: BodyDecoder?
  /// The number of bytes of the body before decoding.
  private var wireSize = 0
  private var maxBodySize = 0
  private var expectsBody = true
  private var keepsRedirects = false
  private var endsWithHead = false
  private var refusesEventStreams = false
  private var isEventStream = false
  /// Whether the transfer was stopped because the whole response had arrived.
  private(set) var hasEndedWithHead = false
  /// Whether the request may be sent again if its connection ends without a response.
  private(set) var isRepeatable = true
  /// Whether the server has not processed the last request: it may be sent again, whatever its
  /// method.
  var wasRefusedUnread = false
  /// Reports to the rate limit when the request is sent; nil if the request counts against no
  /// limit. The request needs an admission every time it is sent.
  private(set) var sending: SendingReport?
  /// Whether the rate limit is notified when the whole request was sent or its response has
  /// arrived. If false, the rate limit is notified when the head is sent, which happens within one
  /// call of curl.
  private(set) var passesLater = false
  /// Receives the body of a successful response; nil stores the body here.
  private var sink: BodySink?
  /// The requested URL; empty without a sink.
  private var url = ""
  /// Whether the sink accepts no more for now.
  private(set) var isFull = false
  /// Whether curl holds back a piece of the body until the transfer is resumed.
  private(set) var isHeldBack = false
  /// Excludes the time that the sink takes from the time in curl; nil without a sink.
  private var callGuard: StuckCallGuard?
  /// Records decoded bytes of the body; nil if they are not observed.
  var wire: WireRecord?

  /// Resets everything for the response to a new request.
  mutating func start(
    maxBodySize: Int, expectsBody: Bool, keepsRedirects: Bool, endsWithHead: Bool,
    refusesEventStreams: Bool, isRepeatable: Bool, tlsHandle: UnsafeMutableRawPointer?,
    sending: SendingReport?, sendsBytes: Bool,
    sink: BodySink?, url: @autoclosure () -> String, callGuard: StuckCallGuard
  ) {
    beginHead(status: 0)
    isHeadComplete = true
    isRequested = false
    failure = nil
    headSize = 0
    body = []
    held = nil
    bodySize = 0
    wireSize = 0
    self.maxBodySize = maxBodySize
    self.expectsBody = expectsBody
    self.keepsRedirects = keepsRedirects
    self.endsWithHead = endsWithHead
    hasEndedWithHead = false
    self.refusesEventStreams = refusesEventStreams
    self.isRepeatable = isRepeatable
    wasRefusedUnread = false
    self.tlsHandle = tlsHandle
    self.sending = sending
    passesLater = sending.map { $0.waitsForAnswer || sendsBytes } ?? false
    self.sink = sink
    (isFull, isHeldBack) = (false, false)
    guard sink != nil else { return }
    self.url = url()
    self.callGuard = callGuard
  }

  var hasSink: Bool { sink != nil }

  /// Whether the response's Location will be followed. The body of such a response is ignored.
  var isRedirect: Bool {
    location != nil && RedirectPolicy.isRedirect(status) && !keepsRedirects
  }

  /// The sink for the body of this response.
  private var bodySink: BodySink? {
    guard let sink, expectsBody, (200..<300).contains(status) else { return nil }
    return sink
  }

  /// Calls the sink, which may be slow. The time of the call does not count as time in curl.
  private func asking<Answer>(_ call: () -> Answer) -> Answer {
    callGuard?.pausing(call) ?? call()
  }

  /// The bytes of heads and body so far, before decoding.
  var receivedSize: Int { headSize + wireSize }

  // MARK: Receiving

  /// Records that the request is sent. Returns false to stop the transfer if curl must not send it
  /// again.
  mutating func requestGoesOut() -> Bool {
    if isRequested && (!mayBeRepeated || sending != nil) { failure = .notRepeated }
    isRequested = true
    return failure == nil
  }

  /// Processes a header line, a status line or the empty line. Returns false to stop the transfer.
  mutating func takeLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = line.first else { return true }
    headSize += line.count
    guard headSize <= IncomingResponse.maxHeadSize else {
      failure = .headTooLarge
      return false
    }
    if isHeadComplete {
      // After the head of a final response there are only trailers.
      guard status < 200 else { return true }
      guard let status = HeadLine.status(in: line) else { return fail(.badStatusLine) }
      beginHead(status: status)
      isHTTP1 = line[5] == UInt8(ascii: "1")
      return true
    }
    switch first {
    case 13, 10:
      isHeadComplete = true
      return headIsAcceptable()
    case 32, 9:
      if isFraming { return fail(.foldedFraming) }
      folds.append((lineCount - 1, Array(HeadLine.trim(line[...]))))
      return true
    default:
      isFraming = false
      guard takeField(line, first) else { return false }
    }
    if received.appendReceivedLine(line) { lineCount += 1 }
    return true
  }

  /// Processes a header that affects the rest of the response. Returns false to stop the transfer.
  private mutating func takeField(_ line: UnsafeBufferPointer<UInt8>, _ first: UInt8) -> Bool {
    switch first {
    case UInt8(ascii: "c"), UInt8(ascii: "C"):
      if let value = HeadLine.value(of: "content-length", in: line) {
        isFraming = true
        // The length is irrelevant for a response without a body.
        guard !isBodyless else { return true }
        guard let length = HeadLine.length(value) else {
          return fail(.badLength(HeadLine.visible(value)))
        }
        guard contentLength == nil || contentLength == length else { return fail(.ambiguousLength) }
        contentLength = length
      } else if let value = HeadLine.value(of: "content-encoding", in: line) {
        let text = String(decoding: value, as: UTF8.self)
        encoding = encoding.map { $0 + ", " + text } ?? text
      } else if refusesEventStreams, let value = HeadLine.value(of: "content-type", in: line) {
        isEventStream = ContentTypePattern.isEventStream(UnsafeBufferPointer(rebasing: value))
      }
    case UInt8(ascii: "t"), UInt8(ascii: "T"):
      guard let value = HeadLine.value(of: "transfer-encoding", in: line) else { return true }
      isFraming = true
      for part in value.split(separator: UInt8(ascii: ",")) where !isBodyless {
        let name = HeadLine.visible(HeadLine.trim(part)).lowercased()
        if !["", "chunked", "identity"].contains(name) { return fail(.transferCoding(name)) }
        if name == "chunked" { isChunked = true }
      }
    case UInt8(ascii: "l"), UInt8(ascii: "L"):
      // An empty Location is ignored.
      if location == nil, let value = HeadLine.value(of: "location", in: line), !value.isEmpty {
        location = ResourceURL.text(ofBytes: UnsafeBufferPointer(rebasing: value))
      }
    default: break
    }
    return true
  }

  /// Whether a response with this status has no body, whatever its headers contain. (RFC 9112, 6.3)
  private var isBodyless: Bool { status < 200 || status == 204 || status == 304 }

  private mutating func fail(_ failure: Failure) -> Bool {
    self.failure = failure
    return false
  }

  /// Whether curl must hold back the next piece of the body.
  mutating func holdsBack() -> Bool {
    if isFull { isHeldBack = true }
    return isFull
  }

  /// Called when the sink wants more. Returns whether curl must be resumed.
  mutating func goesOn() -> Bool {
    isFull = false
    defer { isHeldBack = false }
    return isHeldBack
  }

  /// Processes bytes of the body before decoding. Returns false to stop the transfer.
  mutating func takeBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    wireSize += bytes.count
    guard !codings.isEmpty else { return keep(bytes) }
    let decoder =
      self.decoder ?? BodyDecoder(codings, maxSize: bodySink == nil ? maxBodySize : .max)
    self.decoder = decoder
    do throws(DecodingFailure) {
      try decoder.take(bytes) { piece throws(DecodingFailure) in
        guard keep(piece) else { throw .refused }
      }
      return true
    } catch {
      switch error {
      case .refused: return false
      case .tooLarge: return fail(.bodyTooLarge)
      default: return fail(.decoding(error))
      }
    }
  }

  /// Whether a body that has ended is complete. If it is incomplete, the failure is recorded.
  mutating func endBody() -> Bool {
    guard failure == nil else { return true }
    if let coding = decoder?.unfinished { return fail(.decoding(.cut(coding))) }
    if let closeNotice, !closeNotice.hasCome { return fail(.noCloseNotice) }
    return true
  }

  /// Whether only the end of the connection shows where the body ends. (RFC 9112, 6.3)
  private var endsWithConnection: Bool {
    isHTTP1 && contentLength == nil && !isChunked && expectsBody && !isBodyless && !isRedirect
  }

  /// Processes decoded bytes of the body. Returns false to stop the transfer.
  private mutating func keep(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bodySize += bytes.count
    if let wire { wire.receivedBody(bytes) }
    if let sink = bodySink {
      switch asking({ sink.take(bytes) }) {
      case .more: return true
      case .pause: isFull = true
      case .refuse: return fail(.bodyRefused)
      }
      return true
    }
    guard bodySize <= maxBodySize else {
      failure = .bodyTooLarge
      return false
    }
    guard !isRedirect else { return true }
    let needed = body.count + bytes.count
    if let contentLength, contentLength > needed, needed > body.capacity {
      // The announced length is only trusted after some of the body has arrived; the body is then
      // moved once.
      let most = min(contentLength, body.isEmpty ? IncomingResponse.maxReserve : maxBodySize)
      if MemoryLedger.hasRoom(for: most) { body.reserveCapacity(most) }
    }
    guard MemoryLedger.reserve(needed, in: &body) else {
      failure = .noMemory
      return false
    }
    body.append(contentsOf: bytes)
    if let held { held.grow(by: bytes.count) } else { held = HeldBytes.ofBody(body.count) }
    return true
  }

  private mutating func beginHead(status: Int) {
    self.status = status
    isHeadComplete = false
    received.removeAll()
    lineCount = 0
    folds = []
    location = nil
    contentLength = nil
    isFraming = false
    isChunked = false
    closeNotice = nil
    isEventStream = false
    encoding = nil
    codings = []
    decoder = nil
  }

  private mutating func headIsAcceptable() -> Bool {
    guard status != 101 else { return fail(.switchedProtocol) }
    if endsWithHead, status >= 200 {
      hasEndedWithHead = true
      return false
    }
    guard !isEventStream || status != 200 else { return fail(.eventStream) }
    guard setCodings() else { return false }
    if let tlsHandle, endsWithConnection { closeNotice = CloseNotice(of: tlsHandle) }
    if let sink = bodySink {
      let head = HTTPResponse(status: status, headers: headers(), url: url)
      return asking({ sink.begin(head) }) || fail(.bodyRefused)
    }
    guard expectsBody, !isRedirect, !isBodyless, let contentLength, contentLength > maxBodySize
    else { return true }
    return fail(.bodyTooLarge)
  }

  /// Determines the codings of the body, if the body is needed. Returns false to stop the transfer.
  private mutating func setCodings() -> Bool {
    guard let encoding, expectsBody, !isRedirect, !isBodyless else { return true }
    switch ContentCoding.codings(encoding) {
    case .known(let codings):
      // A part of a coded body cannot be decoded.
      if status != 206 { self.codings = codings }
    case .unknown: break
    case .tooMany: return fail(.tooManyCodings)
    }
    return true
  }

  // MARK: Results

  /// Returns the body and removes it from this value.
  mutating func takeBody() -> [UInt8] {
    let taken = body
    body = []
    held = nil
    return taken
  }

  /// Releases the body and its decoder when they are no longer needed.
  mutating func letGoOfBody() {
    sink = nil
    sending = nil
    callGuard = nil
    closeNotice = nil
    url = ""
    decoder = nil
    body = []
    held = nil
  }

  /// Returns a message about the body's codings, or nil. This method and `headers` are mutating to
  /// avoid a copy of this value.
  mutating func remark() -> String? {
    guard let encoding, wireSize > 0 else { return nil }
    if let (coding, count) = decoder?.surplus {
      return "\(count) bytes after the end of its \(coding.rawValue) data are ignored"
    }
    guard codings.isEmpty, !isRedirect else { return nil }
    let name = HeadLine.visible(encoding.utf8)
    switch ContentCoding.codings(encoding) {
    case .known(let codings):
      return codings.isEmpty
        ? nil : "its Content-Encoding is '\(name)': a partial response (206) is not decoded"
    case .unknown:
      return "its Content-Encoding is '\(name)', which is not supported: it is not decoded"
    case .tooMany: return nil
    }
  }

  /// Returns the headers of the final response, in order.
  mutating func headers() -> Headers {
    guard !folds.isEmpty else { return received }
    var lines = received.bytePairs.map { $0.name + [UInt8(ascii: ":")] + $0.value }
    for (index, text) in folds where lines.indices.contains(index) {
      lines[index] += [32] + text
    }
    var headers = Headers()
    for line in lines { _ = line.withUnsafeBufferPointer { headers.appendReceivedLine($0) } }
    return headers
  }
}

extension IncomingResponse {
  /// Whether the request may be sent again now.
  var mayBeRepeated: Bool { isRepeatable || wasRefusedUnread }

  /// The reason why Lull has stopped a transfer, or rejects it although curl found it complete.
  enum Failure {
    case bodyTooLarge
    case headTooLarge
    /// The response does not begin with a status line.
    case badStatusLine
    /// Contradictory Content-Length headers. (RFC 9112, 6.3)
    case ambiguousLength
    /// A Content-Length that is not a number, or is too large.
    case badLength(String)
    /// A folded Content-Length or Transfer-Encoding header.
    case foldedFraming
    /// A transfer coding other than `chunked`. The request did not ask for it. (RFC 9112, 7.4)
    case transferCoding(String)
    /// The body cannot be decoded: it has too many codings, or decoding has failed.
    case tooManyCodings
    case decoding(DecodingFailure)
    /// A 101 response without a request to change the protocol. (RFC 9110, 15.2.2)
    case switchedProtocol
    /// The connection ended without a response, and the server may have processed the request.
    case notRepeated
    /// The receiver of the body has refused it.
    case bodyRefused
    /// An event stream, which often has no end, for a request that waits for the end.
    case eventStream
    /// The memory limit has no room for more of the body.
    case noMemory
    /// The body ends with its TLS connection, which ended without close_notify. (RFC 9112, 9.8)
    case noCloseNotice
  }
}
