import LullLibC

/// A directory of its own below /tmp; removed by whoever made it.
struct TemporaryDirectory {
  let path: String

  init?() {
    var template = Array("/tmp/lull-transport-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func write(_ name: String, _ bytes: some Collection<UInt8>) {
    guard let file = fopen(path + "/" + name, "w") else { return }
    let bytes = Array(bytes)
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  func remove() {
    ChildProcess("rm -rf '\(path)'")?.wait()
  }
}

/// The bytes of a file; nil if it cannot be read.
func contents(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
    bytes += buffer[..<count]
  }
  return bytes
}
