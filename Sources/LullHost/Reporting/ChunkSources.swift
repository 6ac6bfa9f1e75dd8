import LullLibC
import LullCore
import LullSystem

/// The texts of chunks: compiles those of the host, and keeps them for reports, as well as files as they are on
/// disk.
///
/// Home thread only.
package final class ChunkSources {
  /// Of a larger file no line is shown.
  private static let largestFile = 4 << 20
  /// How many texts are kept; of a long session the oldest are forgotten.
  private static let capacity = 256

  let bridge: BridgeRuntime
  let stored: StoredValues
  private var texts: [ChunkSource: [UInt8]] = [:]
  private var order: [ChunkSource] = []
  /// A file written after this may not be the one that was loaded.
  private let start = SystemClock.now
  /// Whether files that were not kept when they were loaded may be read. Not in the sandbox: a script
  /// can give a chunk the name of any file.
  var readsFiles = true
  /// The folder of the script that runs.
  var folder: [UInt8]?

  init(_ stored: StoredValues) {
    bridge = stored.bridge
    self.stored = stored
  }

  /// Keeps the text of a chunk the host loads under that name, with its mark.
  func remember(_ text: [UInt8], chunkName: [UInt8]) {
    let source = ChunkSource(chunkName: chunkName)
    if texts.updateValue(text, forKey: source) == nil { order.append(source) }
    if order.count > ChunkSources.capacity { texts[order.removeFirst()] = nil }
  }

  /// What was added last to a chunk that grows: its first line, where in the text that begins, and how
  /// many lines it has.
  private var growing: (source: ChunkSource, firstLine: Int, start: Int, count: Int)?

  /// Keeps lines of a chunk that grows, such as a session's, from the line with that number on.
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

  /// Takes that line off a text, and what follows it; what is missing before it becomes empty lines. How
  /// long it is then. What was just added need not be walked for it.
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

  /// nil if it is not known, cannot be read, or is no text.
  func text(of source: ChunkSource) -> [UInt8]? {
    let text =
      switch source {
      case .text(let text): text
      case .named: texts[source]
      case .file(let path): texts[source] ?? read(path)
      case .unknown: nil as [UInt8]?
      }
    // Compiled chunks begin like this. (Lua 5.4 manual, LUA_SIGNATURE)
    return text?.first == 0x1B ? nil : text
  }

  /// A chunk by the name messages give it.
  func source(named name: String) -> ChunkSource? {
    let bytes = Array(name.utf8)
    for source in [ChunkSource.file(bytes), .named(bytes)] where texts[source] != nil {
      return source
    }
    return read(bytes) == nil ? nil : .file(bytes)
  }

  /// Whether a chunk is of the script's own, as opposed to a library's: text that is no file, or a
  /// file beside the script or where it was started.
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
    // A pipe must not make a report wait.
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
    // The interpreter skips a byte order mark, and a first line for the shell.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    guard bytes.first == UInt8(ascii: "#") else { return bytes }
    return Array(bytes[(bytes.firstIndex { $0 == 10 || $0 == 13 } ?? bytes.endIndex)...])
  }
}
