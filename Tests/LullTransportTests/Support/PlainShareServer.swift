import LullLibC
import LullTesting
import Synchronization

/// What stands in for a server of the Redis kind: it takes commands apart, and a script of Swift's answers them.
final class PlainShareServer: Sendable {
  private let server: RawServer
  private let seen: Seen

  private final class Seen: Sendable {
    let commands = Mutex<[[String]]>([])
  }

  var url: String { "redis://127.0.0.1:\(server.port)" }
  var port: UInt16 { server.port }
  var commands: [[String]] { seen.commands.withLock { $0 } }

  /// - Parameter answer: what is said to a command, on the thread of its connection; nil: the connection is closed.
  init?(_ answer: @escaping @Sendable ([String]) -> String?) {
    let seen = Seen()
    self.seen = seen
    let server = RawServer { connection in
      var received: [UInt8] = []
      while let bytes = connection.readBytes(65536) {
        received += bytes
        while let (words, length) = PlainShareServer.command(received) {
          received.removeFirst(length)
          seen.commands.withLock { $0.append(words) }
          guard let text = PlainShareServer.greeting(words) ?? answer(words) else { return }
          guard connection.write(text) else { return }
        }
      }
    }
    guard let server else { return nil }
    self.server = server
  }

  func stop() { server.stop() }

  /// As if nothing had been asked yet.
  func forget() { seen.commands.withLock { $0 = [] } }

  private static func greeting(_ words: [String]) -> String? {
    switch words.first {
    case "CLIENT": "+OK\r\n"
    case "PING": "+PONG\r\n"
    default: nil
    }
  }

  /// `*2\r\n$3\r\nGET\r\n$1\r\na\r\n`; nil if it is not complete.
  private static func command(_ bytes: [UInt8]) -> (words: [String], length: Int)? {
    var position = 0
    func line() -> String? {
      guard let end = bytes[position...].firstIndex(of: 13), end + 1 < bytes.count else {
        return nil
      }
      defer { position = end + 2 }
      return String(decoding: bytes[position..<end], as: UTF8.self)
    }
    guard let count = line().flatMap({ Int($0.dropFirst()) }) else { return nil }
    var words: [String] = []
    for _ in 0..<count {
      guard let length = line().flatMap({ Int($0.dropFirst()) }),
        position + length + 2 <= bytes.count
      else { return nil }
      words.append(String(decoding: bytes[position..<position + length], as: UTF8.self))
      position += length + 2
    }
    return (words, position)
  }
}
