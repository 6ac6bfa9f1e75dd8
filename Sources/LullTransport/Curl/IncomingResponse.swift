import LullCore

/// What has arrived of one response, fed by curl's callbacks. It calls curl only to watch a TLS
/// connection, see `CloseNotice`.
///
/// Only the final response's head is kept: every status line starts anew, trailers are left out.
struct IncomingResponse {
  private static let maxHeadSize = 1 << 20
  /// What is reserved for a body of which nothing is here yet, at most; bytes.
  private static let maxReserve = 4 << 20

  /// 0 before the first status line.
  private(set) var status = 0
  private(set) var failure: Failure?
  private(set) var isHeadComplete = true
  /// Whether there is a connection, so that the request goes out now.
  private(set) var isRequested = false
  /// The first Location header, as `ResourceURL.text(ofBytes:)` has it.
  private(set) var location: String?
  /// Keeps its memory from one response to the next, so that a head costs one allocation.
  private var received = Headers()
  /// Of all heads together, and trailers: a server may send any number of each.
  private var headSize = 0
  private var lineCount = 0
  /// Continuations of obsolete folded lines, with the index of the line they belong to.
  private var folds: [(index: Int, text: [UInt8])] = []
  private var body: [UInt8] = []
  /// Counts the body while it is here.
  private var held: HeldBytes?
  private var bodySize = 0
  private var contentLength: Int?
  /// Whether the last header said how the body is framed, so that no line may continue it.
  private var isFraming = false
  private var isChunked = false
  private var isHTTP1 = false
  /// Watches for the end of a body that ends with its TLS connection; nil for every other body.
  private var closeNotice: CloseNotice?
  /// curl's handle, if such a body needs a close_notify.
  private var tlsHandle: UnsafeMutableRawPointer?
  /// What the Content-Encoding headers say; nil without any.
  private var encoding: String?
  /// What is to be undone of it.
  private var codings: [ContentCoding] = []
  /// nil before the first byte of a coded body.
  private var decoder: BodyDecoder?
  /// Bytes of the body as they came.
  private var wireSize = 0
  private var maxBodySize = 0
  private var expectsBody = true
  private var keepsRedirects = false
  private var endsWithHead = false
  private var refusesEventStreams = false
  private var isEventStream = false
  /// Whether the transfer was stopped since the whole answer was there.
  private(set) var hasEndedWithHead = false
  /// Whether the request may go out once more if its connection ends without an answer.
  private(set) var isRepeatable = true
  /// Whether the server has not looked at the request that went out last: it may go out again, whatever
  /// its method.
  var wasRefusedUnread = false
  /// Of a request that counts against a limit; each that goes out needs its leave.
  private(set) var sending: SendingReport?
  /// Whether it has still to pass once its head has gone out, which happens within one call of curl's.
  private(set) var passesLater = false
  /// Takes the body of a success; nil: it is kept here.
  private var sink: BodySink?
  /// What was asked for; empty without a sink.
  private var url = ""
  /// Whether the sink wants nothing more for now.
  private(set) var isFull = false
  /// Whether curl keeps a piece of the body back until it is told to go on.
  private(set) var isHeldBack = false
  /// Does not count the sink's time as curl's; nil without a sink.
  private var callGuard: StuckCallGuard?
  /// Notes decoded bytes of the body; nil if nobody wants them.
  var wire: WireRecord?

  /// Forgets everything, for the response to a new request.
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

  /// A response whose Location is to be followed; its own body is of no interest.
  var isRedirect: Bool {
    location != nil && RedirectPolicy.isRedirect(status) && !keepsRedirects
  }

  /// Who takes the body of this response.
  private var bodySink: BodySink? {
    guard let sink, expectsBody, (200..<300).contains(status) else { return nil }
    return sink
  }

  /// What the sink says, which may take its time.
  private func asking<Answer>(_ call: () -> Answer) -> Answer {
    callGuard?.pausing(call) ?? call()
  }

  /// Bytes of heads and body so far, as they came.
  var receivedSize: Int { headSize + wireSize }

  // MARK: Feeding

  /// False stops the transfer: curl would send it once more.
  mutating func requestGoesOut() -> Bool {
    if isRequested && (!mayBeRepeated || sending != nil) { failure = .notRepeated }
    isRequested = true
    return failure == nil
  }

