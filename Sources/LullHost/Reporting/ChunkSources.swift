import LullLibC
import LullCore
import LullSystem

/// Stores the source code of chunks for reports, and reads the source code of files from disk. This
/// class also compiles the host's own chunks.
///
/// Home thread only.
package final class ChunkSources {
  /// The maximum size, in bytes, of a file whose lines are shown.
  private static let largestFile = 4 << 20
  /// The maximum number of sources that are stored. In a long session the oldest ones are removed.
  private static let capacity = 256

  let bridge: BridgeRuntime
  let stored: StoredValues
  private var texts: [ChunkSource: [UInt8]] = [:]
  private var order: [ChunkSource] = []
  /// The time when the host started. A file that was modified later may differ from the file that
  /// was loaded.
  private let start = SystemClock.now
  /// Whether a report may read a file whose source was not stored when the file was loaded. False
  /// in the sandbox, because a script can give a chunk the name of any file.
  var readsFiles = true
  /// The folder of the running script.
  var folder: [UInt8]?

  init(_ stored: StoredValues) {
    bridge = stored.bridge
    self.stored = stored
  }

  /// Stores the source of a chunk that the host loads. `chunkName` includes the prefix of the name.
  func remember(_ text: [UInt8], chunkName: [UInt8]) {
    let source = ChunkSource(chunkName: chunkName)
    if texts.updateValue(text, forKey: source) == nil { order.append(source) }
    if order.count > ChunkSources.capacity { texts[order.removeFirst()] = nil }
  }

  /// The lines that were added last to a growing chunk: the number of the first of these lines, the
  /// index in the chunk's text at which it starts, and the number of lines.
  private var growing: (source: ChunkSource, firstLine: Int, start: Int, count: Int)?

  /// Stores lines of a growing chunk, such as the chunk of a session. `firstLine` is the number of
  /// the first of these lines.
  func remember(_ lines: [UInt8], chunkName: [UInt8], firstLine: Int) {
    let source = ChunkSource(chunkName: chunkName)
    if texts[source] == nil {
      order.append(source)
      if order.count > ChunkSources.capacity { texts[order.removeFirst()] = nil }
    }
    let start = cut(source, before: firstLine)
    texts[source, default: []] += lines
    growing = (source, firstLine, start, 1 + lines.count { $0 == 10 })
  }

  /// Cuts a chunk's text off before line `line`, or adds empty lines up to that line. Returns the
  /// new length of the text. The text is not scanned if the line belongs to the latest addition or
  /// follows it.
  private func cut(_ source: ChunkSource, before line: Int) -> Int {
    guard line > 1 else {
      texts[source] = []
      return 0
    }
    if let growing, growing.source == source, let count = texts[source]?.count {
      if line == growing.firstLine {
        texts[source]?.removeLast(count - growing.start)
        return growing.start
      }
      if line == growing.firstLine + growing.count {
        texts[source]?.append(10)
        return count + 1
      }
    }
    var text = texts[source] ?? []
    var ends = text.indices.filter { text[$0] == 10 }
    if ends.count >= line - 1 {
      text.removeLast(text.count - ends[line - 2] - 1)
    } else {
      if !text.isEmpty, text.last != 10 {
        ends.append(text.endIndex)
        text.append(10)
      }
      text += Array(repeating: 10, count: max(0, line - 1 - ends.count))
    }
    texts[source] = text
    return text.count
  }

  /// Returns the source of a chunk. Returns nil if the source is not known, can't be read, or is
  /// not text.
  func text(of source: ChunkSource) -> [UInt8]? {
    let text =
      switch source {
      case .text(let text): text
      case .named: texts[source]
      case .file(let path): texts[source] ?? read(path)
      case .unknown: nil as [UInt8]?
      }
    // Compiled chunks begin with this byte. (Lua 5.4 manual, LUA_SIGNATURE)
    return text?.first == 0x1B ? nil : text
  }

  /// Returns the chunk that has this name in messages.
  func source(named name: String) -> ChunkSource? {
    let bytes = Array(name.utf8)
    for source in [ChunkSource.file(bytes), .named(bytes)] where texts[source] != nil {
      return source
    }
    return read(bytes) == nil ? nil : .file(bytes)
  }

  /// Returns whether a chunk is the script's own code instead of the code of a library. The
  /// script's own code is text that is not in a file, or a file in or below the folder of the
  /// script or the working directory.
  func isOwn(_ source: ChunkSource) -> Bool {
    guard case .file(let path) = source else { return true }
    let text = String(escaping: path)
    if text.contains("lua_modules/") || text.contains("/.luarocks/") { return false }
    guard path.first == UInt8(ascii: "/") else { return true }
    return [folder, ChunkSources.currentFolder].compactMap(\.self).contains { folder in
      folder.first == UInt8(ascii: "/") && path.starts(with: folder + [UInt8(ascii: "/")])
    }
  }

  private static var currentFolder: [UInt8]? {
    var buffer = [CChar](repeating: 0, count: 4096)
    guard getcwd(&buffer, buffer.count) != nil else { return nil }
    return buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
  }

  private func read(_ path: [UInt8]) -> [UInt8]? {
    guard readsFiles, !path.isEmpty, !path.contains(0) else { return nil }
    // The file is opened without blocking, so that a pipe does not delay a report.
    let descriptor = open(
      (path + [0]).map(CChar.init(bitPattern:)), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= ChunkSources.largestFile, FileStamp(status).lastWritten <= start
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = LullLibC.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { return nil }
    bytes.removeLast(bytes.count - count)
    // The interpreter skips a byte order mark and a `#` line.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    guard bytes.first == UInt8(ascii: "#") else { return bytes }
    return Array(bytes[(bytes.firstIndex { $0 == 10 || $0 == 13 } ?? bytes.endIndex)...])
  }
}
