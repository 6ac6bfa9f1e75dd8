import LullLibC
import LullCore
import LullTransport
import Testing

extension TransportSuite {
  /// Files that are not what they were when they are sent.
  @Suite struct ChangingUploadTests: UploadFixture {
    let harness: TransportHarness
    let folder: TemporaryDirectory

    init() throws {
      harness = try TransportHarness()
      folder = try #require(TemporaryDirectory())
    }

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
      case "longer": folder.write("a.bin", Uploads.bytes + [0])
      case "other time":
        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        utimensat(AT_FDCWD, path, &times, 0)
      case "another file":
        folder.write("b.bin", Uploads.bytes)
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
      let size = Uploads.large
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
        ? "'\(path)' ended while it was being sent, after"
        : "'\(path)' has changed since its request"
      #expect(result?.error?.message.hasPrefix(expected) == true)
      finish(server)
    }

    @Test func `BODY-04 one that changes on its way over HTTP 2 does not arrive either`() throws {
      let nginx = try #require(NginxServer.shared)
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      var result: NetworkResult?
      let sent = try request(nginx.tlsURL + "/upload/changed", sparse("large"))
      let transfer = harness.start(sent) { result = $0 }
      harness.turn { transfer.transferMetrics.requestBytesSent > 0 }
      #expect(transfer.transferMetrics.requestBytesSent < Uploads.large)
      truncate(folder.path + "/large", 1)
      harness.turn { result != nil }
      #expect(result?.error?.kind == .fileChanged)
      #expect(nginx.uploaded("changed") == nil)
      // The connection goes on.
      let next = try request(nginx.tlsURL + "/upload/next", upload())
      #expect([201, 204].contains(try harness.send(next).response?.status))
      #expect(nginx.uploaded("next") == Uploads.bytes)
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
          if connection.read(Uploads.large - 1) { connection.answer("whole") }
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
  }
}
