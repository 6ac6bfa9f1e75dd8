import LullLibC
import LullTestSupport
import Testing

/// What a body that is read from a file costs of memory.
@Suite(.timeLimit(.minutes(20)))
struct UploadMemoryTests {
  /// Reads each request to its end, says how long its body was, and closes the connection.
  private func discard(on listener: Int32) {
    while let connection = RawSocket.accept(listener) {
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      var head: [UInt8] = []
      var left = Int.max
      while left > 0 {
        let count = recv(connection, &buffer, min(buffer.count, left), 0)
        guard count > 0 else { break }
        guard left == .max else {
          left -= count
          continue
        }
        head += buffer[..<count]
        guard let end = head.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
        let text = String(decoding: head[..<end.lowerBound], as: UTF8.self).lowercased()
        let length = text.firstMatch(of: /content-length: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
        left = length - (head.count - end.upperBound)
        head = Array("\(length)".utf8)
      }
      let text = String(decoding: head, as: UTF8.self)
      let answer = Array(
        ("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/plain\r\n"
          + "content-length: \(text.utf8.count)\r\n\r\n\(text)").utf8)
      if left == 0 { send(connection, answer, answer.count, Int32(MSG_NOSIGNAL)) }
      close(connection)
    }
    close(listener)
  }

  @Test func `BODY-01 MEM-01 a file and a form are sent that are larger than the limit of memory`()
    throws
  {
    let (listener, port) = try #require(RawSocket.listen())
    defer { shutdown(listener, Int32(SHUT_RDWR)) }
    Background.run { discard(on: listener) }
    let folder = try TemporaryFolder()
    try folder.write("large", "")
    #expect(truncate(folder.path + "/large", 256 << 20) == 0)
    func sent(_ body: String) throws -> Child.Ending {
      try lull(
        "--max-memory", "24M", "-e",
        """
        local lull = require "lull"
        local api = lull.service("http://127.0.0.1:\(port)")
        print(assert(api("/x"):put(\(body)):await()).text)
        """, folder: folder.path)
    }
    #expect(try sent("lull.file('large')").output == "268435456\n")
    let form = try sent("lull.multipart{ a = 1, b = lull.file('large') }")
    #expect(Int(form.output.dropLast()) ?? 0 > 256 << 20, "\(form)")
    let held = try sent("{ data = lull.read_file('large') }")
    #expect(held.code != 0)
    #expect(held.errors.contains("memory"), "\(held)")
  }
}
