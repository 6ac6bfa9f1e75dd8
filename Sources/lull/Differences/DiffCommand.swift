import LullArguments
import LullClients
import LullCore
import LullHost

extension Command {
  static let diff = Command(
    "diff", "compare two revisions of API files", .describe,
    forms: [("diff REV FILE …", "compare two revisions of API files")],
    spec: { DiffCommand.spec }, words: .apisAndFiles
  ) { words, _ throws(CommandEnd) in try DiffCommand(words.dropFirst()).run() }
}

/// `lull diff A B`, `lull diff REV FILE…`: shows which settings and calls differ, without network
/// access.
struct DiffCommand {
  private enum Format: String, CaseIterable {
    case text
    case json
    case markdown
  }

  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull diff",
      description: """
        Compares the settings and calls of two API files, or of two revisions in Git.

        Shows which settings differ, for which URLs, and the lines that set them; and
        the calls that were added, removed or changed. The files of both sides run in
        the sandbox, with the modules of the same revision and without the network.
        """,
      arguments: [
        .init(
          positional: "A", help: "An API file, an API by name, or a Git revision.",
          isRequired: true),
        .init(
          positional: "FILE", help: "The other file, or the files of the revision.",
          isRequired: true,
          isRepeated: true),
        .init(
          "--urls", placeholder: "FILE", demand: .fileName,
          help: "Compare for the URLs in this file.",
          details: """
            The file has one path or URL per line; - is standard input. By default, the paths of the calls are compared.
            """),
        .init(
          "--env", placeholder: "NAME",
          demand: .init("the name of an environment") { APIName.isEnvironment($0) },
          help: "Compare in this environment.",
          details: "By default, compares without an environment and in each environment."),
        .init(
          names: ["-o", "--output"], placeholder: "FORMAT",
          choices: Format.allCases.map(\.rawValue), help: "Set the output format.",
          standard: Format.text.rawValue),
      ],
      examples: [
        "lull diff HEAD~1 apis/*.lua",
        "lull diff apis/shop.lua apis/shop2.lua --urls urls.txt",
        "lull diff shop@staging shop@prod",
        "lull diff main apis/*.lua -o markdown",
      ],
      exitCodes: [
        .init(0, "no difference"),
        .init(2, "wrong usage"),
        .init(3, "a file cannot be read or run"),
        .init(7, "differences"),
      ])
  }

  private let revision: String?
  private let words: [String]
  private let urls: String?
  private let environment: String?
  private let format: Format

  /// - Parameter words: The arguments after `diff`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try DiffCommand.spec.read(words, for: .diff)
    let first = parsed.text("A") ?? ""
    let files = parsed.all("FILE")
    guard !first.isEmpty else {
      throw .wrongUsage(
        "an API file or a Git revision is missing: the first argument is empty", .diff)
    }
    let file = APIFileLocator.file(of: first)
    let isFile = file != nil
    if let file, file != first, APIName(first).environment == nil, GitProgram.knows(first) {
      throw .wrongUsage(
        "'\(first)' is both an API ('\(file)') and a Git revision: write the path of the API, or "
          + "the full name of the revision, such as refs/heads/\(first)", .diff)
    }
    if !isFile, APIFileLocator.isPath(APIName(first).file), first.hasSuffix(".lua") {
      throw .wrongUsage(APIFileLocator.missing(first), .diff)
    }
    if !isFile, APIFileLocator.meansEnvironment(first), !GitProgram.knows(first) {
      throw .wrongUsage(APIFileLocator.missing(first), .diff)
    }
    guard !isFile || files.count == 1 else {
      throw .wrongUsage(
        "'\(first)' is a file and is compared with one other file; to compare several files, name a "
          + "revision first", .diff)
    }
    revision = isFile ? nil : first
    self.words = isFile ? [first] + files : files
    urls = parsed.text("--urls")
    environment = parsed.text("--env")
    guard environment == nil || !self.words.contains(where: { APIName($0).environment != nil })
    else {
      throw .wrongUsage("an environment is named twice: with --env and after an @", .diff)
    }
    format = parsed.text("-o").flatMap { Format(rawValue: $0) } ?? .text
  }

  func run() -> Int32 {
    var report = DifferenceReport()
    do throws(SnapshotBuilder.Failure) {
      let targets = try urls.map { (path) throws(SnapshotBuilder.Failure) in
        try DiffCommand.targets(in: path)
      }
      let pairs = try pairs()
      var modules = 0
      for pair in pairs {
        do throws(SnapshotBuilder.Failure) {
          let difference = try FileComparison(pair.before, pair.after, environment)
            .difference(of: targets)
          report.files.append(
            .init(
              before: pair.before.shownName, after: pair.after.shownName, difference: difference))
        } catch {
          // Modules are in the same folder as the files that require them, so a glob pattern
          // includes them.
          guard error.isOfModule, pair.before.isNoAPI, pair.after.isNoAPI, pairs.count > 1 else {
            throw error
          }
          modules += 1
          guard modules < pairs.count else { throw error }
          Exit.complain("lull: left out: \(pair.after.shownName) is a module, not an API\n")
        }
      }
    } catch {
      Exit.complain(error.report)
      return error.code
    }
    return write(report) ? report.isEmpty ? 0 : 7 : 1
  }

  private func write(_ report: DifferenceReport) -> Bool {
    switch format {
    case .text: return report.isEmpty || Output.page(Array(report.text.utf8), isWanted: true)
    case .markdown: return Output.write(report.markdown)
    case .json:
      guard let bytes = try? report.json.encode(pretty: true) else { return false }
      return Output.write(bytes + [10])
    }
  }

  /// The pairs of files to compare.
  private func pairs() throws(SnapshotBuilder.Failure) -> [(
    before: ComparedFile, after: ComparedFile
  )] {
    var files: [ComparedFile] = []
    for word in words {
      let path = APIFileLocator.file(of: word)
      let name = APIName(word)
      // A deleted file may exist in the revision.
      guard path != nil || revision != nil && name.file.hasSuffix(".lua") else {
        throw SnapshotBuilder.Failure(report: "lull: \(APIFileLocator.missing(word))\n", code: 3)
      }
      files.append(
        ComparedFile(
          path: path, known: path ?? name.file, environment: name.environment, of: nil))
    }
    guard let revision else { return [(files[0], files[1])] }
    return try SignalHold.during { DiffCommand.pairs(files, revision) }.get()
  }

  private static func pairs(_ files: [ComparedFile], _ revision: String) -> Result<
    [(before: ComparedFile, after: ComparedFile)], SnapshotBuilder.Failure
  > {
    do throws(RevisionFolder.Problem) {
      let folder = try RevisionFolder(revision)
      var pairs: [(before: ComparedFile, after: ComparedFile)] = []
      for file in files {
        let found = try folder.file(file.known)
        guard found != nil || file.path != nil else {
          throw RevisionFolder.Problem(
            message: "there is no API file '\(file.known)', neither now nor in \(revision)")
        }
        let before = ComparedFile(
          path: found?.place, known: found?.known ?? file.known, environment: file.environment,
          of: folder)
        pairs.append((before, file))
      }
      guard !SignalHold.isInterrupted else {
        return .failure(SnapshotBuilder.Failure(report: "", code: 130))
      }
      return .success(pairs)
    } catch {
      guard !SignalHold.isInterrupted else {
        return .failure(SnapshotBuilder.Failure(report: "", code: 130))
      }
      return .failure(SnapshotBuilder.Failure(report: "lull: \(error.message)\n", code: 3))
    }
  }

  /// Why a line is neither a path nor a URL. `nil` if the line is a path or a URL.
  private static func problem(of text: String) -> String? {
    if text.contains(where: \.isWhitespace) {
      return "contains a space: write one path or URL per line"
    }
    let start = text.prefix { !"/?#".contains($0) }
    guard let colon = start.firstIndex(of: ":") else { return nil }
    let scheme = start[..<colon].lowercased()
    let isURL =
      text[colon...].hasPrefix("://") || ["mailto", "data", "file", "tel", "urn"].contains(scheme)
    return isURL && !["http", "https"].contains(scheme)
      ? "is neither an HTTP URL nor a path that begins with /" : nil
  }

  /// Reads one path or URL from each line, without duplicates. Empty lines and lines that begin
  /// with # are ignored.
  private static func targets(
    in path: String
  ) throws(SnapshotBuilder.Failure) -> [APISnapshot.Target] {
    let bytes: [UInt8]
    do throws(InputFile.Unreadable) {
      bytes = try InputFile.read(path)
    } catch {
      throw SnapshotBuilder.Failure(report: "lull: cannot read \(error.message)\n", code: 3)
    }
    let name = InputFile.shownName(path)
    func failure(_ text: String) -> SnapshotBuilder.Failure {
      SnapshotBuilder.Failure(report: "lull: \(name)\(text)\n", code: 3)
    }
    var targets: [APISnapshot.Target] = []
    var seen: Set<String> = []
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    for (number, line) in text.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      guard let line = String(validating: line, as: UTF8.self) else {
        throw failure(":\(number + 1): this line is not text in UTF-8")
      }
      let text = line.trimmingBlanks
      guard !text.isEmpty, text.first != "#", seen.insert(text).inserted else { continue }
      if let problem = DiffCommand.problem(of: text) {
        throw failure(":\(number + 1): '\(LogText.url(text))' \(problem)")
      }
      targets.append(
        APISnapshot.Target(
          label: LogText.url(text), method: .get, path: text, place: "\(name):\(number + 1)"))
    }
    guard !targets.isEmpty else { throw failure(" has neither a path nor a URL") }
    return targets
  }
}

extension String {
  /// The text without white space at both ends. The carriage return of a Windows line end counts as
  /// white space.
  fileprivate var trimmingBlanks: String {
    let isBlank = { (character: Character) in [" ", "\t", "\r"].contains(character) }
    var text = drop(while: isBlank)
    while text.last.map(isBlank) == true { text.removeLast() }
    return String(text)
  }
}
