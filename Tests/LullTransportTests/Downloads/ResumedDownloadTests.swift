import LullLibC
import LullCore
import LullSystem
import LullTransport
import Testing

extension TransportSuite {
  /// Downloads that go on where one before has ended.
  @Suite struct ResumedDownloadTests {
    private typealias Fixture = DownloadFixture
    private let fixture: DownloadFixture

    init() throws { fixture = try DownloadFixture() }

    private static let asked = ["if-range: \"a\"", "range: bytes=5-"]

    @Test func `DWN-04 DWN-06 it goes on with what is there`() throws {
      let server = try fixture.server([Fixture.half, Fixture.part("5-9/10", "world")])
      #expect(fixture.download(server)?.error != nil)
      #expect(fixture.files == ["a.part", "a.part.lull"])
      let entity = fixture.download(server)?.entity
      #expect(entity?.text == fixture.path("a"))
      #expect(entity?.exchange?.status == 206)
      #expect(fixture.text("a") == "helloworld")
      #expect(fixture.files == ["a"])
      #expect(server.ranges == [[], Self.asked])
      fixture.finish()
    }

    @Test func `DWN-05 by a date that is old enough`() throws {
      let modified = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"
      let date = "Date: Sun, 06 Nov 1994 08:50:37 GMT"
      let server = try fixture.server([
        Fixture.whole("hello", length: 10, [modified, date]),
        Fixture.part("5-9/10", "world", [modified]),
      ])
      #expect(fixture.download(server)?.error != nil)
      #expect(fixture.download(server)?.isSuccess == true)
      #expect(fixture.text("a") == "helloworld")
      #expect(
        server.ranges == [[], ["if-range: sun, 06 nov 1994 08:49:37 gmt", "range: bytes=5-"]])
      fixture.finish()
    }

    @Test(arguments: [
      [], ["ETag: W/\"a\""], ["ETag: \"a\"", "Accept-Ranges: none"],
      ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"],
    ])
    func `DWN-05 DWN-06 what cannot be gone on with is kept, and loaded anew`(_ headers: [String])
      throws
    {
      let server = try fixture.server([
        Fixture.whole("hello", length: 10, headers), Fixture.whole("HELLOWORLD", headers),
      ])
      #expect(fixture.download(server)?.error != nil)
      #expect(fixture.files == ["a.part", "a.part.lull"])
      #expect(fixture.text("a.part") == "hello")
      #expect(fixture.download(server)?.isSuccess == true)
      #expect(fixture.text("a") == "HELLOWORLD")
      #expect(server.ranges == [[], []])
      fixture.finish()
    }

    private static let whole = Fixture.whole("HELLOWORLD", ["ETag: \"b\""])

    /// What comes instead of the rest, and whether the whole has to be asked for once more.
    static let misfits: [(answer: String, isAskedAgain: Bool)] = [
      (whole, false),
      (Fixture.part("0-9/10", "helloworld"), true),
      (Fixture.part("6-9/10", "orld"), true),
      (Fixture.part("5-10/11", "world!"), true),
      (Fixture.part("5-9/10", "world", ["ETag: \"b\""]), true),
      (Fixture.part("5-9/10", "world", ["Content-Encoding: gzip"]), true),
      (Fixture.answer("206 Partial Content", ["Content-Length: 5"], "world"), true),
      (
        Fixture.answer(
          "206 Partial Content",
          ["Content-Type: multipart/byteranges; boundary=x", "Content-Length: 5"], "--x--"), true
      ),
      (Fixture.answer("416 No", ["Content-Range: bytes */3", "Content-Length: 0"], ""), true),
      (Fixture.answer("416 No", ["Content-Length: 0"], ""), true),
    ]

