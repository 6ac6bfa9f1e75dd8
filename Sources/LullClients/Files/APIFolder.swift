import LullLibC
import LullCore
import LullSystem

/// A folder in which API files have names.
package struct APIFolder {
  package enum Place: Equatable {
    /// Where one stands.
    case here
    /// That many folders above, at the top of the repository or below it.
    case above(Int, top: Int)
    /// That of the user's configuration.
    case own
  }

  /// As messages name it.
  package let path: String
  package let place: Place

  /// Those there may be, in the order of looking: from the working directory upward to the folder that
  /// holds `.git`, then that of the configuration. Without a `.git` here only.
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

  /// `$XDG_CONFIG_HOME/lull/apis`
  package static var own: APIFolder? {
    if let config = variable("XDG_CONFIG_HOME"), config.hasPrefix("/") {
      return APIFolder(path: config + "/lull/apis", place: .own)
    }
    return variable("HOME").map { APIFolder(path: $0 + "/.config/lull/apis", place: .own) }
  }

  /// Why its file of a name is not taken, in words; nil if nothing is against it.
  ///
  /// Of a folder in which one does not stand nobody has said that it may be used: it is the user's own, and
  /// so is all on the way to it, and the file is in the repository wherever links lead.
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
    else { return "it is a link that leads out of the repository" }
    return nil
  }

  // MARK: Parts

  private static func above(_ level: Int) -> String {
    Array(repeating: "..", count: level).joined(separator: "/")
  }

  /// How many folders above the working directory `.git` is, a folder or the file of a work tree; nil if
  /// there is none.
  private static var levelsToRepository: Int? {
    var level = 0
    var folder = stat()
    guard stat(".", &folder) == 0 else { return nil }
    while true {
      let path = level == 0 ? "." : above(level)
      var status = stat()
      if lstat(path + "/.git", &status) == 0 { return level }
      // The one above the topmost is that itself.
      let below = folder
      guard stat(above(level + 1), &folder) == 0,
        folder.st_ino != below.st_ino || folder.st_dev != below.st_dev
      else { return nil }
      level += 1
    }
  }

  /// Who could change what is there: of a link, and of what it leads to, whoever is somebody else.
  private static func owner(of path: String) -> uid_t? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFLNK, status.st_uid == geteuid() else {
      return status.st_uid
    }
    return stat(path, &status) == 0 ? status.st_uid : nil
  }

  private static func variable(_ name: String) -> String? {
    // Copied at once.
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
