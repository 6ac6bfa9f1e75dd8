/// A file that a command writes: nobody sees half of it.
package enum SavedFile {
  /// Writes the bytes beside the file and puts them in its place; what was wrong, in words, or nil.
  package static func write(_ bytes: [UInt8], to path: String) -> String? {
    switch TextFile.write(bytes, to: Array(path.utf8), mode: nil) {
    case .success: nil
    case .failure(let problem): String(decoding: problem.message, as: UTF8.self)
    }
  }
}
