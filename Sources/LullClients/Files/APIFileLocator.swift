import LullLibC
import LullArguments
import LullCore
import LullHost
import LullSystem

/// Finds API files by path, or by name in the API folders.
package enum APIFileLocator {
  /// The APIs that can be used by name.
  package struct Listing {
    /// The files, sorted by name. If several files have the same name, only the one that would be
    /// found is listed.
    package var files: [(name: String, path: String)] = []
    /// The files that are skipped and the folders that can't be read, each as a sentence.
    package var problems: [String] = []
  }

  /// Returns whether a word is a path rather than a name.
  package static func isPath(_ word: String) -> Bool {
    word.contains("/") || word.hasSuffix(".lua")
  }

  /// Returns the file for a name or path, with or without an environment. nil if the file does not
  /// exist or may not be used.
  package static func file(of word: String) -> String? { plainFile(of: APIName(word).file) }

  /// Returns the file for a name or path that has no environment.
  static func plainFile(of word: String) -> String? {
    if isPath(word) { return isFile(word) ? word : nil }
    guard let (folder, path) = nearest(word), folder.objection(to: path) == nil else { return nil }
    return path
  }

  /// Returns whether a word consists of the name of an existing API, `@`, and an invalid
  /// environment name.
  package static func meansEnvironment(_ word: String) -> Bool {
    APIName.problem(withEnvironmentOf: word) != nil
  }

  /// Returns the message for a missing file.
  ///
  /// - Parameters:
  ///   - word: The name or path as typed.
  ///   - listsOwn: Whether the message mentions the configuration folder. False in tests, which
  ///     have their own folder.
  package static func missing(_ word: String, listsOwn: Bool = true) -> String {
    if let text = APIName.problem(withEnvironmentOf: word) { return text }
    let word = APIName(word).file
    if isPath(word) { return "there is no API file '\(word)'" }
    // Only the nearest file of this name counts, even if it may not be used.
    if let (folder, path) = nearest(word), let objection = folder.objection(to: path) {
      return refusal(of: path, objection)
    }
    let near = NearestName.suggestion(for: word, among: listing().files.map(\.name))
    let own = listsOwn ? nil : APIFolder.own?.path
    let folders = APIFolder.all.map(\.path).filter { $0 != own }
      .map { "'\($0)'" }.joined(separator: " and ")
    return "there is no API '\(word)'"
      + (near.map { " (did you mean '\($0)'?)" } ?? "; looked for \(word).lua in \(folders)")
  }

  /// Returns every API that can be used by name.
  package static func listing() -> Listing {
    var listing = Listing()
    var seen: Set<String> = []
    for folder in APIFolder.all {
      let found: [String]
      do throws(FolderListing.Unreadable) {
        found = try names(in: folder.path)
      } catch {
        if ![ENOENT, ENOTDIR].contains(error.code) {
          listing.problems.append(
            "'\(folder.path)' cannot be read: \(ErrorText.of(error.code))")
        }
        continue
      }
      for name in found where seen.insert(name).inserted {
        let path = "\(folder.path)/\(name).lua"
        if let objection = folder.objection(to: path) {
          listing.problems.append(refusal(of: path, objection))
        } else {
          listing.files.append((name: name, path: path))
        }
      }
    }
    listing.files.sort { $0.name < $1.name }
    return listing
  }

  /// Returns the names of the files in a folder that may be API files. Empty if the folder can't be
  /// read.
  package static func files(in folder: String) -> [String] {
    let names = (try? names(in: folder)) ?? []
    return names.map { "\(folder)/\($0).lua" }
  }

  // MARK: Parts

  private static func refusal(of path: String, _ objection: String) -> String {
    "'\(path)' is skipped: \(objection); to use it from here, name it by its path"
  }

  /// Returns the first file with this name, and the folder it is in.
  private static func nearest(_ name: String) -> (APIFolder, path: String)? {
    guard !name.isEmpty, !name.hasPrefix(".") else { return nil }
    for folder in APIFolder.all {
      let path = "\(folder.path)/\(name).lua"
      if isFile(path) { return (folder, path) }
    }
    return nil
  }

  private static func names(in folder: String) throws(FolderListing.Unreadable) -> [String] {
    try FolderListing.names(in: folder)
      .filter { $0.hasSuffix(".lua") && !$0.hasPrefix(".") && isFile("\(folder)/\($0)") }
      .map { String($0.dropLast(4)) }.sorted()
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