    @Test(arguments: misfits.indices, [false, true])
    func `DWN-07 DWN-08 DWN-09 what does not fit is replaced by the whole`(
      index: Int, retries: Bool
    ) throws {
      let (answer, isAskedAgain) = Self.misfits[index]
      let server = try fixture.server(
        [Fixture.half, answer] + (isAskedAgain ? [Self.whole] : []))
      if retries {
        // Within one request, for which nothing has to be kept.
        let response = fixture.download(server, resume: false) { settings in
          settings.retry = RetryPolicy()
          settings.retry?.backoff.base = 0.001
          settings.retry?.times = 1
        }
        #expect(response?.isSuccess == true, "\(response as Any)")
      } else {
        #expect(fixture.download(server)?.error != nil)
        #expect(fixture.download(server)?.isSuccess == true)
      }
      #expect(fixture.text("a") == "HELLOWORLD")
      #expect(fixture.files == ["a"])
      #expect(server.ranges == [[], Self.asked] + (isAskedAgain ? [[]] : []))
      fixture.finish()
    }

    @Test func `DWN-04 a retry asks for what is missing`() throws {
      let server = try fixture.server([
        Fixture.half, Fixture.answer("503 No", ["Content-Length: 0"], ""),
        Fixture.part("5-9/10", "wo", ["ETag: \"a\""]).replacing(
          "Content-Length: 2", with: "Content-Length: 5"),
        Fixture.part("7-9/10", "rld"),
      ])
      let request = fixture.service(server.url) { settings in
        settings.retry = RetryPolicy()
        settings.retry?.backoff.base = 0.001
      }.resource("/f").download(to: fixture.path("a"))
      #expect(fixture.end(request)?.isSuccess == true)
      #expect(fixture.text("a") == "helloworld")
      #expect(
        server.ranges == [[], Self.asked, Self.asked, ["if-range: \"a\"", "range: bytes=7-"]])
      #expect(
        request.attempts.map(\.outcome) == [
          .failure(.truncatedBody), .status(503), .failure(.truncatedBody), .status(206),
        ])
      fixture.finish()
    }

    @Test func `DWN-07 less than the rest is gone on with`() throws {
      let server = try fixture.server([
        Fixture.half, Fixture.part("5-6/10", "wo"), Fixture.part("7-7/*", "r"),
        Fixture.part("8-9/10", "ld"),
      ])
      #expect(fixture.download(server)?.error != nil)
      #expect(fixture.download(server)?.isSuccess == true)
      #expect(fixture.text("a") == "helloworld")
      #expect(
        server.ranges.map { $0.last } == [
          nil, "range: bytes=5-", "range: bytes=7-", "range: bytes=8-",
        ])
      fixture.finish()
    }

    @Test func `DWN-07 a part that is shorter than it says fails`() throws {
      let server = try fixture.server([Fixture.half, Fixture.part("5-9/10", "wo")])
      #expect(fixture.download(server)?.error != nil)
      let error = fixture.download(server)?.error
      #expect(error?.userMessage.contains("ended before") == true, "\(error as Any)")
      #expect(fixture.text("a") == nil)
      #expect(fixture.text("a.part") == "hellowo")
      fixture.finish()
    }

    @Test func `DWN-07 of a part that is longer than it says the whole is asked for`() throws {
      let server = try fixture.server([
        Fixture.half, Fixture.part("5-9/10", "world!"),
        Fixture.answer("200 OK", ["Content-Length: 10"], "HELLOWORLD"),
      ])
      #expect(fixture.download(server)?.error != nil)
      #expect(fixture.download(server)?.isSuccess == true)
      #expect(fixture.text("a") == "HELLOWORLD")
      #expect(fixture.files == ["a"])
      #expect(server.ranges.last == [])
      fixture.finish()
    }

    @Test(arguments: ["204 No Content", "205 Reset Content", "300 Multiple Choices", "301 Moved"])
    func `DWN-08 what is no file leaves the file and the part`(status: String) throws {
      let server = try fixture.server([
        Fixture.half, Fixture.answer(status, ["Connection: close"], ""),
        Fixture.part("5-9/10", "world"),
      ])
      #expect(fixture.download(server)?.error != nil)
      let error = fixture.download(server)?.error
      #expect(error?.userMessage.contains("is not a file") == true, "\(error as Any)")
      #expect(fixture.text("a") == nil)
      #expect(fixture.text("a.part") == "hello")
      #expect(fixture.download(server)?.isSuccess == true)
      #expect(fixture.text("a") == "helloworld")
      fixture.finish()
    }

    @Test func `DWN-09 a 416 completes what has no length`() throws {
      let chunked = Fixture.answer(
        "200 OK", ["Transfer-Encoding: chunked", "ETag: \"a\""], "a\r\nhelloworld\r\n")
      let server = try fixture.server([
        chunked, Fixture.answer("416 No", ["Content-Range: bytes */10", "Content-Length: 0"], ""),
      ])
      #expect(fixture.download(server)?.error != nil)
      #expect(fixture.download(server)?.entity?.text == fixture.path("a"))
      #expect(fixture.text("a") == "helloworld")
      #expect(fixture.files == ["a"])
      #expect(server.ranges.last == ["if-range: \"a\"", "range: bytes=10-"])
      fixture.finish()
    }

    @Test func `DWN-04 of what was complete the last byte is asked for again`() throws {
      let server = try fixture.server([
        Fixture.whole("helloworld", length: 11), Fixture.part("10-10/11", "!"),
      ])
      #expect(fixture.download(server)?.error != nil)
      // As if it had been killed between the last byte and the name.
      fixture.folder.write("a.part", Array("helloworld!".utf8))
      #expect(fixture.download(server)?.isSuccess == true)
      #expect(fixture.text("a") == "helloworld!")
      #expect(server.ranges.last == ["if-range: \"a\"", "range: bytes=10-"])
      fixture.finish()
    }

    @Test func `DWN-06 an error in between leaves what is there`() throws {
      let server = try fixture.server([
        Fixture.half, Fixture.answer("500 Oops", ["Content-Length: 4"], "oops"),
        Fixture.part("5-9/10", "world"),
      ])
      #expect(fixture.download(server)?.error != nil)
      #expect(fixture.download(server)?.error?.httpStatusCode == 500)
      #expect(fixture.text("a.part") == "hello")
      #expect(fixture.download(server)?.isSuccess == true)
      #expect(fixture.text("a") == "helloworld")
      fixture.finish()
    }

    // MARK: Who else is there

    @Test func `DWN-10 a second one to the same part fails, and cancelling lets it go`() throws {
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 10\r\n\r\nhello")
          connection.waitForClose()
        })
      let resource = fixture.service(server.url).resource("/f")
      let first = resource.download(to: fixture.path("a"), resume: true)
      fixture.harness.turn { fixture.text("a.part") == "hello" }
      let second = fixture.end(resource.download(to: fixture.path("a"), resume: true))
      #expect(
        second?.error?.userMessage
          == "cannot write \(fixture.path("a")): \(fixture.path("a.part")) "
          + "is already being downloaded, by this process or another")
      #expect(server.requests.count == 1)
      first.cancel()
      #expect(fixture.files == ["a.part", "a.part.lull"], "the second has taken nothing away")
      fixture.harness.loop.turn(.noWait)
      server.stop()
      let rest = try fixture.server([Fixture.part("5-9/10", "world")])
      let response = fixture.end(
        fixture.service(server.url) { settings in
          settings.setOptions {
            $0.connection.addresses = ["127.0.0.1:\(server.port)": "127.0.0.1:\(rest.port)"]
          }
        }.resource("/f").download(to: fixture.path("a"), resume: true))
      #expect(response?.isSuccess == true, "\(response as Any)")
      #expect(fixture.text("a") == "helloworld")
      fixture.finish()
    }

    @Test func `DWN-10 a part of another URL begins anew`() throws {
      let server = try fixture.server([Fixture.half, Fixture.whole("HELLOWORLD")])
      #expect(fixture.download(server)?.error != nil)
      #expect(fixture.download(server, from: "/g")?.isSuccess == true)
      #expect(fixture.text("a") == "HELLOWORLD")
      #expect(server.ranges == [[], []])
      fixture.finish()
    }

    @Test func `DWN-10 in a folder each URL has a part of its own`() throws {
      let server = try fixture.server([
        Fixture.half, Fixture.half, Fixture.part("5-9/10", "WORLD"),
        Fixture.part("5-9/10", "world"),
      ])
      for query in ["?1", "?2"] {
        #expect(fixture.download(server, to: "", from: "/f\(query)")?.error != nil)
      }
      #expect(fixture.files.count == 4)
      #expect(fixture.files.allSatisfy { $0.hasPrefix("f.") })
      #expect(fixture.download(server, to: "", from: "/f?2")?.isSuccess == true)
      #expect(fixture.text("f") == "helloWORLD")
      unlink(fixture.path("f"))
      #expect(fixture.download(server, to: "", from: "/f?1")?.isSuccess == true)
      #expect(fixture.files == ["f"])
      fixture.finish()
    }

    @Test(arguments: ["", "x", "lull part 2\nof x\nbytes 5\nif-range \"a\"\n"])
    func `DWN-10 a part without a note that can be read is left alone`(_ note: String) throws {
      let server = try fixture.server([])
      fixture.folder.write("a.part", Array("mine".utf8))
      if !note.isEmpty { fixture.folder.write("a.part.lull", Array(note.utf8)) }
      let error = fixture.download(server)?.error
      #expect(
        error?.userMessage == "cannot write \(fixture.path("a")): \(fixture.path("a.part")) is not "
          + "a partial download that can be resumed: remove the file first")
      #expect(fixture.text("a.part") == "mine")
      #expect(server.requests == [])
      fixture.finish()
    }

    @Test func `DWN-10 a part that is a link or a pipe is left alone`() throws {
      let server = try fixture.server([])
      fixture.folder.write("b", Array("mine".utf8))
      symlink("b", fixture.path("a.part"))
      #expect(fixture.download(server)?.error?.userMessage.hasSuffix("a.part is a link") == true)
      unlink(fixture.path("a.part"))
      mkfifo(fixture.path("a.part"), 0o600)
      #expect(
        fixture.download(server)?.error?.userMessage.hasSuffix("a.part is not a regular file")
          == true)
      #expect(fixture.text("b") == "mine")
      fixture.finish()
    }

    // MARK: What it is asked with

    @Test func `DWN-18 a range of its own and another method cannot resume`() throws {
      let server = try fixture.server([Fixture.part("0-4/10", "hello")])
      let resource = fixture.service(server.url).resource("/f")
      let ranged = fixture.end(
        resource.download(to: fixture.path("a"), resume: true) { $0.headers["Range"] = "bytes=0-4" }
      )
      #expect(
        ranged?.error?.userMessage.hasSuffix(
          "a request with its own Range header cannot be resumed") == true)
      let posted = fixture.end(
        resource.download(to: fixture.path("a"), resume: true) { $0.method = "POST" })
      #expect(
        posted?.error?.userMessage.hasSuffix("a request with POST cannot be resumed")
          == true)
      #expect(server.requests == [])
      let part = fixture.end(
        resource.download(to: fixture.path("a")) { $0.headers["Range"] = "bytes=0-4" })
      #expect(part?.error?.userMessage.contains("only a part of the file (206)") == true)
      #expect(fixture.files == [])
      fixture.finish()
    }

    @Test func `DWN-15 progress counts what was there`() throws {
      let download = Download(to: .file(ByteString(fixture.path("a")), allowsFolder: true))
      let request = HTTPRequest(method: "GET", url: "http://a/b")
      let metrics = RequestTransferMetrics(responseBytesReceived: 1, responseBytesTotal: 5)
      func attempt(_ status: Int, _ headers: [(String, String)], _ body: String) throws {
        let sink = try #require(try download.prepare(request, now: 0).options?.sink)
        #expect(sink.begin(HTTPResponse(status: status, headers: Headers(headers))))
        let bytes = Array(body.utf8)
        _ = bytes.withUnsafeBufferPointer { sink.take($0) }
      }
      try attempt(200, [("ETag", "\"a\""), ("Content-Length", "10")], "hello")
      #expect(download.counted(metrics) == metrics)
      try attempt(206, [("Content-Range", "bytes 5-9/10")], "w")
      #expect(
        download.counted(metrics)
          == RequestTransferMetrics(responseBytesReceived: 6, responseBytesTotal: 10))
      download.close()
      #expect(fixture.files == [])
      fixture.finish()
    }
  }
}
