import LullCore
import LullHost
import LullLibC
import LullSystem

/// A file that an export writes: a new one, or one that was exported before.
struct ExportedFile {
  /// What stands near the beginning of those that were exported.
  static let marks = ["\"x-exported-by\": \"lull export ", "# Exported by: lull export "]

  let path: String
  private var bytes: [UInt8] { Array(path.utf8) }

  init(_ path: String) { self.path = path }

  /// Whether it may be written, before anything else is done.
  func check() throws(CommandFailure) {
    guard !bytes.contains(0), bytes.last != UInt8(ascii: "/"), !FileName.isFolder(path) else {
      throw failure("'\(path)' is no name of a file")
    }
    guard FileName.resolved(path) != nil || FileName.isLink(bytes) else { return }
    guard case .success(let known) = TextFile.read(bytes) else {
      throw failure("'\(path)' is no file that can be written")
    }
    let start = String(decoding: known.prefix(2000), as: UTF8.self)
    guard known.isEmpty || ExportedFile.marks.contains(where: { start.contains($0) }) else {
      throw failure(
        "\(path): it was not exported, and stays as it is: name another file with -o, or move it away"
      )
    }
  }

  /// Writes it as a whole, and the folders that are missing.
  func write(_ text: [UInt8]) throws(CommandFailure) {
    // Somebody may have made one meanwhile.
    try check()
    let folder = FileName.folder(of: bytes)
    if let code = FolderMaking.make(folder) {
      throw failure("cannot make the folder '\(String(escaping: folder))': \(ErrorText.of(code))")
    }
    // What a link leads to is replaced, not the link.
    let target = FileName.resolved(bytes) ?? bytes
    guard let code = AtomicFile.write(text, to: target, .usual) else { return }
    throw failure("cannot write '\(path)': \(ErrorText.of(code))")
  }

  private func failure(_ text: String) -> CommandFailure {
    CommandFailure(code: 3, message: "lull: \(ControlCharacters.shown(in: text))\n")
  }
}
