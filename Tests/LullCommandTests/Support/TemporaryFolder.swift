import LullLibC
import LullTestSupport

/// A folder for the files of one test, gone with this object.
final class TemporaryFolder {
  let path: String

  init() throws {
    guard let name = strdup("/tmp/lull-command-XXXXXX") else {
      throw Child.Failure(description: "no memory")
    }
    defer { free(name) }
    guard mkdtemp(name) != nil else { throw Child.Failure(description: "no folder in /tmp") }
    path = String(cString: name)
  }

  deinit {
    let removal = try? Child("rm", ["-rf", path]).wait()
    _ = removal
  }

  /// Writes a file, making the folders it names; its path.
  @discardableResult
  func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws -> String {
    try write(name, Array(text.utf8), mode: mode)
  }

  @discardableResult
  func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o644) throws -> String {
    let parts = name.split(separator: "/").dropLast()
    for count in 0..<parts.count {
      mkdir(path + "/" + parts[...count].joined(separator: "/"), 0o755)
    }
    let file = path + "/" + name
    // A child started meanwhile would keep it open for writing: it could not be run (ETXTBSY).
    try DescriptorLock.hold {
      guard let stream = fopen(file, "we") else {
        throw Child.Failure(description: "cannot write \(file)")
      }
      fwrite(bytes, 1, bytes.count, stream)
      fclose(stream)
    }
    chmod(file, mode)
    return file
  }
}

extension TemporaryFolder {
  /// What `lull check` says of an API file of this text.
  func check(_ text: String) throws -> Child.Ending {
    try write("a.lua", text)
    return try lull("check", "a.lua", folder: path)
  }

  /// What is in a file; nil without it.
  func text(_ name: String) -> String? {
    guard let stream = fopen(path + "/" + name, "r") else { return nil }
    defer { fclose(stream) }
    var bytes: [UInt8] = []
    while case let byte = getc(stream), byte != EOF {
      bytes.append(UInt8(truncatingIfNeeded: byte))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
