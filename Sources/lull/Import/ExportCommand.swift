import LullLibC
import LullArguments
import LullClients
import LullCore
import LullHost
import LullImport
import LullSystem

extension Command {
  static let export = Command(
    "export", "write an OpenAPI document or curl commands", .describe,
    forms: [
      ("export API FORMAT", "write an OpenAPI document or curl commands"),
      ("export API --openapi", "an OpenAPI document"),
      ("export API --curl", "a curl command for each call"),
    ],
    spec: { ExportCommand.spec }, words: .apisAndFiles
  ) { words, command throws(CommandEnd) in
    try ExportCommand(words.dropFirst(), command).run()
  }
}

/// `lull export`: converts an API file to a format of other programs, without network access.
struct ExportCommand {
  private enum Form: String {
    case openapi
    case curl
  }

  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull export",
      description: """
        Writes an OpenAPI document (3.1, JSON) or curl commands from an API file.

        The file runs in the sandbox, as for lull check, without the network. Secrets
        and environment variables are never written: a document names the security
        schemes, and commands use shell variables for credentials and required
        parameters. Anything that cannot be exported is reported. An existing file is
        only overwritten if Lull exported it.
        """,
      arguments: [
        .init(
          positional: "API",
          help: "An API, by name or file; shop@prod selects the environment prod.",
          isRequired: true),
        .init(
          "--openapi", kind: .flag, help: "Write an OpenAPI document.",
          rules: [.conflicts("--curl")]),
        .init("--curl", kind: .flag, help: "Write curl command lines."),
        .init(
          names: ["-o", "--output"], placeholder: "FILE",
          demand: .some("the name of a file, or -"),
          help: "Write to this file (default standard output)."),
        OptionTable.only,
      ],
      examples: [
        "lull export shop --openapi -o docs/openapi.json",
        "lull export shop --openapi --only 'orders*'",
        "lull export shop@staging --curl",
      ],
      exitCodes: [
        .init(0, "exported"),
        .init(1, "the API file cannot be inspected"),
        .init(2, "wrong usage"),
        .init(3, "there is no such file, it has no calls, or the output cannot be written"),
      ],
      notes: """
        One call as curl, with values: lull call API CALL --parameter value --curl
        """)
  }

  private let word: String
  private let form: Form
  private let only: [String]
  private let output: String?

  /// - Parameter words: The arguments after `export`.
  init(_ words: ArraySlice<String>, _ command: Command) throws(CommandEnd) {
    let parsed = try ExportCommand.spec.read(words, for: command)
    word = parsed.text("API") ?? ""
    guard let form = [Form.openapi, .curl].first(where: { parsed.has("--\($0.rawValue)") }) else {
      throw .wrongUsage("the format is missing: --openapi or --curl", command)
    }
    self.form = form
    only = parsed.all("--only")
    let output = parsed.text("--output")
    self.output = output == "-" ? nil : output
  }

  func run() -> Int32 {
    do throws(CommandFailure) {
      let file = output.map { ExportedFile($0) }
      try file?.check()
      guard let path = APIFileLocator.file(of: word) else {
        throw CommandFailure(code: 3, message: "lull: \(APIFileLocator.missing(word))\n")
      }
      var export = APIExport(path: path, environment: APIName(word).environment)
      export.only = only
      let (text, count, leftOut) = try export.made(as: form == .curl) { origin(in: $0) }
      for one in leftOut { ExportCommand.tell("left out: \(one.what): \(one.reason)") }
      guard count > 0 else {
        throw CommandFailure(
          code: 3, message: "lull: \(path) has no calls that could be exported\n")
      }
      guard let file else { return Output.write(text) ? 0 : 1 }
      try file.write(text)
      _ = Output.write("\(file.path): \(ImportTarget.counted(count))\n")
      return 0
    } catch {
      return error.tell()
    }
  }

  /// The command line that repeats the export, independent of `LULL_ENV`.
  private func origin(in environment: String?) -> String {
    let isNamed = environment == nil || APIName(word).environment != nil
    let name = word + (isNamed ? "" : "@\(environment ?? "")")
    let words =
      ["lull", "export", name, "--\(form)"] + only.flatMap { ["--only", $0] }
      + (output.map { ["-o", $0] } ?? [])
    return words.map { CurlText.quoted($0) }.joined(separator: " ")
  }

  static func tell(_ text: String) {
    Exit.complain("lull: \(ControlCharacters.shown(in: text))\n")
  }
}

/// The output file of an export: a new file, or one from an earlier export.
struct ExportedFile {
  /// Texts that exported files contain near their beginning. Each format has one.
  static let marks = [
    "\"x-exported-by\": \"lull export ", "# Exported by: lull export ", SkillPage.mark,
  ]

  let path: String
  private var bytes: [UInt8] { Array(path.utf8) }

  init(_ path: String) { self.path = path }

  /// Checks whether the file may be written, before any other work.
  func check() throws(CommandFailure) {
    guard !bytes.contains(0), bytes.last != UInt8(ascii: "/"), !FileName.isFolder(path) else {
      throw failure("'\(path)' is not a file name")
    }
    guard FileName.resolved(path) != nil || FileName.isLink(bytes) else { return }
    guard case .success(let known) = TextFile.read(bytes) else {
      throw failure("'\(path)' cannot be written")
    }
    let start = String(decoding: known.prefix(2000), as: UTF8.self)
    guard known.isEmpty || ExportedFile.marks.contains(where: { start.contains($0) }) else {
      throw failure(
        "'\(path)' was not exported by Lull and is left unchanged: name another file, or move this file "
          + "away"
      )
    }
  }

  /// Writes the file as a whole, and creates missing folders.
  func write(_ text: [UInt8]) throws(CommandFailure) {
    // Another process may have created the file meanwhile.
    try check()
    let folder = FileName.folder(of: bytes)
    if let code = FolderMaking.make(folder) {
      throw failure("cannot make the folder '\(String(escaping: folder))': \(ErrorText.of(code))")
    }
    // Replace the target of a symbolic link, not the link.
    let target = FileName.resolved(bytes) ?? bytes
    guard let code = AtomicFile.write(text, to: target, .usual) else { return }
    throw failure("cannot write '\(path)': \(ErrorText.of(code))")
  }

  private func failure(_ text: String) -> CommandFailure {
    CommandFailure(code: 3, message: "lull: \(ControlCharacters.shown(in: text))\n")
  }
}
