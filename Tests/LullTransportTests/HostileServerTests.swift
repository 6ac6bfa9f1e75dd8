import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// Servers that lie, break off and babble: each comes to a failure of the right kind, or to the
  /// answer that is in it, and the provider goes on as if nothing had been.
  @Suite struct HostileServerTests {
    let harness: TransportHarness

    init() throws {
      harness = try TransportHarness()
    }

    enum Outcome {
      case text(String, status: Int = 200)
      /// Words the message must hold.
      case failure(TransportError.Kind, String)
    }

    struct Hostile: CustomTestStringConvertible {
      let name: String
      let answer: String
      var ending = RawConnection.Ending.close
      let outcome: Outcome
      var testDescription: String { name }

      static let ok = "HTTP/1.1 200 OK\r\n"
      static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"

      init(
        _ name: String, _ answer: String, ends ending: RawConnection.Ending = .close,
        _ outcome: Outcome
      ) {
        self.name = name
        self.answer = answer
        self.ending = ending
        self.outcome = outcome
      }
    }

    /// The length that is announced is not that of the body.
    static let lies: [Hostile] = [
      Hostile(
        "more was promised", Hostile.ok + "Content-Length: 10\r\n\r\nhello",
        .failure(.truncatedBody, "ended before the body was complete")),
      Hostile(
        "more was promised, nothing came", Hostile.ok + "Content-Length: 10\r\n\r\n",
        .failure(.truncatedBody, "ended before the body was complete")),
      // What follows the announced length is not the body's (RFC 9112, 6.3).
      Hostile(
        "less was promised", Hostile.ok + "Content-Length: 2\r\n\r\nhello", ends: .wait, .text("he")
      ),
      Hostile(
        "nothing was promised", Hostile.ok + "Content-Length: 0\r\n\r\nhello", ends: .wait,
        .text("")),
      Hostile(
        "a body behind 204", "HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\nhello", ends: .wait,
        .text("", status: 204)),
      Hostile(
        "two lengths", Hostile.ok + "Content-Length: 5\r\nContent-Length: 3\r\n\r\nhello",
        ends: .wait,
        .failure(.malformedResponse, "two different Content-Length headers")),
      Hostile(
        "one length twice", Hostile.ok + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        ends: .wait,
        .text("hello")),
      Hostile(
        "a negative length", Hostile.ok + "Content-Length: -5\r\n\r\nhello", ends: .wait,
        .failure(.malformedResponse, "Content-Length")),
      Hostile(
        "a length in words", Hostile.ok + "Content-Length: five\r\n\r\nhello", ends: .wait,
        .failure(.malformedResponse, "Content-Length")),
      Hostile(
        "a length beyond the limit",
        Hostile.ok + "Content-Length: 9000000000000000000\r\n\r\nhello", ends: .wait,
        .failure(.bodyTooLarge, "max_body_size")),
      Hostile(
        "a length beyond counting",
        Hostile.ok + "Content-Length: 99999999999999999999999\r\n\r\nhello",
        .failure(.malformedResponse, "invalid Content-Length: '99999999999999999999999'")),
      Hostile(
        "a length one beyond counting",
        Hostile.ok + "Content-Length: 9223372036854775808\r\n\r\nhello",
        .failure(.malformedResponse, "invalid Content-Length: '9223372036854775808'")),
      Hostile(
        "a length with a sign", Hostile.ok + "Content-Length: +5\r\n\r\nhello", ends: .wait,
        .failure(.malformedResponse, "invalid Content-Length: '+5'")),
      Hostile(
        "a length with words behind", Hostile.ok + "Content-Length: 5 bytes\r\n\r\nhello",
        ends: .wait, .failure(.malformedResponse, "invalid Content-Length: '5 bytes'")),
      Hostile(
        "a hexadecimal length", Hostile.ok + "Content-Length: 0x05\r\n\r\nhello", ends: .wait,
        .failure(.malformedResponse, "invalid Content-Length: '0x05'")),
      Hostile(
        "a length with a fraction", Hostile.ok + "Content-Length: 5.0\r\n\r\nhello", ends: .wait,
        .failure(.malformedResponse, "invalid Content-Length: '5.0'")),
      Hostile(
        "an empty length", Hostile.ok + "Content-Length: \r\n\r\nhello", ends: .wait,
        .failure(.malformedResponse, "Content-Length")),
      Hostile(
        "two lengths in one header", Hostile.ok + "Content-Length: 5, 3\r\n\r\nhello",
        ends: .wait, .failure(.malformedResponse, "invalid Content-Length: '5, 3'")),
      Hostile(
        "one length twice in one header", Hostile.ok + "Content-Length: 5, 5\r\n\r\nhello",
        ends: .wait, .text("hello")),
      Hostile(
        "a length with zeros before it", Hostile.ok + "Content-Length: 0005\r\n\r\nhello",
        ends: .wait, .text("hello")),
      Hostile(
        "a length over two lines", Hostile.ok + "Content-Length: 5\r\n 5\r\n\r\nhello",
        ends: .wait, .failure(.malformedResponse, "over several lines")),
      Hostile(
        "no length behind 204", "HTTP/1.1 204 None\r\nContent-Length: +5\r\n\r\n", ends: .wait,
        .text("", status: 204)),
      // The coding is what counts (RFC 9112, 6.3).
      Hostile(
        "a length and chunks",
        Hostile.ok
          + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        ends: .wait,
        .text("hello")),
      Hostile(
        "a length that is none, and chunks",
        Hostile.ok
          + "Content-Length: +3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        ends: .wait,
        .failure(.malformedResponse, "invalid Content-Length: '+3'")),
      Hostile("no length", Hostile.ok + "\r\nhello", .text("hello")),
    ]

    static let chunks: [Hostile] = [
      Hostile(
        "a size that is no number", Hostile.chunked + "zz\r\nhello\r\n", ends: .wait,
        .failure(.malformedResponse, "hexadecimal")),
      Hostile(
        "a negative size", Hostile.chunked + "-5\r\nhello\r\n", ends: .wait,
        .failure(.malformedResponse, "hexadecimal")),
      Hostile(
        "a size beyond counting", Hostile.chunked + "fffffffffffffffff\r\nhello\r\n", ends: .wait,
        .failure(.malformedResponse, "hexadecimal")),
      Hostile(
        "a size that is too small", Hostile.chunked + "2\r\nhello\r\n0\r\n\r\n", ends: .wait,
        .failure(.malformedResponse, "chunked-encoding")),
      Hostile(
        "a size that is too large", Hostile.chunked + "ff\r\nhello\r\n0\r\n\r\n",
        .failure(.truncatedBody, "ended before")),
      Hostile(
        "no last chunk", Hostile.chunked + "5\r\nhello\r\n",
        .failure(.truncatedBody, "ended before")),
      Hostile(
        "half a size", Hostile.chunked + "5\r\nhello\r\n1", .failure(.truncatedBody, "ended before")
      ),
      Hostile(
        "an extension", Hostile.chunked + "5;a=b\r\nhello\r\n0\r\n\r\n", ends: .wait, .text("hello")
      ),
      Hostile(
        "an unknown coding", Hostile.ok + "Transfer-Encoding: rot13\r\n\r\nhello", ends: .wait,
        .failure(.malformedResponse, "an unrequested Transfer-Encoding: 'rot13'")),
      Hostile(
        "a coding nobody asked for",
        Hostile.ok + "Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        ends: .wait, .failure(.malformedResponse, "an unrequested Transfer-Encoding: 'gzip'")),
    ]

    static let resets: [Hostile] = [
      Hostile("before the answer", "", ends: .reset, .failure(.connection, "was lost")),
      Hostile(
        "among the headers", Hostile.ok + "Content-Le", ends: .reset,
        .failure(.connection, "was lost")),
      Hostile(
        "in the body", Hostile.ok + "Content-Length: 10\r\n\r\nhello", ends: .reset,
        .failure(.truncatedBody, "ended before the body was complete")),
      Hostile(
        "in a chunk", Hostile.chunked + "9\r\nhello", ends: .reset,
        .failure(.truncatedBody, "ended before")),
      Hostile(
        "in a body without length", Hostile.ok + "\r\nhello", ends: .reset,
        .failure(.truncatedBody, "ended before")),
      Hostile("a close before the answer", "", .failure(.connection, "without a response")),
      Hostile(
        "a close in the status line", "HTTP/1.1 20", .failure(.connection, "without a response")),
      Hostile(
        "a close among the headers", Hostile.ok + "Content-Le",
        .failure(.connection, "in the middle of the response headers")),
      Hostile(
        "a close behind a header", Hostile.ok + "Content-Length: 2\r\n",
        .failure(.connection, "in the middle of the response headers")),
      Hostile(
        "a close behind 100", "HTTP/1.1 100 Continue\r\n\r\n",
        .failure(.connection, "without a response")),
    ]

    static let garbage: [Hostile] = [
      Hostile(
        "every byte there is",
        (0...255).map { String(UnicodeScalar(UInt8($0))) }.joined(),
        .failure(.malformedResponse, "not valid HTTP")),
      Hostile("HTTP/0.9", "hello there", .failure(.malformedResponse, "HTTP/0.9")),
      Hostile(
        "another protocol", "SMTP ready\r\n\r\n", .failure(.malformedResponse, "not valid HTTP")),
      Hostile(
        "an unknown version", "HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\nhi", ends: .wait,
        .failure(.malformedResponse, "version")),
      Hostile("no status", "HTTP/1.1 abc\r\n\r\n", .failure(.malformedResponse, "not valid HTTP")),
      Hostile(
        "small letters", "http/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        .failure(.malformedResponse, "no status line")),
      Hostile(
        "two spaces", "HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\nhi",
        .failure(.malformedResponse, "no status line")),
      Hostile(
        "a negative version", "HTTP/-1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        .failure(.malformedResponse, "no status line")),
      Hostile(
        "a chunk size with a prefix", Hostile.chunked + "0x5\r\nhello\r\n0\r\n\r\n",
        .failure(.malformedResponse, "not valid HTTP")),
      Hostile(
        "a Location with an escape",
        "HTTP/1.1 302 Found\r\nLocation: /\u{1B}[2J\r\nContent-Length: 0\r\n\r\n",
        .failure(.malformedResponse, "redirects to '/?[2J', which is not")),
      Hostile(
        "an empty Location", "HTTP/1.1 302 Found\r\nLocation: \r\nContent-Length: 2\r\n\r\nhi",
        ends: .wait, .text("hi", status: 302)),
      Hostile(
        "status 000", "HTTP/1.1 000 A\r\nContent-Length: 2\r\n\r\nhi", ends: .wait,
        .failure(.malformedResponse, "response code")),
      Hostile(
        "status 099", "HTTP/1.1 099 A\r\nContent-Length: 2\r\n\r\nhi", ends: .wait,
        .failure(.malformedResponse, "not valid HTTP")),
      Hostile(
        "status 20", "HTTP/1.1 20 A\r\nContent-Length: 2\r\n\r\nhi", ends: .wait,
        .failure(.malformedResponse, "response code")),
      Hostile(
        "status 1000", "HTTP/1.1 1000 A\r\nContent-Length: 2\r\n\r\nhi", ends: .wait,
        .failure(.malformedResponse, "response code")),
      Hostile(
        "status -20", "HTTP/1.1 -20 A\r\nContent-Length: 2\r\n\r\nhi", ends: .wait,
        .failure(.malformedResponse, "response code")),
      Hostile(
        "status 999", "HTTP/1.1 999 A\r\nContent-Length: 2\r\n\r\nhi", ends: .wait,
        .text("hi", status: 999)),
      Hostile(
        "101 unasked", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nhi", ends: .wait,
        .failure(.malformedResponse, "response of 101")),
      Hostile(
        "a header without colon", Hostile.ok + "no colon\r\nContent-Length: 2\r\n\r\nhi",
        ends: .wait,
        .failure(.malformedResponse, "Header without colon")),
      Hostile(
        "a zero byte in a header", Hostile.ok + "X-A: a\0b\r\nContent-Length: 2\r\n\r\nhi",
        ends: .wait,
        .failure(.malformedResponse, "Nul byte in header")),
      Hostile(
        "a first header that goes on", Hostile.ok + " folded\r\nContent-Length: 2\r\n\r\nhi",
        ends: .wait,
        .failure(.malformedResponse, "not valid HTTP")),
      Hostile(
        "a header without name", Hostile.ok + ": x\r\nContent-Length: 2\r\n\r\nhi", ends: .wait,
        .text("hi")),
      Hostile(
        "no carriage returns", "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", ends: .wait, .text("hi")),
      Hostile(
        "ten thousand headers",
        Hostile.ok + String(repeating: "X-A: b\r\n", count: 10_000) + "Content-Length: 2\r\n\r\nhi",
        ends: .wait,
        .text("hi")),
      Hostile(
        "a header of 200 KB",
        Hostile.ok + "X-A: " + String(repeating: "a", count: 200 << 10) + "\r\n\r\nhi", ends: .wait,
        .failure(.malformedResponse, "headers of 127.0.0.1")),
      Hostile(
        "two thousand early hints",
        String(repeating: "HTTP/1.1 103 Early\r\nX-A: b\r\n\r\n", count: 2000)
          + Hostile.ok + "Content-Length: 2\r\n\r\nhi", ends: .wait, .text("hi")),
      Hostile(
        "gzip that is none",
        Hostile.ok + "Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!",
        ends: .wait, .failure(.malformedResponse, "not valid gzip")),
      Hostile(
        "deflate that is none",
        Hostile.ok + "Content-Encoding: deflate\r\nContent-Length: 5\r\n\r\n!!!!!", ends: .wait,
        .failure(.malformedResponse, "not valid deflate")),
      Hostile(
        "an unknown encoding",
        Hostile.ok + "Content-Encoding: secret\r\nContent-Length: 2\r\n\r\nhi",
        ends: .wait, .text("hi")),
    ]

    @Test(arguments: lies + chunks + resets + garbage)
    func `is survived`(_ hostile: Hostile) throws {
      let bytes = hostile.answer.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
      let server = try #require(
        RawServer { connection in
          while let request = connection.readRequest() {
            if request.hasPrefix("GET /hostile ") {
              connection.write(bytes)
              // A client that is content with the answer may use the connection again.
              if hostile.ending != .wait { return connection.end(hostile.ending) }
            } else {
              connection.answer("fine")
            }
          }
        })
      var request = HTTPRequest(method: "GET", url: server.url + "/hostile")
      request.limits.timeout = 5
      let result = try harness.send(request)
      switch hostile.outcome {
      case .text(let text, let status):
        #expect(result.error == nil)
        #expect(result.response?.status == status)
        #expect(result.text == text)
      case .failure(let kind, let words):
        #expect(result.error?.kind == kind)
        #expect(
          result.error?.message.contains(words) == true, "\(String(describing: result.error))")
        #expect(result.body == nil)
        // Only of a body that breaks off is it worth knowing what came before.
        #expect(result.response?.status == (kind == .truncatedBody ? 200 : nil))
      }
      #expect(try harness.get(server.url).text == "fine")
      harness.finish()
      server.stop()
    }

    /// What never ends: its beginning, and what comes again and again.
    static let endless: [(start: String, piece: String, kind: TransportError.Kind)] = [
      ("", "x", .malformedResponse),
      ("HTTP/1.1 200 ", "x", .malformedResponse),
      (Hostile.ok, "X-A: b\r\n", .malformedResponse),
      (Hostile.ok + "X-A: ", "x", .malformedResponse),
      ("", "HTTP/1.1 103 Early\r\nX-A: b\r\n\r\n", .malformedResponse),
      ("", "HTTP/1.1 100 Continue\r\n\r\n", .malformedResponse),
      (Hostile.ok + "\r\n", "x", .bodyTooLarge),
      (Hostile.chunked, "5\r\nhello\r\n", .bodyTooLarge),
      (Hostile.chunked + "0\r\n", "X-A: b\r\n", .malformedResponse),
      (Hostile.chunked + "0\r\nX-A: ", "x", .malformedResponse),
      (Hostile.chunked + "5;", "x", .timeout),
    ]

    @Test(arguments: endless)
    func `what never ends is ended`(start: String, piece: String, kind: TransportError.Kind) throws
    {
      let server = try #require(
        RawServer { connection in
          guard let request = connection.readRequest() else { return }
          guard request.hasPrefix("GET /endless ") else { return connection.answer("fine") }
          connection.write(start)
          let pieces = Array(String(repeating: piece, count: 1 + 10_000 / piece.utf8.count).utf8)
          while connection.write(pieces) {}
        })
      var request = HTTPRequest(method: "GET", url: server.url + "/endless")
      request.limits.maxBodySize = 1 << 20
      request.limits.timeout = kind == .timeout ? 0.2 : 20
      let result = try harness.send(request)
      #expect(result.error?.kind == kind, "\(String(describing: result.error))")
      #expect(try harness.get(server.url).text == "fine")
      harness.finish()
      server.stop()
    }
  }
}
