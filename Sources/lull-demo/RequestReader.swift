import FlyingSocks
import Foundation

/// Reads the requests of one connection.
struct RequestReader {
  static let largestBody = 1 << 30
  private static let largestHead = 65_536
  static let tooLarge = Problem(
    status: 413, code: "content_too_large", message: "a body may have \(largestBody >> 20) MB")

  private let socket: AsyncSocket
  private var buffer: [UInt8] = []
  private var start = 0

  init(_ socket: AsyncSocket) { self.socket = socket }

  /// The head of the next request; nil if the connection has ended before it.
  mutating func head() async throws -> RequestHead? {
    var place = start
    while true {
      while start < buffer.count, buffer[start] == 10 || buffer[start] == 13, place == start {
        // Empty lines before a request are skipped. (RFC 9112, section 2.2)
        guard buffer[start] == 10 || start + 1 == buffer.count || buffer[start + 1] == 10 else {
          break
        }
        if buffer[start] == 13, start + 1 == buffer.count { break }
        start += buffer[start] == 13 ? 2 : 1
        place = start
      }
      // The handshake of TLS: no answer would be understood.
      if start < buffer.count, buffer[start] == 0x16 { throw SocketError.disconnected }
      // Of an empty line the second byte may still be to come.
      let isCut = start + 1 == buffer.count && buffer[start] == 13
      while place < buffer.count, !(isCut && place == start) {
        if buffer[place] == 10, let end = emptyLine(behind: place) {
          defer { start = end }
          return try RequestHead(buffer[start..<end])
        }
        // The end of the line behind may still be to come.
        if buffer[place] == 10, buffer.count - place < 3 { break }
        place += 1
      }
      guard buffer.count - start < Self.largestHead else {
        throw Problem(
          status: 431, code: "request_header_fields_too_large",
          message: "a head may have \(Self.largestHead >> 10) KB")
      }
      let offset = place - start
      guard try await fill() else {
        guard buffer[start...].allSatisfy({ $0 == 10 || $0 == 13 }) else {
          throw Problem.badRequest("the request ends within its head")
        }
        return nil
      }
      place = start + offset
    }
  }

  /// Where an empty line ends, of which the first byte is behind a line feed.
  private func emptyLine(behind place: Int) -> Int? {
    let rest = buffer[(place + 1)...].prefix(2)
    if rest.first == 10 { return place + 2 }
    return rest.elementsEqual([13, 10]) ? place + 3 : nil
  }

  mutating func body(of head: RequestHead) async throws -> Data {
    switch head.framing {
    case .length(let count): return try await Data(bytes(count))
    case .chunked:
      var body = Data()
      while true {
        let count = try Self.size(ofChunk: try await line())
        guard count > 0 else { break }
        guard body.count + count <= Self.largestBody else { throw Self.tooLarge }
        let piece = try await bytes(count)
        body += piece
        guard try await line().isEmpty else {
          throw Problem.badRequest("a chunk is longer than it says")
        }
      }
      // Trailers say nothing here.
      for _ in 0..<100 {
        if try await line().isEmpty { return body }
      }
      throw Problem.badRequest("there are more than 100 trailers")
    }
  }

  /// Hexadecimal digits, with extensions behind a semicolon. (RFC 9112, section 7.1)
  private static func size(ofChunk line: ArraySlice<UInt8>) throws(Problem) -> Int {
    let digits = line.prefix { Character(UnicodeScalar($0)).isHexDigit && $0 < 0x80 }
    let rest = line[digits.endIndex...].drop { $0 == 32 || $0 == 9 }
    guard !digits.isEmpty,
      digits.endIndex == line.endIndex || rest.first == UInt8(ascii: ";")
    else {
      throw .badRequest("the size of a chunk is not a hexadecimal number")
    }
    guard let count = Int(String(decoding: digits, as: UTF8.self), radix: 16),
      count <= largestBody
    else { throw tooLarge }
    return count
  }

  // MARK: Bytes

  private mutating func bytes(_ count: Int) async throws -> ArraySlice<UInt8> {
    while buffer.count - start < count {
      guard try await fill() else {
        throw Problem.badRequest("the request ends within its body")
      }
    }
    defer { start += count }
    return buffer[start..<start + count]
  }

  /// Without its end.
  private mutating func line() async throws -> ArraySlice<UInt8> {
    var place = 0
    while true {
      if let end = buffer[(start + place)...].firstIndex(of: 10) {
        defer { start = end + 1 }
        let line = buffer[start..<end]
        let text = line.last == 13 ? line.dropLast() : line
        guard !text.contains(0), !text.contains(13) else {
          throw Problem.badRequest("a line contains a zero byte or a bare carriage return")
        }
        return text
      }
      place = buffer.count - start
      guard place < Self.largestHead else {
        throw Problem.badRequest("a line of the body is longer than \(Self.largestHead >> 10) KB")
      }
      guard try await fill() else {
        throw Problem.badRequest("the request ends within its body")
      }
    }
  }

  /// Whether more has come.
  private mutating func fill() async throws -> Bool {
    if start > 0 {
      buffer.removeSubrange(..<start)
      start = 0
    }
    do {
      let piece = try await socket.read(atMost: 65_536)
      buffer += piece
      return true
    } catch SocketError.disconnected {
      return false
    }
  }

  /// Reads and drops what a client sends that has been refused, so that it gets the answer before the
  /// connection is reset.
  static func drain(_ socket: AsyncSocket) async {
    shutdown(socket.socket.file.rawValue, CInt(SHUT_WR))
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while let piece = try? await socket.read(atMost: 65_536), !piece.isEmpty {}
      }
      group.addTask {
        guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
        shutdown(socket.socket.file.rawValue, CInt(SHUT_RDWR))
      }
      await group.next()
      group.cancelAll()
    }
  }
}
