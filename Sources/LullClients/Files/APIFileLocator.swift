import Glibc
import LullArguments
import LullCore
import LullHost

/// Where API files are: by path, or by name in `./apis`, then in `$XDG_CONFIG_HOME/lull/apis`.
package enum APIFileLocator {
  /// The folders of names, in the order of looking.
  package static var folders: [String] {
    var folders = ["apis"]
    if let config = variable("XDG_CONFIG_HOME"), config.hasPrefix("/") {
      folders.append(config + "/lull/apis")
    } else if let home = variable("HOME") {
      folders.append(home + "/.config/lull/apis")
    }
    return folders
  }

  /// Whether a word can only be meant as a path.
  package static func isPath(_ word: String) -> Bool {
    word.contains("/") || word.hasSuffix(".lua")
  }

  /// The file of a name, or of a path; nil if there is none.
  package static func file(of word: String) -> String? {
    if isPath(word) { return isFile(word) ? word : nil }
    guard !word.isEmpty, !word.hasPrefix(".") else { return nil }
    return folders.map { "\($0)/\(word).lua" }.first(where: isFile)
  }

  /// What is said where there is none.
  package static func missing(_ word: String) -> String {
    if isPath(word) { return "there is no API file '\(word)'" }
    let near = NearestName.suggestion(for: word, among: all().map(\.name))
    return "there is no API '\(word)'"
      + (near.map { " (did you mean '\($0)'?)" }
        ?? "; looked for \(word).lua in \(folders.map { "'\($0)'" }.joined(separator: " and "))")
  }

  /// Every API there is by name, sorted; of two of one name the one that would be found.
  package static func all() -> [(name: String, path: String)] {
    var found: [String: String] = [:]
    for folder in folders {
      for name in files(in: folder) where found[name] == nil {
        found[name] = "\(folder)/\(name).lua"
      }
    }
    return found.map { (name: $0.key, path: $0.value) }.sorted { $0.name < $1.name }
  }

  private static func files(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      // The name ends with a NUL, inside the entry.
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasSuffix(".lua"), !name.hasPrefix("."), isFile("\(folder)/\(name)") else {
        continue
      }
      names.append(String(name.dropLast(4)))
    }
    return names
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private static func variable(_ name: String) -> String? {
    // Copied at once.
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
