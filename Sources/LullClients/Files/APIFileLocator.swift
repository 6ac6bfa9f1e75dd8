import LullLibC
import LullArguments
import LullCore
import LullHost
import LullSystem

/// Where API files are: by path, or by name in the folders there are for them.
package enum APIFileLocator {
  /// What there is by name.
  package struct Listing {
    /// Sorted; of several of one name the one that would be found.
    package var files: [(name: String, path: String)] = []
    /// What is not taken, and what could not be read: sentences.
    package var problems: [String] = []
  }

  /// Whether a word can only be meant as a path.
  package static func isPath(_ word: String) -> Bool {
    word.contains("/") || word.hasSuffix(".lua")
  }

  /// The file of a name, or of a path, with an environment behind it or without; nil if there is none, or none
  /// that is taken.
  package static func file(of word: String) -> String? { plainFile(of: APIName(word).file) }

  /// The same without an environment.
  static func plainFile(of word: String) -> String? {
    if isPath(word) { return isFile(word) ? word : nil }
    guard let (folder, path) = nearest(word), folder.objection(to: path) == nil else { return nil }
    return path
  }

  /// Whether a word names an API that is there and, behind an `@`, what no environment can be called.
  package static func meansEnvironment(_ word: String) -> Bool {
    APIName.problem(withEnvironmentOf: word) != nil
  }

  /// What is said where there is none.
  ///
  /// - Parameter listsOwn: whether the folder of the configuration is named too, which a test has for itself.
  package static func missing(_ word: String, listsOwn: Bool = true) -> String {
    if let text = APIName.problem(withEnvironmentOf: word) { return text }
    let word = APIName(word).file
    if isPath(word) { return "there is no API file '\(word)'" }
    // What is nearest is what is meant: there is no other in its place.
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

  /// Every API there is by name.
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

  /// The files of a folder that may be API files, by their names; none if it cannot be read.
  package static func files(in folder: String) -> [String] {
    let names = (try? names(in: folder)) ?? []
    return names.map { "\(folder)/\($0).lua" }
  }

  // MARK: Parts

  private static func refusal(of path: String, _ objection: String) -> String {
    "'\(path)' is not taken: \(objection); from here it is used by its path only"
  }

  /// The first file of a name, and the folder it is in.
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
