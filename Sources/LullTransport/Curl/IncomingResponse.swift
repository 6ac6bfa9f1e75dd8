import LullCore

/// What has arrived of one response, fed by curl's callbacks: bytes only, no curl calls.
///
/// Only the final response's head is kept: every status line starts anew, trailers are left out.
struct IncomingResponse {
  enum Failure {
    case bodyTooLarge
    case headTooLarge
  }

  private static let maxHeadSize = 1 << 20
  private static let maxReserve = 16 << 20

  /// 0 before the first status line.
  private(set) var status = 0
  private(set) var failure: Failure?
  private(set) var isHeadComplete = true
  /// As received, line ends included; the memory is used again for the next response.
  private var head: [UInt8] = []
  private var body: [UInt8] = []
  private var bodySize = 0
  private var contentLength: Int?
  private var hasLocation = false
  private var maxBodySize = 0
  private var expectsBody = true

  /// Forgets everything, for the response to a new request.
  mutating func start(maxBodySize: Int, expectsBody: Bool) {
    beginHead(status: 0)
    isHeadComplete = true
    failure = nil
    body = []
    bodySize = 0
    self.maxBodySize = maxBodySize
    self.expectsBody = expectsBody
  }

  var hasBodyBytes: Bool { bodySize > 0 }

  /// A response whose Location is to be followed; its own body is of no interest.
  var isRedirect: Bool { hasLocation && RedirectPolicy.isRedirect(status) }

  // MARK: Feeding

  /// Takes one header line, a status line or the empty line; false stops the transfer.
  mutating func takeLine(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = line.first else { return true }
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
      // An obsolete folded line continues the one before.
      while let last = head.last, last == 13 || last == 10 { head.removeLast() }
    case UInt8(ascii: "c"), UInt8(ascii: "C"):
      if let value = value(of: "content-length", in: line) {
        contentLength = IncomingResponse.number(value)
      }
    case UInt8(ascii: "l"), UInt8(ascii: "L"):
      if value(of: "location", in: line) != nil { hasLocation = true }
    default: break
    }
    guard head.count + line.count <= IncomingResponse.maxHeadSize else {
      failure = .headTooLarge
      return false
    }
    head.append(contentsOf: line)
    return true
  }

  /// Takes decoded bytes of the body; false stops the transfer.
  mutating func takeBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bodySize += bytes.count
    guard bodySize <= maxBodySize else {
      failure = .bodyTooLarge
      return false
    }
    guard !isRedirect else { return true }
    if body.isEmpty, let contentLength, contentLength > bytes.count {
      body.reserveCapacity(min(contentLength, maxBodySize, IncomingResponse.maxReserve))
    }
    body.append(contentsOf: bytes)
    return true
  }

  private mutating func beginHead(status: Int) {
    self.status = status
    isHeadComplete = false
    head.removeAll(keepingCapacity: true)
    contentLength = nil
    hasLocation = false
  }

  private mutating func headIsAcceptable() -> Bool {
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
    return taken
  }

  /// The headers of the final response, in order.
  func headers() -> Headers {
    var headers = Headers()
    forEachHeadLine { _ = headers.appendReceivedLine($0) }
    return headers
  }

  /// The first Location header.
  func location() -> String? {
    var found: String?
    forEachHeadLine { line in
      if found == nil, let value = value(of: "location", in: line) {
        found = String(decoding: value, as: UTF8.self)
      }
    }
    return found
  }

  private func forEachHeadLine(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    head.withUnsafeBufferPointer { head in
      var start = 0
      while start < head.count {
        var end = start
        while end < head.count && head[end] != 10 { end += 1 }
        body(UnsafeBufferPointer(rebasing: head[start..<end]))
        start = end + 1
      }
    }
  }

  // MARK: Reading lines

  /// The status of `HTTP/1.1 200 OK` or `HTTP/2 200`; nil for any other line.
  private static func status(in line: UnsafeBufferPointer<UInt8>) -> Int? {
    guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: 32) else { return nil }
    return number(line[(space + 1)...].prefix(3))
  }

  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    guard !digits.isEmpty, digits.count < 19 else { return nil }
    var number = 0
    for digit in digits {
      guard digit >= 48, digit <= 57 else { return nil }
      number = number * 10 + Int(digit - 48)
    }
    return number
  }

  /// The trimmed value if `line` is a header of that lower-case name.
  private func value(of name: StaticString, in line: UnsafeBufferPointer<UInt8>)
    -> Slice<UnsafeBufferPointer<UInt8>>?
  {
    let count = name.utf8CodeUnitCount
    guard line.count > count, line[count] == UInt8(ascii: ":") else { return nil }
    for index in 0..<count where line[index] | 0x20 != name.utf8Start[index] | 0x20 { return nil }
    var value = line[(count + 1)...]
    while let first = value.first, first == 32 || first == 9 { value = value.dropFirst() }
    while let last = value.last, last <= 32 { value = value.dropLast() }
    return value
  }
}
