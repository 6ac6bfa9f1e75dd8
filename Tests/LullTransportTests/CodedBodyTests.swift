import LullCore
import LullTestSupport
import LullTesting
import LullTransport
import Synchronization
import Testing

extension TransportSuite {
  /// Bodies with a `Content-Encoding`: whole, cut at every byte, with something behind their end.
  @Suite struct CodedBodyTests {
    let harness: TransportHarness

    init() throws {
      harness = try TransportHarness()
    }

    struct Coded: CustomTestStringConvertible {
      let name: String
      let encoding: String
      let bytes: [UInt8]
      var testDescription: String { name }
    }

    static let codings = [
      Coded(name: "gzip", encoding: "gzip", bytes: CodedText.gzip),
      Coded(name: "x-gzip", encoding: "X-GZIP", bytes: CodedText.gzip),
      Coded(name: "zlib called gzip", encoding: "gzip", bytes: CodedText.zlib),
      Coded(name: "deflate", encoding: "deflate", bytes: CodedText.zlib),
      Coded(name: "deflate without a head", encoding: "deflate", bytes: CodedText.deflate),
      Coded(name: "br", encoding: "br", bytes: CodedText.brotli),
      Coded(name: "zstd", encoding: "zstd", bytes: CodedText.zstd),
      Coded(name: "gzip twice", encoding: "gzip, gzip", bytes: CodedText.gzipTwice),
      Coded(name: "gzip, then br", encoding: "gzip , br", bytes: CodedText.gzipInBrotli),
      Coded(
        name: "two headers", encoding: "gzip\r\nContent-Encoding: br", bytes: CodedText.gzipInBrotli
      ),
      Coded(name: "two members", encoding: "gzip", bytes: CodedText.gzip + CodedText.gzip),
      Coded(name: "two frames", encoding: "zstd", bytes: CodedText.zstd + CodedText.zstd),
      Coded(
        name: "a frame to skip", encoding: "zstd",
        bytes: [0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3] + CodedText.zstd),
    ]

    /// Answers each request with what `answers` has next, on one connection or many.
    private func serving(_ answers: [(head: String, body: [UInt8])]) throws -> RawServer {
      let left = Mutex(answers[...])
      return try #require(
        RawServer { connection in
          while connection.readRequest() != nil {
            guard let answer = left.withLock({ $0.popFirst() }) else { return }
            // At once: of two pieces the second would wait for the first to be acknowledged.
            connection.write(Array(("HTTP/1.1 " + answer.head + "\r\n\r\n").utf8) + answer.body)
          }
        })
    }

    private static func head(_ coded: Coded, _ length: Int) -> String {
      "200 OK\r\nContent-Encoding: \(coded.encoding)\r\nContent-Length: \(length)"
    }

    private static func text(of coded: Coded) -> [UInt8] {
      coded.name.hasPrefix("two members") || coded.name.hasPrefix("two frames")
        ? CodedText.plain + CodedText.plain : CodedText.plain
    }

    @Test(arguments: codings)
    func `is decoded`(_ coded: Coded) throws {
      let server = try serving([(Self.head(coded, coded.bytes.count), coded.bytes)])
      let result = try harness.get(server.url)
      #expect(result.error == nil)
      #expect(result.body == Self.text(of: coded))
      #expect(harness.log.count == 1)
      harness.finish()
      server.stop()
    }

    /// One byte a chunk, so that every state is left and entered again.
    @Test(arguments: codings)
    func `is decoded byte by byte`(_ coded: Coded) throws {
      let chunks = coded.bytes.flatMap { Array("1\r\n".utf8) + [$0] + Array("\r\n".utf8) }
      let head = "200 OK\r\nContent-Encoding: \(coded.encoding)\r\nTransfer-Encoding: chunked"
      let server = try serving([(head, chunks + Array("0\r\n\r\n".utf8))])
      let result = try harness.get(server.url)
      #expect(result.error == nil)
      #expect(result.body == Self.text(of: coded))
      harness.finish()
      server.stop()
    }

    /// The answer is complete as far as HTTP knows; what was coded is not.
    @Test(arguments: codings)
    func `what is cut is no body`(_ coded: Coded) throws {
      let ends = coded.name.hasPrefix("two ") ? [coded.bytes.count / 2] : []
      let starts = coded.name == "a frame to skip" ? [11] : []
      let lengths = (1..<coded.bytes.count).filter { !ends.contains($0) && !starts.contains($0) }
      let server = try serving(
        lengths.map { (Self.head(coded, $0), Array(coded.bytes.prefix($0))) })
      for length in lengths {
        let result = try harness.get(server.url)
        #expect(result.error?.kind == .truncatedBody, "after \(length) bytes")
        #expect(result.error?.message.contains("is truncated: its ") == true)
        #expect(result.body == nil)
        #expect(result.response?.status == 200, "what came before the body is known")
      }
      #expect(server.connectionCount == 1, "the connection is as good as before")
      harness.finish()
      server.stop()
    }

