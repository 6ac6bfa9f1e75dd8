import LullLibC
import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// Answers that become files, where all goes well or nothing comes.
  @Suite struct FileDownloadTests {
    private let fixture: DownloadFixture

    init() throws { fixture = try DownloadFixture() }

    @Test(arguments: [false, true])
    func `DWN-01 DWN-02 a file appears with what was sent, and the entity says where`(
      resume: Bool
    ) throws {
      let server = try fixture.server([
        DownloadFixture.whole("{}", ["ETag: \"a\"", "Content-Type: application/json"])
      ])
      let service = fixture.service(server.url)
      let resource = service.resource("/f")
      let request = resource.download(to: fixture.path("a"), resume: resume)
      let entity = fixture.end(request)?.entity
      #expect(entity?.text == fixture.path("a"))
      #expect(entity?.exchange?.status == 200)
      #expect(entity?.exchange?.url == server.url + "/f")
      #expect(entity?.etag == "\"a\"")
      #expect(entity?.contentType == "application/json")
      #expect(resource.latestData == nil)
      #expect(resource.latestError == nil)
      #expect(fixture.text("a") == "{}")
      #expect(fixture.files == ["a"])
      let sent = try #require(server.requests.first?.lowercased())
      #expect(sent.hasPrefix("get /f http/1.1\r\n"))
      #expect(sent.contains("\r\naccept-encoding: identity\r\n"))
      #expect(!sent.contains("range:"))
      fixture.finish()
    }

    @Test(arguments: [false, true])
    func `DWN-01 it takes the place and the mode of a file, and leaves links`(resume: Bool) throws {
      let server = try fixture.server([
        DownloadFixture.whole("new"), DownloadFixture.whole("newer"),
      ])
      fixture.folder.write("a", Array("old".utf8))
      chmod(fixture.path("a"), 0o640)
      symlink("a", fixture.path("link"))
      let entity = fixture.download(server, resume: resume)?.entity
      #expect(entity != nil)
      #expect(fixture.text("a") == "new")
      #expect(
        fixture.download(server, to: "link", resume: resume)?.entity?.text
          == fixture.path("link"))
      #expect(fixture.text("a") == "newer")
      #expect(fixture.files == ["a", "link"])
      var status = stat()
      #expect(lstat(fixture.path("a"), &status) == 0 && status.st_mode & 0o777 == 0o640)
      #expect(lstat(fixture.path("link"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
      fixture.finish()
    }

    @Test(arguments: [false, true])
    func `DWN-01 an empty body is an empty file`(resume: Bool) throws {
      let server = try fixture.server([
        DownloadFixture.whole(""), DownloadFixture.answer("204 No Content", [], ""),
      ])
      for name in ["a", "b"] {
        let response = fixture.download(server, to: name, resume: resume)
        #expect(response?.isSuccess == true)
        #expect(fixture.text(name) == "")
      }
      #expect(fixture.files == ["a", "b"])
      fixture.finish()
    }

    @Test(arguments: [
      ("404 Not Found", "gone"), ("500 Oops", "broken"), ("304 Not Modified", ""),
      ("416 No", "none"),
    ])
    func `DWN-03 an error leaves what was there, and has its body`(
      status: String, body: String
    ) throws {
      let headers =
        ["Content-Type: text/plain"] + (body.isEmpty ? [] : ["Content-Length: \(body.count)"])
      let server = try fixture.server([DownloadFixture.answer(status, headers, body)])
      fixture.folder.write("a", Array("old".utf8))
      let error = fixture.download(server)?.error
      #expect(error != nil)
      if !body.isEmpty {
        #expect(error?.httpStatusCode == Int(status.prefix(3)))
        #expect(error?.entity?.text == body)
      }
      #expect(fixture.text("a") == "old")
      #expect(fixture.files == ["a"])
      fixture.finish()
    }

    @Test func `DWN-03 DWN-06 a body that breaks off leaves nothing unless it is to be resumed`()
      throws
    {
      let server = try fixture.server([DownloadFixture.half, DownloadFixture.half])
      fixture.folder.write("a", Array("old".utf8))
      for resume in [false, true] {
        let error = fixture.download(server, resume: resume)?.error
        guard case .transport(let cause)? = error?.cause else {
          Issue.record("\(String(describing: error))")
          continue
        }
        #expect(cause.kind == .truncatedBody)
        #expect(fixture.text("a") == "old")
        #expect(fixture.files == (resume ? ["a", "a.part", "a.part.lull"] : ["a"]))
      }
      #expect(fixture.text("a.part") == "hello")
      fixture.finish()
    }

    @Test func `DWN-13 what cannot be written is not asked for`() throws {
      let server = try fixture.server([])
      fixture.folder.write("file", [])
      symlink("nowhere", fixture.path("dangling"))
      mkfifo(fixture.path("pipe"), 0o600)
      for (name, resume, reason) in [
        ("no/such", false, "No such file or directory"),
        ("no/such", true, "No such file or directory"),
        ("new/", false, "there is no such folder"), ("file/x", true, "Not a directory"),
        ("dangling", true, "is a link to a file that does not exist"),
        ("pipe", true, "is not a regular file, so no download there can be resumed"),
        (String(repeating: "a", count: 300), false, "File name too long"),
      ] {
        let error = fixture.download(server, to: name, resume: resume)?.error
        #expect(error?.userMessage == "cannot write \(fixture.path(name)): \(reason)")
        guard case .transport(let cause)? = error?.cause else { continue }
        #expect(cause.kind == .fileUnavailable)
      }
      #expect(server.requests == [])
      #expect(fixture.files == ["dangling", "file", "pipe"])
      fixture.finish()
    }

    @Test func `DWN-13 a disk that is full fails it, and no retry is of use`() throws {
      let server = try fixture.server([DownloadFixture.whole("x")])
      let service = fixture.service(server.url) { $0.retry = RetryPolicy() }
      let response = fixture.end(service.resource("/f").download(to: "/dev/full"))
      #expect(response?.error?.userMessage == "cannot write /dev/full: No space left on device")
      #expect(server.requests.count == 1)
      fixture.finish()
    }

    @Test(arguments: [false, true])
    func `DWN-11 DWN-12 in a folder the server names it, and it takes nobody's place`(
      resume: Bool
    ) throws {
      let named = "Content-Disposition: attachment; filename=\"../../b c\""
      let server = try fixture.server([
        DownloadFixture.whole("1", [named]), DownloadFixture.whole("2", []),
        DownloadFixture.whole("3", [named]), DownloadFixture.whole("4", []),
      ])
      let first = fixture.download(server, to: "", resume: resume)
      #expect(first?.entity?.text == fixture.path("b c"))
      let second = fixture.download(server, to: "", resume: resume, from: "/x/y.zip?z")
      #expect(second?.entity?.text == fixture.path("y.zip"))
      #expect(fixture.files == ["b c", "y.zip"])
      for (place, name) in [("/f", "b c"), ("/x/y.zip?z", "y.zip")] {
        let error = fixture.download(server, to: "", resume: resume, from: place)?.error
        #expect(
          error?.userMessage
            == "cannot write \(fixture.folder.path): '\(name)' already exists: to "
            + "replace it, name it in the path")
      }
      #expect(fixture.text("b c") == "1")
      #expect(fixture.text("y.zip") == "2")
      #expect(fixture.files == ["b c", "y.zip"])
      fixture.finish()
    }

    @Test(arguments: [false, true])
    func `DWN-12 one that has come meanwhile is not replaced either`(resume: Bool) throws {
      let path = fixture.path("f")
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 2\r\n\r\n1")
          while access(path, F_OK) != 0 { usleep(1000) }
          connection.write("2")
        })
      defer { server.stop() }
      let request = fixture.service(server.url).resource("/f").download(
        to: fixture.folder.path, resume: resume)
      let network = try #require(request as? NetworkRequest)
      fixture.harness.turn { network.transfer?.transferMetrics.responseBytesReceived == 1 }
      fixture.folder.write("f", Array("mine".utf8))
      #expect(fixture.end(request)?.error?.userMessage.hasSuffix("File exists") == true)
      #expect(fixture.text("f") == "mine")
      fixture.finish()
    }

    @Test func `DWN-14 silence bounds it, and no timeout but its own`() throws {
      let server = try #require(
        RawServer { connection in
          guard let head = connection.readRequest() else { return }
          connection.write(
            "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 10\r\nConnection: close\r\n\r\n")
          for _ in 0..<10 where !head.hasPrefix("GET /silent") {
            RawConnection.pause(seconds: 0.08)
            connection.write("x")
          }
          connection.waitForClose()
        })
      defer { server.stop() }
      let service = fixture.service(server.url) { $0.limits.timeout = 0.4 }
      let whole = fixture.end(service.resource("/f").download(to: fixture.path("a")))
      #expect(whole?.isSuccess == true)
      let own = fixture.end(
        service.resource("/f").download(to: fixture.path("b"), resume: true) {
          $0.limits.timeout = 0.4
        })
      #expect(own?.error?.userMessage.contains("within 0.4 s (timeout)") == true, "\(own as Any)")
      let idle = fixture.service(server.url) { settings in
        settings.setOptions { $0.idleTimeout = 0.4 }
      }
      let silent = fixture.end(
        idle.resource("/silent").download(to: fixture.path("c"), resume: true))
      #expect(silent?.error?.userMessage.contains("for 0.4 s (idle_timeout)") == true)
      #expect(fixture.files == ["a", "b.part", "b.part.lull"])
      fixture.finish()
    }

    @Test func `DWN-16 redirects go where hosts are allowed, and take the range along`() throws {
      var allowed = AllowedHosts()
      let isPattern = allowed.allow("127.0.0.1")
      #expect(isPattern)
      let fixture = try DownloadFixture(allowedHosts: allowed)
      let target = try fixture.server([
        DownloadFixture.half, DownloadFixture.part("5-9/10", "world"),
      ])
      func away(_ host: String) -> String {
        DownloadFixture.answer(
          "302 Found", ["Location: http://\(host):\(target.port)/there", "Content-Length: 0"], "")
      }
      let server = try fixture.server([away("127.0.0.1"), away("127.0.0.1"), away("localhost")])
      #expect(fixture.download(server)?.error != nil)
      #expect(fixture.download(server)?.entity?.exchange?.status == 206)
      #expect(fixture.text("a") == "helloworld")
      #expect(target.ranges == [[], ["if-range: \"a\"", "range: bytes=5-"]])
      #expect(
        fixture.download(server, to: "b")?.error?.userMessage.contains("(--allow-host)") == true)
      #expect(fixture.files == ["a"])
      fixture.finish()
    }
  }
}
