import LullCore
import LullLibC
import LullTransport
import Synchronization
import Testing

extension TransportSuite {
  /// A server that ends a connection and says which requests it has not looked at. Scripts are attacked with
  /// more of them by Tests/Attacks/http2.
  @Suite struct HTTP2RefusalTests {
    private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    /// Status 200 without a body, of the first stream.
    private static let fine: [UInt8] = [0, 0, 1, 1, 5, 0, 0, 0, 1, 0x88]

    /// GOAWAY with its last stream; or the first stream is reset with REFUSED_STREAM.
    enum Refusal: CaseIterable {
      case leftOut, included, reset

      var frame: [UInt8] {
        switch self {
        case .leftOut: [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        case .included: [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]
        case .reset: [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 7]
        }
      }
    }

    @Test(arguments: Refusal.allCases)
    func `RTY-06 a POST that was not looked at goes out again`(_ refusal: Refusal) throws {
      let count = Mutex(0)
      let server = try #require(
        RawServer { connection in
          connection.write(Self.settings)
          // The end of the request: the last frame, DATA with one byte and the end of the stream.
          var received: [UInt8] = []
          while !received.suffix(10).elementsEqual([0, 0, 1, 0, 1, 0, 0, 0, 1, 65]) {
            guard let byte = connection.bytes(1) else { return }
            received += byte
          }
          let number = count.withLock { count in
            count += 1
            return count
          }
          connection.write(number == 1 ? refusal.frame : Self.fine)
          if number == 1, refusal != .reset { shutdown(connection.descriptor, Int32(SHUT_WR)) }
          connection.end(.wait)
        })
      let harness = try TransportHarness()
      var options = TransferOptions()
      options.connection.httpVersion = .http2
      var request = HTTPRequest(method: "POST", url: server.url + "/", body: [65])
      request.options = options
      let result = try harness.send(request)
      if refusal == .included {
        #expect(result.error?.kind == .connection, "\(result)")
        #expect(count.withLock { $0 } == 1)
      } else {
        #expect(result.response?.status == 200, "\(result)")
        #expect(count.withLock { $0 } == 2)
      }
      harness.finish()
      server.stop()
    }
  }
}
