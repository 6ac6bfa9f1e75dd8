import LullLibC
import LullTestSupport
import Testing

/// What a stream that does not end costs of memory.
@Suite(.timeLimit(.minutes(20)))
struct StreamMemoryTests {
  /// Sends a million numbered events over each connection, or rows.
  private func send(on listener: Int32) {
    while let connection = RawSocket.accept(listener) {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = max(0, recv(connection, &buffer, buffer.count, 0))
      let hasRows = String(decoding: buffer[..<count], as: UTF8.self).hasPrefix("GET /rows")
      let type = hasRows ? "application/x-ndjson" : "text/event-stream"
      var text = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: \(type)\r\n\r\n"
      var number = 0
      var isGone = false
      while number < 1_000_000, !isGone {
        for _ in 0..<1000 {
          number += 1
          text += hasRows ? "{\"n\":\(number)}\n" : "id: \(number)\ndata: event \(number)\n\n"
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty, !isGone {
          let sent = rest.withUnsafeBytes {
            LullLibC.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          isGone = sent <= 0
          rest = rest.dropFirst(max(0, sent))
        }
        text = ""
      }
      close(connection)
    }
    close(listener)
  }

  @Test(arguments: ["/events", "/rows"])
  func `STR-20 MEM-01 a million items pass through a limit of memory that some of them fit into`(
    path: String
  ) throws {
    let (listener, port) = try #require(RawSocket.listen())
    defer { shutdown(listener, Int32(SHUT_RDWR)) }
    Background.run { send(on: listener) }
    let ending = try lull(
      "--max-memory", "16M", "-e",
      """
      local lull = require "lull"
      local count, sum = 0, 0
      for item in lull.service("http://127.0.0.1:\(port)")("\(path)"):events{ reconnect = false } do
        count = count + 1
        sum = sum + (type(item) == "table" and item.n or tonumber(item.id))
      end
      print(count, sum)
      """)
    #expect(ending.output == "1000000\t500000500000\n", "\(ending)")
  }
}
