import LullClients
import LullCore
import LullSystem

/// The argument of `lull trust`: an API file, or a folder of API files.
struct TrustTarget {
  struct File {
    /// The path as named in messages.
    let path: String
    /// The path with links resolved.
    let real: String
  }

  private let word: String
  private let folder: String?
  private let file: String?

  init(_ word: String) {
    self.word = word
    let isPath = APIFileLocator.isPath(word) || word == "." || word == ".."
    file = FileName.isFolder(word) && isPath ? nil : APIFileLocator.file(of: word)
    guard file == nil, FileName.isFolder(word) else {
      folder = nil
      return
    }
    let trimmed = word.last == "/" && word.count > 1 ? String(word.dropLast()) : word
    let inner = trimmed + "/apis"
    folder = FileName.isFolder(inner) ? inner : trimmed
  }

  var isFolder: Bool { folder != nil }

  /// The files. `nil` if the path does not exist.
  var files: [File]? {
    if let file { return [file].compactMap(TrustTarget.found) }
    guard let folder else { return nil }
    return APIFileLocator.files(in: folder).compactMap(TrustTarget.found)
  }

  /// The error if the path does not exist.
  var missing: String {
    word == "apis" && !APIFileLocator.isPath(word)
      ? "there is no folder 'apis' here: name files or folders" : APIFileLocator.missing(word)
  }

  /// Whether the argument covers this file of the record. The file may have been deleted.
  func covers(_ real: String) -> Bool {
    if let file, FileName.resolved(file) == real { return true }
    let name = TrustTarget.absolute(word)
    if real == name { return true }
    if let folder, let path = FileName.resolved(folder) {
      return FileName.folder(of: real) == path
    }
    return FileName.folder(of: real) == name || FileName.folder(of: real) == name + "/apis"
  }

  private static func found(_ path: String) -> File? {
    FileName.resolved(path).map { File(path: path, real: $0) }
  }

  /// The absolute path. Links are resolved in the part of the path that exists.
  private static func absolute(_ word: String) -> String {
    if let real = FileName.resolved(word) { return real }
    let parts = word.split(separator: "/").map(String.init)
    guard let last = parts.last, last != "..", last != "." else { return word }
    let folder = FileName.folder(of: word)
    let real = folder == word ? nil : FileName.resolved(folder)
    return real.map { $0 == "/" ? "/" + last : $0 + "/" + last } ?? word
  }
}
