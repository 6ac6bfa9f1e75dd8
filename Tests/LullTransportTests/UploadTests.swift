import Glibc
import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// Bodies that are read from files while they are sent.
  @Suite struct UploadTests {
    let harness: TransportHarness
    let folder: TemporaryDirectory

    init() throws {
      harness = try TransportHarness()
      folder = try #require(TemporaryDirectory())
    }

    /// More than curl asks for at once, and no multiple of it.
    private static let bytes = (0..<300_007).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }

    private func upload(_ name: String = "a.bin", _ bytes: [UInt8] = bytes) -> UploadFile {
      folder.write(name, bytes)
      return UploadFile(ByteString(folder.path + "/" + name))
    }

    /// A file of zeros, more of them than sockets hold back.
    private func sparse(_ name: String) -> UploadFile {
      folder.write(name, [])
      truncate(folder.path + "/" + name, off_t(UploadTests.large))
      return UploadFile(ByteString(folder.path + "/" + name))
    }

    private static let large = 32 << 20

    private func request(
      _ url: String, _ file: UploadFile, method: String = "PUT"
    ) throws -> HTTPRequest {
      var request = HTTPRequest(method: method, url: url)
      request.stream(try StreamedBody(file))
      return request
    }

    private func finish(_ server: RawServer? = nil) {
      harness.finish()
      server?.stop()
      folder.remove()
    }

    // MARK: What arrives

    @Test(arguments: ["PUT", "POST", "PATCH", "GET", "DELETE", "HEAD", "OPTIONS"])
    func `BODY-01 a file arrives as it is, with its length, whichever the method`(_ method: String)
      throws
    {
      let server = try #require(
        RawServer { connection in
          guard let head = connection.readHead() else { return }
          let isWhole = connection.bytes(UploadTests.bytes.count) == UploadTests.bytes
          connection.note(head.lowercased())
          connection.note(isWhole ? "whole" : "broken")
          connection.answer("")
        })
      let result = try harness.send(try request(server.url + "/a", upload(), method: method))
      #expect(result.error == nil)
      #expect(result.response?.status == 200)
      #expect(server.requests.first?.hasPrefix("\(method.lowercased()) /a http/1.1\r\n") == true)
      #expect(server.requests.first?.contains("content-length: 300007\r\n") == true)
      #expect(server.requests.first?.contains("expect:") == false)
      #expect(server.requests.last == "whole")
      finish(server)
    }

    @Test func `BODY-01 an empty file is a body of no bytes`() throws {
      let server = try #require(
        RawServer {
          $0.readRequest(); $0.answer("ok")
        })
      let result = try harness.send(try request(server.url, upload("empty", [])))
      #expect(result.text == "ok")
      #expect(server.requests.first?.lowercased().contains("content-length: 0\r\n") == true)
      finish(server)
    }

    @Test func `BODY-01 a body of bytes after one of a file, and the other way, on one handle`()
      throws
    {
      let nginx = try #require(NginxServer.shared)
      for name in ["one", "two"] {
        let result = try harness.send(try request(nginx.url + "/upload/\(name)", upload()))
        #expect([201, 204].contains(result.response?.status))
        #expect(nginx.uploaded(name) == UploadTests.bytes)
        let text = HTTPRequest(
          method: "PUT", url: nginx.url + "/upload/\(name).txt", body: Array("plain \(name)".utf8))
        #expect(try harness.send(text).error == nil)
        #expect(nginx.uploaded("\(name).txt") == Array("plain \(name)".utf8))
        let none = HTTPRequest(method: "GET", url: nginx.url + "/echo")
        #expect(try harness.send(none).text?.hasPrefix("GET|||") == true)
      }
      finish()
    }

    @Test func `BODY-01 it arrives over HTTP 2 as well`() throws {
      let nginx = try #require(NginxServer.shared)
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      let sent = try request(nginx.tlsURL + "/upload/tls", upload())
      #expect([201, 204].contains(try harness.send(sent).response?.status))
      #expect(nginx.uploaded("tls") == UploadTests.bytes)
      harness.finish()
      finish()
    }

    @Test func `BODY-10 BODY-13 a form arrives with its files between its texts, and its length`()
      throws
    {
      let server = try #require(
        RawServer {
          $0.readRequest(); $0.answer("ok")
        })
      let (body, type) = try StreamedBody.form(
        MultipartForm([
          .init("a", "one"), .init("f", upload("a.txt", Array("file".utf8))), .init("b", "two"),
          .init("g", upload("empty", [])),
        ]))
      var request = HTTPRequest(method: "POST", url: server.url)
      request.stream(body)
      #expect(try harness.send(request).text == "ok")
      let boundary = try #require(type.split(separator: "=").last)
      let disposition = "\r\ncontent-disposition: form-data; name="
      #expect(
        server.requests.first?.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
          == "--\(boundary)\(disposition)\"a\"\r\n\r\none\r\n--\(boundary)\(disposition)\"f\"; "
          + "filename=\"a.txt\"\r\ncontent-type: text/plain\r\n\r\nfile\r\n--\(boundary)"
          + "\(disposition)\"b\"\r\n\r\ntwo\r\n--\(boundary)\(disposition)\"g\"; filename=\"empty\""
          + "\r\ncontent-type: application/octet-stream\r\n\r\n\r\n--\(boundary)--\r\n")
      #expect(request.limits.timeout == .infinity)
      finish(server)
    }

    @Test(arguments: [0, 1, 57, 58, 4000, 300_200])
    func `BODY-05 reading goes on from any place`(_ position: Int) throws {
      let (body, _) = try StreamedBody.form(
        MultipartForm([.init("a", "one"), .init("f", upload()), .init("b", "two")]))
      let all = try body.bytes()
      #expect(all.count == body.byteCount)
      let reader = try BodyReader(body)
      var start = [UInt8](repeating: 0, count: 1000)
      #expect(start.withUnsafeMutableBytes { reader.read(into: $0) } == 1000)
      #expect(reader.seek(to: position))
      var rest: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 777)
      while case let count? = piece.withUnsafeMutableBytes({ reader.read(into: $0) }), count > 0 {
        rest += piece[..<count]
      }
      #expect(rest == Array(all[position...]))
      #expect(!reader.seek(to: all.count + 1))
      finish()
    }

    // MARK: Once more

    @Test func `BODY-05 a redirect that keeps the body reads it from its beginning`() throws {
      let nginx = try #require(NginxServer.shared)
      let result = try harness.send(try request(nginx.url + "/up307", upload()))
      #expect([201, 204].contains(result.response?.status))
      #expect(nginx.uploaded("redirected") == UploadTests.bytes)
      finish()
    }

    @Test func `BODY-05 a redirect that takes the body away sends none`() throws {
      let nginx = try #require(NginxServer.shared)
      let sent = try request(nginx.url + "/303", upload())
      #expect(try harness.send(sent).text?.hasPrefix("GET|||") == true)
      finish()
    }

    @Test func `BODY-05 a kept connection that has ended is replaced, and the file read anew`()
      throws
    {
      let server = try #require(
        RawServer { connection in
          guard connection.readRequest() != nil else { return }
          connection.answer("\(connection.port)")
          // The next one begins here, and finds nobody.
          _ = connection.readHead()
        })
      let file = upload("small", Array("twice".utf8))
      for _ in 0..<2 {
        #expect(try harness.send(try request(server.url, file)).response?.status == 200)
      }
      #expect(server.requests.count == 2)
      #expect(server.requests.allSatisfy { $0.hasSuffix("\r\n\r\ntwice") })
      #expect(server.connectionCount == 2)
      finish(server)
    }

    @Test func `BODY-05 a retry reads it from its beginning`() throws {
      let server = try #require(
        RawServer { connection in
          guard connection.readRequest() != nil else { return }
          let status = connection.requestCount < 3 ? "503 No" : "200 OK"
          connection.write("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        })
      let service = Service(
        baseURL: server.url, networking: harness.provider, pump: harness.loop.pump)
      service.configure { settings in
        settings.retry = RetryPolicy()
        settings.retry?.backoff.base = 0.001
      }
      let request = service.resource("/a").request(
        "PUT", file: upload("a.txt", Array("again".utf8)))
      harness.turn { request.isCompleted }
      #expect(request.response?.error == nil)
      #expect(request.attempts.count == 3)
      #expect(server.requests.count == 3)
      #expect(server.requests.allSatisfy { $0.hasSuffix("\r\n\r\nagain") })
      harness.loop.turn(.noWait)
      finish(server)
    }

    @Test(arguments: ["307 Elsewhere", "413 Too Large"])
    func `BODY-05 an answer before the whole body has gone out counts`(_ status: String) throws {
      let server = try #require(
        RawServer { connection in
          guard let head = connection.readHead() else { return }
          guard head.hasPrefix("PUT /from") else {
            connection.answer(connection.read(UploadTests.large) ? "whole" : "cut")
            return
          }
          // Not before some of the body is here.
          _ = connection.read(1 << 20)
          connection.write("HTTP/1.1 \(status)\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n")
          connection.waitForClose()
        })
      let result = try harness.send(try request(server.url + "/from", sparse("large")))
      #expect(result.error == nil)
      #expect(result.response?.status == (status.hasPrefix("413") ? 413 : 200))
      if status.hasPrefix("307") { #expect(result.text == "whole") }
      finish(server)
    }

    // MARK: What changes

    @Test func `BODY-03 what cannot be read is told in the words of the system`() throws {
      folder.write("secret", [1])
      for (name, problem) in [
        ("none", "No such file or directory"), ("", "is a directory"),
        ("a.bin/x", "Not a directory"),
      ] {
        _ = upload()
        let path = folder.path + (name.isEmpty ? "" : "/" + name)
        let error = #expect(throws: TransportError.self) {
          try StreamedBody(UploadFile(ByteString(path)))
        }
        #expect(error?.kind == .fileUnavailable)
        #expect(error?.message == "cannot read '\(path)': \(problem)")
      }
      mkfifo(folder.path + "/pipe", 0o600)
      let error = #expect(throws: TransportError.self) {
        try StreamedBody(UploadFile(ByteString(folder.path + "/pipe")))
      }
      #expect(error?.message.hasSuffix("is not a regular file") == true)
      finish()
    }

    @Test(arguments: ["longer", "other time", "another file", "gone"])
    func `BODY-04 a file that changes before it is sent is not sent`(_ change: String) throws {
      let server = try #require(
        RawServer {
          $0.readRequest(); $0.answer("ok")
        })
      let file = upload()
      let sent = try request(server.url, file)
      let path = folder.path + "/a.bin"
      switch change {
      case "longer": folder.write("a.bin", UploadTests.bytes + [0])
      case "other time":
        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        utimensat(AT_FDCWD, path, &times, 0)
      case "another file":
        folder.write("b.bin", UploadTests.bytes)
        rename(folder.path + "/b.bin", path)
      default: unlink(path)
      }
      let error = try #require(try harness.send(sent).error)
      #expect(error.kind == (change == "gone" ? .fileUnavailable : .fileChanged))
      #expect(error.message.contains("'\(path)'"))
      #expect(error.isFinal)
      #expect(server.connectionCount == 0)
      finish(server)
    }

    @Test(arguments: ["shorter", "overwritten", "another file"])
    func `BODY-04 a file that changes while it is sent does not arrive as a whole`(_ change: String)
      throws
    {
      let size = UploadTests.large
      let begun = Flag()
      let goOn = Flag()
      let server = try #require(
        RawServer { connection in
          guard connection.readHead() != nil, connection.read(1 << 16) else { return }
          begun.set()
          _ = goOn.wait()
          connection.note(connection.read(size - 1 << 16) ? "whole" : "cut")
        })
      var result: NetworkResult?
      harness.start(try request(server.url, sparse("large"))) { result = $0 }
      harness.turn { begun.isSet }
      let path = folder.path + "/large"
      switch change {
      case "shorter": truncate(path, 1 << 20)
      case "overwritten":
        let file = open(path, O_WRONLY)
        pwrite(file, "x", 1, 0)
        close(file)
      default:
        _ = sparse("other")
        rename(folder.path + "/other", path)
      }
      goOn.set()
      harness.turn { result != nil && !server.requests.isEmpty }
      #expect(result?.error?.kind == .fileChanged)
      #expect(server.requests == ["cut"])
      let expected =
        change == "shorter"
        ? "'\(path)' ended while it was sent, after" : "'\(path)' has changed since the request"
      #expect(result?.error?.message.hasPrefix(expected) == true)
      finish(server)
    }

    @Test func `BODY-04 one that changes on its way over HTTP 2 does not arrive either`() throws {
      let nginx = try #require(NginxServer.shared)
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      var result: NetworkResult?
      let sent = try request(nginx.tlsURL + "/upload/changed", sparse("large"))
      let transfer = harness.start(sent) { result = $0 }
      harness.turn { transfer.metrics.sent > 0 }
      #expect(transfer.metrics.sent < UploadTests.large)
      truncate(folder.path + "/large", 1)
      harness.turn { result != nil }
      #expect(result?.error?.kind == .fileChanged)
      #expect(nginx.uploaded("changed") == nil)
      // The connection goes on.
      let next = try request(nginx.tlsURL + "/upload/next", upload())
      #expect([201, 204].contains(try harness.send(next).response?.status))
      #expect(nginx.uploaded("next") == UploadTests.bytes)
      harness.finish()
      finish()
    }

    @Test func `BODY-04 a file that loses its name while it is sent is sent all the same`() throws {
      let begun = Flag()
      let goOn = Flag()
      let server = try #require(
        RawServer { connection in
          guard connection.readHead() != nil, connection.read(1) else { return }
          begun.set()
          _ = goOn.wait()
          if connection.read(UploadTests.large - 1) { connection.answer("whole") }
        })
      var result: NetworkResult?
      harness.start(try request(server.url, sparse("large"))) { result = $0 }
      harness.turn { begun.isSet }
      unlink(folder.path + "/large")
      goOn.set()
      harness.turn { result != nil }
      #expect(result?.text == "whole")
      finish(server)
    }

    // MARK: How it goes

    @Test func `BODY-07 what has been sent is counted, and the total is known`() throws {
      let server = try #require(
        RawServer { connection in
          guard connection.readHead() != nil, connection.read(1 << 20) else { return }
          connection.waitForClose()
        })
      let size = UploadTests.large
      let transfer = harness.start(try request(server.url, sparse("large")))
      #expect(transfer.metrics == TransferMetrics(toSend: size))
      harness.turn { transfer.metrics.sent >= 1 << 20 }
      #expect(transfer.metrics.toSend == size)
      transfer.cancel()
      harness.loop.turn(.noWait)
      finish(server)
    }

    @Test func `BODY-06 silence bounds it instead of a timeout`() throws {
      var request = HTTPRequest(method: "PUT", url: "http://localhost/")
      request.limits.timeout = 5
      request.stream(try StreamedBody(upload()))
      #expect(request.limits.timeout == .infinity)
      #expect(request.options?.idleTimeout == 60)
      request = HTTPRequest(method: "PUT", url: "http://localhost/")
      request.limits.timeout = 300
      request.stream(try StreamedBody(upload()))
      #expect(request.options?.idleTimeout == 300)
      let server = try #require(
        RawServer { connection in
          _ = connection.readHead()
          connection.waitForClose()
        })
      request = HTTPRequest(method: "PUT", url: server.url)
      request.options = TransferOptions()
      request.options?.idleTimeout = 0.1
      request.stream(try StreamedBody(upload()))
      let error = try harness.send(request).error
      #expect(error?.message.hasSuffix("stood still for 0.1 s (idle_timeout)") == true)
      finish(server)
    }

    @Test func `BODY-09 who cannot stream it may have its bytes`() throws {
      #expect(try StreamedBody(upload()).bytes() == UploadTests.bytes)
      let large = folder.path + "/large"
      _ = sparse("large")
      truncate(large, off_t(StreamedBody.largestInMemory + 1))
      let body = try StreamedBody(UploadFile(ByteString(large)))
      let error = #expect(throws: TransportError.self) { try body.bytes() }
      #expect(error?.message.hasSuffix("more than the 100 MB that are read into memory") == true)
      finish()
    }
  }
}
