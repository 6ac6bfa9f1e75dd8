import LullLibC
import LullArguments
import LullCore
import LullREPL
import LullSystem
import LullTransport

/// Checks the files that outlive a process: their owners and their permissions.
enum StateCheck {
  /// The maximum number of files that are checked.
  private static let most = 10_000

  static var findings: [DoctorFinding] {
    guard let state = TokenFile.stateFolder else {
      return [
        DoctorFinding(
          .problem, "state", "state folder", "neither XDG_STATE_HOME nor HOME names a folder",
          fix: "set HOME")
      ]
    }
    let parts: [(name: String, path: String?)] = [
      ("state folder", state), ("sessions", state + "/sessions"), ("tokens", state + "/tokens"),
      ("stored responses", state + "/changed"), ("record of trust", state + "/trust.json"),
      ("shared limits", MachineLimits.standardPath), ("history", History.standardPath),
      ("cache", (try? CacheInspection(path: nil))?.path),
    ]
    return parts.flatMap { name, path in
      path.map { findings(name, $0, isDeep: $0 != state) } ?? []
    }
  }

  private struct File {
    let path: String
    let status: stat

    var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
    var mode: String {
      let text = String(status.st_mode & 0o777, radix: 8)
      return String(repeating: "0", count: max(3 - text.count, 0)) + text
    }

    init?(_ path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      self.path = path
      self.status = status
    }

    /// The problem with the owner or the permissions of the file. `nil` if there is none.
    var finding: DoctorFinding? {
      let facts: [JSONValue.Member] = [
        .init("mode", .string(mode)), .init("size", .int(Int(status.st_size))),
        .init("owner", .int(Int(status.st_uid))),
      ]
      func problem(_ text: String, _ fix: String) -> DoctorFinding {
        DoctorFinding(.problem, "state", path, text, fix: fix, facts: facts)
      }
      guard status.st_uid == geteuid() else {
        return problem(
          "belongs to the user \(status.st_uid)", "chown it to \(geteuid()), or move it away")
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        guard status.st_mode & 0o022 != 0 else { return nil }
        return problem("other users can write to this folder (mode \(mode))", "chmod 700 \(path)")
      case S_IFREG:
        guard status.st_mode & 0o077 != 0 else { return nil }
        return problem(
          "other users can read or write this file (mode \(mode)), and Lull may refuse it",
          "chmod 600 \(path), and renew the credentials in it")
      default: return problem("is not a regular file", "move it away")
      }
    }
  }

  /// - Parameter isDeep: Whether the files in the folder `path` are checked too, or only the folder
  ///   itself. If `path` is a file, the lock and database files next to it are always checked.
  private static func findings(_ name: String, _ path: String, isDeep: Bool) -> [DoctorFinding] {
    guard let first = File(path) else {
      return [DoctorFinding(.ok, "state", name, "none (\(path))")]
    }
    var files = [first]
    if first.isFolder {
      if isDeep { files += content(of: path) }
    } else {
      files += ["-wal", "-shm", "-lock", ".lock"].compactMap { File(path + $0) }
    }
    let wrong = files.compactMap(\.finding)
    guard wrong.isEmpty else { return wrong }
    let regular = files.filter { !$0.isFolder && !$0.path.hasSuffix("lock") }
    guard !regular.isEmpty else {
      return [DoctorFinding(.ok, "state", name, "\(path), mode \(first.mode)")]
    }
    let size = regular.reduce(0) { $0 + Int($1.status.st_size) }
    let newest = regular.map { Double($0.status.st_mtim.tv_sec) }.max() ?? 0
    let age = SystemClock.now - newest
    return [
      DoctorFinding(
        .ok, "state", name,
        "\(path), \(regular.count) \(regular.count == 1 ? "file" : "files"), "
          + "\(ByteCount.text(size)), mode \(first.mode), changed \(CacheCommand.age(of: newest)) ago",
        facts: [
          .init("path", .string(path)), .init("files", .int(regular.count)),
          .init("size", .int(size)), .init("mode", .string(first.mode)),
          .init("age", .int(Int(max(0, min(age, 1e15))))),
        ])
    ]
  }

  private static func content(of folder: String) -> [File] {
    var found: [File] = []
    var folders = [folder]
    while let folder = folders.popLast(), found.count < most {
      for name in ((try? FolderListing.names(in: folder)) ?? []).sorted() {
        guard let file = File(folder + "/" + name) else { continue }
        found.append(file)
        if file.isFolder { folders.append(file.path) }
      }
    }
    return found
  }
}