    @Test(arguments: codings)
    func `a changed byte is no crash`(_ coded: Coded) throws {
      let changed = coded.bytes.indices.map { index in
        var bytes = coded.bytes
        bytes[index] ^= 0x55
        return bytes
      }
      let server = try serving(changed.map { (Self.head(coded, $0.count), $0) })
      for index in changed.indices {
        let error = try harness.get(server.url).error
        let kinds: [TransportError.Kind] = [.malformedResponse, .truncatedBody]
        // Not every byte matters: gzip's head has a time, and brotli and bare deflate no checksum.
        if let error { #expect(kinds.contains(error.kind), "byte \(index): \(error)") }
      }
      harness.finish()
      server.stop()
    }

    @Test(arguments: codings)
    func `what stands behind the end is left out and told`(_ coded: Coded) throws {
      let bytes = coded.bytes + Array("rubbish".utf8)
      let server = try serving([(Self.head(coded, bytes.count), bytes)])
      let result = try harness.get(server.url)
      #expect(result.error == nil)
      #expect(result.body == Self.text(of: coded))
      #expect(
        harness.log.last?.contains("7 bytes after the end of its ") == true, "\(harness.log)")
      harness.finish()
      server.stop()
    }

    @Test(arguments: codings)
    func `no body is an empty one`(_ coded: Coded) throws {
      let server = try serving([
        (Self.head(coded, 0), []),
        (
          "200 OK\r\nContent-Encoding: \(coded.encoding)\r\nTransfer-Encoding: chunked",
          Array("0\r\n\r\n".utf8)
        ),
        ("204 None\r\nContent-Encoding: \(coded.encoding)", []),
        ("304 Same\r\nContent-Encoding: \(coded.encoding)\r\nContent-Length: 100", []),
        ("200 OK\r\nContent-Encoding: \(coded.encoding)\r\nContent-Length: 100", []),
      ])
      for status in [200, 200, 204, 304] {
        let result = try harness.get(server.url)
        #expect(result.error == nil)
        #expect(result.response?.status == status)
        #expect(result.body == [])
      }
      let result = try harness.send(HTTPRequest(method: "HEAD", url: server.url))
      #expect(result.error == nil)
      #expect(result.response?.status == 200)
      harness.finish()
      server.stop()
    }

    @Test(arguments: ["identity", "none", "", " , identity", "IDENTITY"])
    func `a plain body may be called so`(_ encoding: String) throws {
      let server = try serving([
        ("200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: 2", Array("hi".utf8))
      ])
      #expect(try harness.get(server.url).text == "hi")
      #expect(harness.log.count == 1)
      harness.finish()
      server.stop()
    }

    @Test(arguments: ["secret", "utf-8", "gzip, secret", "secret, gzip", "compress", "\u{1B}[2J"])
    func `what nobody can decode is given as it came`(_ encoding: String) throws {
      let server = try serving([
        ("200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: 2", Array("hi".utf8))
      ])
      let result = try harness.get(server.url)
      #expect(result.error == nil)
      #expect(result.text == "hi")
      let line = harness.log.last ?? ""
      #expect(line.contains("which is not supported: it is not decoded"))
      #expect(!line.contains("\u{1B}"))
      harness.finish()
      server.stop()
    }

    @Test func `too many codings are refused`() throws {
      let encoding = Array(repeating: "gzip", count: 6).joined(separator: ", ")
      let server = try serving([
        ("200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: 2", Array("hi".utf8))
      ])
      let error = try harness.get(server.url).error
      #expect(error?.kind == .malformedResponse)
      #expect(error?.message.contains("more than 5 encodings") == true)
      harness.finish()
      server.stop()
    }

    /// Bytes of a part are bytes of what is coded. (RFC 9110, 14.2)
    @Test func `a part is not decoded`() throws {
      let part = Array(CodedText.gzip[20..<60])
      let server = try serving([
        (
          "206 Part\r\nContent-Encoding: gzip\r\nContent-Range: bytes 20-59/147\r\n"
            + "Content-Length: \(part.count)", part
        )
      ])
      var request = HTTPRequest(method: "GET", url: server.url)
      request.headers["range"] = "bytes=20-59"
      let result = try harness.send(request)
      #expect(result.body == part)
      #expect(harness.log.last?.contains("a partial response (206) is not decoded") == true)
      #expect(server.requests.first?.lowercased().contains("accept-encoding: identity\r\n") == true)
      harness.finish()
      server.stop()
    }

    @Test func `what takes the body piece by piece gets it decoded`() throws {
      let taken = Mutex<[UInt8]>([])
      let sink = BodySink(
        begin: { _ in true },
        take: { bytes in
          taken.withLock { $0 += bytes }
          return .more
        })
      let cut = CodedText.gzip.dropLast(9)
      let server = try serving([
        (Self.head(Self.codings[0], CodedText.gzip.count), CodedText.gzip),
        (Self.head(Self.codings[0], cut.count), Array(cut)),
      ])
      let result = try harness.get(server.url) { $0.sink = sink }
      #expect(result.error == nil)
      #expect(taken.withLock { $0 } == CodedText.plain)
      #expect(try harness.get(server.url) { $0.sink = sink }.error?.kind == .truncatedBody)
      harness.finish()
      server.stop()
    }
  }
}
