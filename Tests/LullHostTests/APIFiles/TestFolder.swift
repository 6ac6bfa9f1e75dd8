import LullLibC
import Testing

/// A folder for one test, which goes with it.
final class TestFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/lull-api-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func write(_ bytes: [UInt8], to path: String) throws {
    let file = try #require(fopen(path, "w"))
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    #expect(fclose(file) == 0)
  }

  deinit {
    unlink(path + "/a.lua")
    rmdir(path)
  }
}
