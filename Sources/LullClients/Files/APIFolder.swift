import LullLibC
import LullCore
import LullSystem

/// A folder in which API files are found by name.
package struct APIFolder {
  package enum Place: Equatable {
    /// In the working directory.
    case here
    /// A folder this many levels above the working directory. The root of the repository is `top`
    /// levels above it.
    case above(Int, top: Int)
    /// The folder in the user's configuration.
    case own
  }

  /// The path as shown in messages.
  package let path: String
  package let place: Place

  /// The folders in search order: from the working directory up to the folder that contains `.git`,
  /// and then the configuration folder. Without a `.git`, only the working directory and the
  /// configuration folder are searched.
  package static var all: [APIFolder] {
    var folders = [APIFolder(path: "apis", place: .here)]
    if let top = levelsToRepository, top > 0 {
      for level in 1...top {
        folders.append(
          APIFolder(path: above(level) + "/apis", place: .above(level, top: top)))
      }
    }
    return folders + (own.map { [$0] } ?? [])
  }

  /// The configuration folder, `$XDG_CONFIG_HOME/lull/apis`.
  package static var own: APIFolder? {
    if let config = variable("XDG_CONFIG_HOME"), config.hasPrefix("/") {
      return APIFolder(path: config + "/lull/apis", place: .own)
    }
    return variable("HOME").map { APIFolder(path: $0 + "/.config/lull/apis", place: .own) }
  }

  /// Returns why a file in this folder may not be used. nil if the file may be used.
  ///
  /// The user has not explicitly chosen a folder above the working directory. Therefore that
  /// folder, and all folders between it and the working directory, must belong to the user. After
  /// resolving links, the file must be inside the repository.
  package func objection(to file: String) -> String? {
    guard case .above(let level, let top) = place else { return nil }
    for folder in (1...level).map(APIFolder.above) + [path, file] {
      if let owner = APIFolder.owner(of: folder), owner != geteuid() {
        return "'\(folder)' belongs to another user (uid \(owner))"
      }
    }
    guard let root = FileName.resolved(Array(APIFolder.above(top).utf8)),
      let real = FileName.resolved(Array(file.utf8)),
      real.starts(with: root == [UInt8(ascii: "/")] ? root : root + [UInt8(ascii: "/")])
    else { return "it is a link that leads outside the repository" }
    return nil
  }

  // MARK: Parts

  private static func above(_ level: Int) -> String {
    Array(repeating: "..", count: level).joined(separator: "/")
  }

  /// The number of levels between the working directory and the folder that contains `.git`. In a
  /// work tree, `.git` is a file. nil if there is no `.git`.
  private static var levelsToRepository: Int? {
    var level = 0
    var folder = stat()
    guard stat(".", &folder) == 0 else { return nil }
    while true {
      let path = level == 0 ? "." : above(level)
      var status = stat()
      if lstat(path + "/.git", &status) == 0 { return level }
      // The root directory is its own parent, so the search ends there.
      let below = folder
      guard stat(above(level + 1), &folder) == 0,
        folder.st_ino != below.st_ino || folder.st_dev != below.st_dev
      else { return nil }
      level += 1
    }
  }

  /// Returns the user ID of a file's owner, who can change the file. For a link that belongs to the
  /// user, returns the owner of the link's target.
  private static func owner(of path: String) -> uid_t? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFLNK, status.st_uid == geteuid() else {
      return status.st_uid
    }
    return stat(path, &status) == 0 ? status.st_uid : nil
  }

  private static func variable(_ name: String) -> String? {
    // Copy the value, because a later change of the environment may invalidate the C string.
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
