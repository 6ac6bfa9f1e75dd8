import LullCore

/// What has arrived of one response, fed by curl's callbacks: bytes only, no curl calls.
///
/// Only the final response's head is kept: every status line starts anew, trailers are left out.
struct IncomingResponse {
  enum Failure {
    case bodyTooLarge
    case headTooLarge
    /// Content-Length headers that contradict each other. (RFC 9112, 6.3)
    case ambiguousLength
    /// 101 without having been asked to speak another protocol. (RFC 9110, 15.2.2)
    case switchedProtocol
    /// The connection ended without an answer, and what was asked for may have been done.
    case notRepeated
    /// By whoever was to take it.
    case bodyRefused
  }

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
  private var maxBodySize = 0
  private var expectsBody = true
  private var keepsRedirects = false
  /// Whether the request may go out once more if its connection ends without an answer.
  private(set) var isRepeatable = true
  /// Takes the body of a success; nil: it is kept here.
  private var sink: BodySink?

  /// Forgets everything, for the response to a new request.
  mutating func start(
    maxBodySize: Int, expectsBody: Bool, keepsRedirects: Bool, isRepeatable: Bool,
    sink: BodySink?
  ) {
    beginHead(status: 0)
    isHeadComplete = true
    isRequested = false
    failure = nil
    headSize = 0
    body = []
    held = nil
    bodySize = 0
    self.maxBodySize = maxBodySize
    self.expectsBody = expectsBody
    self.keepsRedirects = keepsRedirects
    self.isRepeatable = isRepeatable
    self.sink = sink
  }

  /// A response whose Location is to be followed; its own body is of no interest.
  var isRedirect: Bool {
    location != nil && RedirectPolicy.isRedirect(status) && !keepsRedirects
  }

  /// Who takes the body of this response.
  private var bodySink: BodySink? {
    guard let sink, expectsBody, (200..<300).contains(status) else { return nil }
    return sink
  }

  /// Bytes of heads and decoded body so far.
  var receivedSize: Int { headSize + bodySize }

  // MARK: Feeding

  /// False stops the transfer: curl would send it once more.
  mutating func requestGoesOut() -> Bool {
    if isRequested && !isRepeatable { failure = .notRepeated }
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
      guard status < 200, let status = IncomingResponse.status(in: line) else { return true }
      beginHead(status: status)
      return true
    }
    switch first {
    case 13, 10:
      isHeadComplete = true
      return headIsAcceptable()
    case 32, 9:
      folds.append((lineCount - 1, Array(IncomingResponse.trim(line[...]))))
      return true
    case UInt8(ascii: "c"), UInt8(ascii: "C"):
      if let value = IncomingResponse.value(of: "content-length", in: line) {
        let length = IncomingResponse.number(value)
        guard contentLength == nil || contentLength == length else {
          failure = .ambiguousLength
          return false
        }
        contentLength = length
      }
    case UInt8(ascii: "l"), UInt8(ascii: "L"):
      if location == nil, let value = IncomingResponse.value(of: "location", in: line) {
        location = ResourceURL.text(ofBytes: UnsafeBufferPointer(rebasing: value))
      }
    default: break
    }
    if received.appendReceivedLine(line) { lineCount += 1 }
    return true
  }

  /// Takes decoded bytes of the body; false stops the transfer.
  mutating func takeBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bodySize += bytes.count
    if let sink = bodySink {
      if !sink.take(bytes) { failure = .bodyRefused }
      return failure == nil
    }
    guard bodySize <= maxBodySize else {
      failure = .bodyTooLarge
      return false
    }
    guard !isRedirect else { return true }
    let needed = body.count + bytes.count
    if let contentLength, contentLength > needed, needed > body.capacity {
      // An announcement is believed when some of it has come, which then is moved once.
      let most = body.isEmpty ? IncomingResponse.maxReserve : maxBodySize
      body.reserveCapacity(min(contentLength, most))
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
  }

  private mutating func headIsAcceptable() -> Bool {
    guard status != 101 else {
      failure = .switchedProtocol
      return false
    }
    if let sink = bodySink {
      if !sink.begin(status) { failure = .bodyRefused }
      return failure == nil
    }
    guard expectsBody, !isRedirect, status != 304, let contentLength, contentLength > maxBodySize
    else { return true }
    failure = .bodyTooLarge
    return false
  }

  // MARK: Taking out

  /// Gives the body away.
  mutating func takeBody() -> [UInt8] {
    let taken = body
    body = []
    held = nil
    return taken
  }

  mutating func letGoOfSink() { sink = nil }

  /// The headers of the final response, in order.
  func headers() -> Headers {
    guard !folds.isEmpty else { return received }
    var lines = received.bytePairs.map { $0.name + [UInt8(ascii: ":")] + $0.value }
    for (index, text) in folds where lines.indices.contains(index) {
      lines[index] += [32] + text
    }
    var headers = Headers()
    for line in lines { _ = line.withUnsafeBufferPointer { headers.appendReceivedLine($0) } }
    return headers
  }

  // MARK: Reading lines

  /// The status of `HTTP/1.1 200 OK` or `HTTP/2 200`; nil for any other line.
  private static func status(in line: UnsafeBufferPointer<UInt8>) -> Int? {
    guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: 32) else { return nil }
    return number(line[(space + 1)...].prefix(3))
  }

  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    guard !digits.isEmpty else { return nil }
    var number = 0
    for digit in digits {
      guard digit >= 48, digit <= 57 else { return nil }
      let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isStillTooLarge) = tens.addingReportingOverflow(Int(digit - 48))
      guard !isTooLarge, !isStillTooLarge else { return nil }
      number = sum
    }
    return number
  }

  /// The trimmed value if `line` is a header of that lower-case name.
  private static func value(of name: StaticString, in line: UnsafeBufferPointer<UInt8>)
    -> Slice<UnsafeBufferPointer<UInt8>>?
  {
    let count = name.utf8CodeUnitCount
    guard line.count > count, line[count] == UInt8(ascii: ":") else { return nil }
    // Bit 0x20 makes letters lower-case; of the two names asked for here no other byte is affected.
    for index in 0..<count where line[index] | 0x20 != name.utf8Start[index] { return nil }
    return trim(line[(count + 1)...])
  }

  private static func trim(_ text: Slice<UnsafeBufferPointer<UInt8>>)
    -> Slice<UnsafeBufferPointer<UInt8>>
  {
    var text = text
    while let first = text.first, first <= 32 { text = text.dropFirst() }
    while let last = text.last, last <= 32 { text = text.dropLast() }
    return text
  }
}
