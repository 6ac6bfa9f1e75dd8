import LullLibC
import Testing

/// A file of the repository that is made from the description.
struct GeneratedFile {
  static let root = parent(parent(parent(parent(#filePath))))
  let path: String

  init(_ path: String) { self.path = Self.root + "/" + path }

  private static func parent(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
  }

  static func read(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func write(_ text: String) -> Bool {
    guard let file = fopen(path, "w") else { return false }
    let bytes = Array(text.utf8)
    let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
    return fclose(file) == 0 && isWritten
  }

  /// Checks that the file holds that text; writes it first if Scripts/support/generate-reference
  /// runs.
  func check(_ generated: String) throws {
    if getenv("LULL_WRITE_REFERENCE") != nil { #expect(write(generated)) }
    let found = try #require(Self.read(path))
    let lines = found.split(separator: "\n", omittingEmptySubsequences: false)
    let wanted = generated.split(separator: "\n", omittingEmptySubsequences: false)
    // Not the two texts as a whole: a report of both would hide the line that differs.
    let difference =
      zip(lines, wanted).enumerated().first { $1.0 != $1.1 }?.offset
      ?? (lines.count == wanted.count ? nil : min(lines.count, wanted.count))
    #expect(
      difference.map { $0 + 1 } == nil,
      "line of \(path) that differs; regenerate it with Scripts/support/generate-reference")
  }
}
