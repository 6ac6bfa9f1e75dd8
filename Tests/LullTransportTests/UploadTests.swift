import LullLibC
import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// Bodies that are read from files while they are sent.
  @Suite struct UploadTests: UploadFixture {
    let harness: TransportHarness
    let folder: TemporaryDirectory

    init() throws {
      harness = try TransportHarness()
      folder = try #require(TemporaryDirectory())
    }

    // MARK: What arrives

    @Test(
      arguments: ["PUT", "POST", "PATCH", "GET", "DELETE", "HEAD", "OPTIONS"] as [RequestMethod])
    func `BODY-01 a file arrives as it is, with its length, whichever the method`(
      _ method: RequestMethod
    )
      throws
    {
      let server = try #require(
        RawServer { connection in
          guard let head = connection.readHead() else { return }
          let isWhole = connection.bytes(Uploads.bytes.count) == Uploads.bytes
          connection.note(head.lowercased())
          connection.note(isWhole ? "whole" : "broken")
          connection.answer("")
        })
      let result = try harness.send(try request(server.url + "/a", upload(), method: method))
      #expect(result.error == nil)
      #expect(result.response?.status == 200)
      #expect(
        server.requests.first?.hasPrefix("\(method.rawValue.lowercased()) /a http/1.1\r\n") == true)
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
        #expect(nginx.uploaded(name) == Uploads.bytes)
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
      #expect(nginx.uploaded("tls") == Uploads.bytes)
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
      #expect(nginx.uploaded("redirected") == Uploads.bytes)
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
            connection.answer(connection.read(Uploads.large) ? "whole" : "cut")
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

    // MARK: How it goes

    @Test func `BODY-07 what has been sent is counted, and the total is known`() throws {
      let server = try #require(
        RawServer { connection in
          guard connection.readHead() != nil, connection.read(1 << 20) else { return }
          connection.waitForClose()
        })
      let size = Uploads.large
      let transfer = harness.start(try request(server.url, sparse("large")))
      #expect(transfer.transferMetrics == RequestTransferMetrics(requestBytesTotal: size))
      harness.turn { transfer.transferMetrics.requestBytesSent >= 1 << 20 }
      #expect(transfer.transferMetrics.requestBytesTotal == size)
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
      #expect(error?.message.hasSuffix("for 0.1 s (idle_timeout)") == true)
      finish(server)
    }

    @Test func `BODY-09 who cannot stream it may have its bytes`() throws {
      #expect(try StreamedBody(upload()).bytes() == Uploads.bytes)
      let large = folder.path + "/large"
      _ = sparse("large")
      truncate(large, off_t(StreamedBody.largestInMemory + 1))
      let body = try StreamedBody(UploadFile(ByteString(large)))
      let error = #expect(throws: TransportError.self) { try body.bytes() }
      #expect(error?.message.hasSuffix("100 MB in memory") == true)
      finish()
    }
  }
}
