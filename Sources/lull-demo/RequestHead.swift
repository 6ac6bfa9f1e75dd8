import FlyingFox

/// The first line and the headers of a request, as strictly as RFC 9112 has a server read them.
struct RequestHead: Sendable {
  /// Where the body ends.
  enum Framing: Sendable {
    case length(Int)
    case chunked
  }

  let method: String
  /// Path and query as they were sent.
  let target: String
  let fields: [(name: String, value: String)]
  let framing: Framing
  /// HTTP/1.1, which has to name its host.
  let isCurrent: Bool
  /// Whether the connection closes after the response.
  let isLast: Bool
  /// The host in the target, if it is a URL.
  let targetHost: String?

  /// - Parameter bytes: up to the end of the empty line.
  init(_ bytes: ArraySlice<UInt8>) throws(Problem) {
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map { line in
      line.last == 13 ? line.dropLast() : line
    }
    // Behind the empty line, and that line.
    lines.removeLast(2)
    guard !lines.contains(where: { $0.contains(0) || $0.contains(13) }) else {
      throw .badRequest("the head contains a zero byte or a bare carriage return")
    }
    let first = lines.removeFirst().split(separator: 32, omittingEmptySubsequences: false)
    guard first.count == 3, Self.isToken(first[0]), !first[1].isEmpty,
      first[1].allSatisfy({ $0 > 0x20 && $0 != 0x7f })
    else { throw .badRequest("the first line is not 'METHOD TARGET HTTP/1.1'") }
    let version = String(decoding: first[2], as: UTF8.self)
    guard version.wholeMatch(of: /HTTP\/[0-9]\.[0-9]/) != nil else {
      throw .badRequest("the first line is not 'METHOD TARGET HTTP/1.1'")
    }
    guard version.hasPrefix("HTTP/1.") else {
      throw Problem(
        status: 505, code: "http_version_not_supported", message: "only HTTP/1.1 is supported")
    }
    isCurrent = version != "HTTP/1.0"
    method = String(decoding: first[0], as: UTF8.self)
    (targetHost, target) = Self.parts(ofTarget: String(decoding: first[1], as: UTF8.self))
    fields = try Self.fields(lines)
    let (framing, isAmbiguous) = try Self.framing(fields, isCurrent: isCurrent)
    self.framing = framing
    let options = Self.values(of: "connection", in: fields).joined(separator: ",").lowercased()
      .split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
    let isKept = isCurrent ? !options.contains("close") : options.contains("keep-alive")
    isLast = isAmbiguous || !isKept
  }

  /// The values of a header, in order.
  func values(of name: String) -> [String] { Self.values(of: name, in: fields) }

  /// Of a repeated header the last one counts.
  var headers: HTTPHeaders {
    HTTPHeaders(
      Dictionary(fields.map { (HTTPHeader($0.name), $0.value) }, uniquingKeysWith: { $1 }))
  }

  /// The parts of a target before and behind its question mark.
  var path: String { String(target.prefix { $0 != "?" }) }
  var query: String { String(target.drop { $0 != "?" }.dropFirst()) }

  // MARK: Parts

  private static func values(
    of name: String, in fields: [(name: String, value: String)]
  ) -> [String] {
    fields.filter { $0.name.lowercased() == name }.map(\.value)
  }

  /// As proxies are asked, with a host. (RFC 9112, section 3.2.2)
  private static func parts(ofTarget target: String) -> (host: String?, rest: String) {
    guard !target.hasPrefix("/"), let mark = target.firstRange(of: "://") else {
      return (nil, target)
    }
    let behind = target[mark.upperBound...]
    let host = behind.prefix { !"/?#".contains($0) }
    let rest = behind[host.endIndex...]
    return (String(host), rest.hasPrefix("/") ? String(rest) : "/" + rest)
  }

  private static func fields(
    _ lines: [ArraySlice<UInt8>]
  ) throws(Problem) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    for line in lines {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else {
        throw .badRequest("a header is folded, or its name is empty or has an invalid character")
      }
      var value = line[(colon + 1)...]
      while let byte = value.first, byte == 32 || byte == 9 { value.removeFirst() }
      while let byte = value.last, byte == 32 || byte == 9 { value.removeLast() }
      fields.append(
        (String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
    }
    return fields
  }

  /// Where the body ends, and whether a proxy may have seen another end. (RFC 9112, section 6.3)
  private static func framing(
    _ fields: [(name: String, value: String)], isCurrent: Bool
  ) throws(Problem) -> (Framing, isAmbiguous: Bool) {
    let lengths = values(of: "content-length", in: fields)
    let codings = values(of: "transfer-encoding", in: fields)
    guard lengths.count <= 1 else { throw .badRequest("the header Content-Length is repeated") }
    if let length = lengths.first {
      guard !length.isEmpty, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        throw .badRequest("Content-Length is not a number")
      }
      guard let count = Int(length), count <= RequestReader.largestBody else {
        throw RequestReader.tooLarge
      }
      if codings.isEmpty { return (.length(count), false) }
    }
    guard !codings.isEmpty else { return (.length(0), false) }
    guard isCurrent else { throw .badRequest("HTTP/1.0 has no Transfer-Encoding") }
    let words = codings.joined(separator: ",").lowercased()
      .split(separator: ",", omittingEmptySubsequences: false)
      .map { $0.filter { $0 != " " && $0 != "\t" } }
    guard words.last == "chunked", !words.dropLast().contains("chunked") else {
      throw .badRequest("Transfer-Encoding does not end in a single chunked")
    }
    guard words.count == 1 else {
      throw Problem(
        status: 501, code: "not_implemented",
        message: "chunked is the only transfer coding that is supported")
    }
    return (.chunked, !lengths.isEmpty)
  }

  /// RFC 9110, section 5.6.2.
  private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(OtherRoutes.isTokenByte)
  }
}
