import LullLibC
import LullCore
import LullTransport

/// What tests of files as bodies have: a network, and a folder for the files.
protocol UploadFixture {
  var harness: TransportHarness { get }
  var folder: TemporaryDirectory { get }
}

enum Uploads {
  /// More than curl asks for at once, and no multiple of it.
  static let bytes = (0..<300_007).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
  /// More than sockets hold back; bytes.
  static let large = 32 << 20
}

extension UploadFixture {
  func upload(_ name: String = "a.bin", _ bytes: [UInt8] = Uploads.bytes) -> UploadFile {
    folder.write(name, bytes)
    return UploadFile(ByteString(folder.path + "/" + name))
  }

  /// A large file of zeros.
  func sparse(_ name: String) -> UploadFile {
    folder.write(name, [])
    truncate(folder.path + "/" + name, off_t(Uploads.large))
    return UploadFile(ByteString(folder.path + "/" + name))
  }

  func request(_ url: String, _ file: UploadFile, method: RequestMethod = "PUT") throws
    -> HTTPRequest
  {
    var request = HTTPRequest(method: method, url: url)
    request.stream(try StreamedBody(file))
    return request
  }

  func finish(_ server: RawServer? = nil) {
    harness.finish()
    server?.stop()
    folder.remove()
  }
}