  /// Takes one header line, a status line or the empty line; false stops the transfer.
  mutating func takeLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = line.first else { return true }
    headSize += line.count
    guard headSize <= IncomingResponse.maxHeadSize else {
      failure = .headTooLarge
      return false
    }
    if isHeadComplete {
      // After the head of a final response only trailers come.
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

  /// Looks at a header that decides about what follows; false stops the transfer.
  private mutating func takeField(_ line: UnsafeBufferPointer<UInt8>, _ first: UInt8) -> Bool {
    switch first {
    case UInt8(ascii: "c"), UInt8(ascii: "C"):
      if let value = HeadLine.value(of: "content-length", in: line) {
        isFraming = true
        // Without a body nothing depends on it.
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
      // An empty one leads nowhere.
      if location == nil, let value = HeadLine.value(of: "location", in: line), !value.isEmpty {
        location = ResourceURL.text(ofBytes: UnsafeBufferPointer(rebasing: value))
      }
    default: break
    }
    return true
  }

  /// Statuses that no body follows, whatever the head says. (RFC 9112, 6.3)
  private var isBodyless: Bool { status < 200 || status == 204 || status == 304 }

  private mutating func fail(_ failure: Failure) -> Bool {
    self.failure = failure
    return false
  }

  /// Whether the next piece of the body is to stay with curl.
  mutating func holdsBack() -> Bool {
    if isFull { isHeldBack = true }
    return isFull
  }

  /// Whether curl has to be told to go on, now that the sink wants more.
  mutating func goesOn() -> Bool {
    isFull = false
    defer { isHeldBack = false }
    return isHeldBack
  }

  /// Takes bytes of the body as they came; false stops the transfer.
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

  /// Whether a body is complete that has ended with its connection, or by its framing; else that is a
  /// failure.
  mutating func endBody() -> Bool {
    guard failure == nil else { return true }
    if let coding = decoder?.unfinished { return fail(.decoding(.cut(coding))) }
    if let closeNotice, !closeNotice.hasCome { return fail(.noCloseNotice) }
    return true
  }

  /// Whether only the end of the connection ends the body. (RFC 9112, 6.3)
  private var endsWithConnection: Bool {
    isHTTP1 && contentLength == nil && !isChunked && expectsBody && !isBodyless && !isRedirect
  }

  /// Takes decoded bytes of the body; false stops the transfer.
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
      // An announcement is believed when some of it has come, which then is moved once.
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

  /// Finds out how the body is coded, if one comes that anybody wants to see.
  private mutating func setCodings() -> Bool {
    guard let encoding, expectsBody, !isRedirect, !isBodyless else { return true }
    switch ContentCoding.codings(encoding) {
    case .known(let codings):
      // A part of what is coded is no stream that could be decoded.
      if status != 206 { self.codings = codings }
    case .unknown: break
    case .tooMany: return fail(.tooManyCodings)
    }
    return true
  }

  // MARK: Taking out

  /// Gives the body away.
  mutating func takeBody() -> [UInt8] {
    let taken = body
    body = []
    held = nil
    return taken
  }

  /// Keeps nothing of the body, which nobody wants any more, and nothing that decodes it.
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

  /// What is worth saying of the body's codings; nil if nothing is. Mutating, as below, so that nobody
  /// makes a copy of all this to ask.
  mutating func remark() -> String? {
    guard let encoding, wireSize > 0 else { return nil }
    if let (coding, count) = decoder?.surplus {
      return "\(count) bytes behind the end of its \(coding.rawValue) are left out"
    }
    guard codings.isEmpty, !isRedirect else { return nil }
    let name = HeadLine.visible(encoding.utf8)
    switch ContentCoding.codings(encoding) {
    case .known(let codings):
      return codings.isEmpty
        ? nil : "its Content-Encoding is '\(name)': a part (206) of that is given as it came"
    case .unknown:
      return "its Content-Encoding is '\(name)', which is not known here: it is given as it came"
    case .tooMany: return nil
    }
  }

  /// The headers of the final response, in order.
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
  /// Whether the request may go out once more now.
  var mayBeRepeated: Bool { isRepeatable || wasRefusedUnread }

  /// Why a transfer was stopped from here, or is not accepted although curl found it complete.
  enum Failure {
    case bodyTooLarge
    case headTooLarge
    /// What it begins with is no status line.
    case badStatusLine
    /// Content-Length headers that contradict each other. (RFC 9112, 6.3)
    case ambiguousLength
    /// A Content-Length that is no number, or too large a one.
    case badLength(String)
    /// A Content-Length or Transfer-Encoding that goes on in another line.
    case foldedFraming
    /// A transfer coding other than `chunked`, without having been asked for one. (RFC 9112, 7.4)
    case transferCoding(String)
    /// The codings of the body, or its bytes.
    case tooManyCodings
    case decoding(DecodingFailure)
    /// 101 without having been asked to speak another protocol. (RFC 9110, 15.2.2)
    case switchedProtocol
    /// The connection ended without an answer, and what was asked for may have been done.
    case notRepeated
    /// By whoever was to take it.
    case bodyRefused
    /// A body that often has no end, where somebody waits for the end.
    case eventStream
    /// The limit of memory has no room for more of the body.
    case noMemory
    /// The body ends with its TLS connection, which ended without close_notify. (RFC 9112, 9.8)
    case noCloseNotice
  }
}