/// Checks the expiry of the tokens of `lull login` and `lull.auth.token`. Never shows their values.
enum TokenCheck {
  static var findings: [DoctorFinding] {
    guard let folder = TokenFile.stateFolder.map({ $0 + "/tokens" }) else { return [] }
    let names = ((try? FolderListing.names(in: folder)) ?? []).filter { $0.hasSuffix(".json") }
    guard !names.isEmpty else { return [DoctorFinding(.ok, "token", "tokens", "none")] }
    return names.sorted().flatMap { name in
      findings(in: TokenFile("\(folder)/\(name)"), name: String(name.dropLast(".json".count)))
    }
  }

  private static func findings(in file: TokenFile, name: String) -> [DoctorFinding] {
    do throws(TokenFile.Problem) {
      guard let root = try file.read()?.root else { return [] }
      return findings(root, name) + root.pairs.flatMap { findings($0.value, "\(name) \($0.key)") }
    } catch {
      return [
        DoctorFinding(
          .problem, "token", name, error.message, fix: "delete \(file.path) and log in again")
      ]
    }
  }

  /// The findings for a value that contains a token. Empty for any other value.
  private static func findings(_ value: JSONElement, _ name: String) -> [DoctorFinding] {
    let isLogin = value["access_token"]?.string != nil
    guard isLogin || value["token"]?.string != nil else { return [] }
    guard let expires = value["expires"]?.double, expires.isFinite else {
      return [DoctorFinding(.ok, "token", name, "valid until the server rejects it")]
    }
    let moment = Timestamp(secondsSince1970: expires.rounded()).description
    let facts = [JSONValue.Member("expires", .string(moment))]
    guard expires <= SystemClock.now else {
      return [DoctorFinding(.ok, "token", name, "expires \(moment)", facts: facts)]
    }
    let isRenewed = !isLogin || value["refresh_token"]?.string != nil
    guard isRenewed else {
      return [
        DoctorFinding(
          .problem, "token", name, "expired \(moment), and there is no refresh token",
          fix: "run lull login for its API", facts: facts)
      ]
    }
    return [
      DoctorFinding(
        .ok, "token", name, "expired \(moment); the next request renews it", facts: facts)
    ]
  }
}

/// Checks the environment variables that Lull reads.
enum VariableCheck {
  private static let known = [
    "LULL_ENV": "the default environment of API files",
    "LULL_ERRORS": "the format of errors", "LULL_HISTORY": "the history of the prompt",
    "LULL_LOG": "the categories that are logged", "LULL_MOCK": "the path of lull-mock",
    "LULL_PLAIN_MALLOC": "Lua uses the allocator of the system",
    "LULL_SHARE": "the server that hosts share", "LULL_STRICT": "checks of shared content",
    "LULL_TRACE": "tracebacks with Lull's own lines",
    "LULL_WAIT_NOTICE": "seconds until a wait is reported",
  ]

  static var findings: [DoctorFinding] {
    let found = variables.filter { $0.name.hasPrefix("LULL_") }.sorted { $0.name < $1.name }
    guard !found.isEmpty else { return [DoctorFinding(.ok, "variable", "LULL_*", "none is set")] }
    return found.map { finding($0.name, $0.value) }
  }

  private static func finding(_ name: String, _ value: String) -> DoctorFinding {
    guard let purpose = known[name] else {
      // The variable may hold a secret that an API file reads, so its value is not shown.
      guard let near = NearestName.suggestion(for: name, among: known.keys.sorted()) else {
        return DoctorFinding(.ok, "variable", name, "is set; Lull does not read it")
      }
      return DoctorFinding(
        .warning, "variable", name, "is set, but Lull does not read it",
        fix: "did you mean \(near)?")
    }
    let unknown = value.split { $0 == "," || $0 == " " }.first {
      $0 != "off" && Log.categories(named: String($0)) == nil
    }
    if name == "LULL_LOG", let unknown {
      return DoctorFinding(
        .warning, "variable", name, "there is no category '\(unknown)'",
        fix: "use \(Log.Category.allCases.map(\.rawValue).joined(separator: ", ")), common or all")
    }
    let shown = name == "LULL_SHARE" ? CredentialMask.malformedURL(value) : value
    return DoctorFinding(.ok, "variable", name, "\(shown) (\(purpose))")
  }

  private static var variables: [(name: String, value: String)] {
    var found: [(name: String, value: String)] = []
    var next = environ
    while let entry = next.pointee {
      let parts = String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { found.append((String(parts[0]), String(parts[1]))) }
      next += 1
    }
    return found
  }
}
