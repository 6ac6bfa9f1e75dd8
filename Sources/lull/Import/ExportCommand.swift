import LullArguments
import LullClients
import LullCore
import LullHost
import LullImport
import LullSystem

extension Command {
  static let export = Command(
    "export", "write what an API file describes for other programs", .more,
    forms: [
      ("export API --openapi", "write an OpenAPI document of an API file"),
      ("export API --curl", "write a command line of curl for each of its calls"),
    ],
    spec: { ExportCommand.spec }, words: .apisAndFiles
  ) { words, command throws(CommandEnd) in
    try ExportCommand(words.dropFirst(), command).run()
  }
}

/// `lull export`: writes what an API file describes for other programs, without asking any network.
struct ExportCommand {
  private enum Form: String {
    case openapi
    case curl
  }

  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull export",
      description: """
        Writes what an API file describes for other programs: an OpenAPI document (3.1, JSON), or a command line
        of curl for each call. It only looks at the file, in the sandbox as lull check does, and asks no network.

        Credentials stay behind: neither secrets nor what variables of the environment hold are written. A
        document names what lets somebody in; command lines have variables of the shell in its place, and for
        each parameter that has to be given. What there is no place for is told with its reason.

        A file that was not exported is not overwritten.
        """,
      arguments: [
        .init(
          positional: "API",
          help: "an API by name, or an API file; with @NAME, or LULL_ENV, in an environment",
          isRequired: true),
        .init(names: ["--openapi"], kind: .flag, help: "write an OpenAPI document"),
        .init(names: ["--curl"], kind: .flag, help: "write command lines of curl"),
        .init(
          names: ["-o", "--output"], placeholder: "FILE",
          help: "the file that is written; - or nothing: standard output"),
        .init(
          names: ["--only"], placeholder: "PATTERN",
          help: "only calls whose name or path it matches (* and ?); repeatable", isRepeated: true),
      ],
      notes: """
        Examples:
          lull export shop --openapi -o docs/openapi.json
          lull export shop --openapi --only 'orders*'
          lull export shop@staging --curl

        One call as curl, with values: lull call API CALL --parameter value --curl

        Exit codes: 0 exported; 1 the API file cannot be looked at; 2 wrong usage; 3 there is no such file, it
        has no calls, or the file cannot be written.

        """)
  }

  private let word: String
  private let form: Form
  private let only: [String]
  private let output: String?

  /// - Parameter words: what follows `export`.
  init(_ words: ArraySlice<String>, _ command: Command) throws(CommandEnd) {
    let parsed = try ExportCommand.spec.read(words, for: command)
    word = parsed.text("API") ?? ""
    let forms = [Form.openapi, .curl].filter { parsed.has("--\($0.rawValue)") }
    guard let form = forms.first, forms.count == 1 else {
      throw .wrongUsage(
        forms.isEmpty
          ? "as what it is exported has to be said: --openapi or --curl"
          : "--openapi and --curl are two files: one of them at a time", command)
    }
    self.form = form
    only = parsed.all("--only")
    guard !only.contains("") else {
      throw .wrongUsage("--only needs a pattern, got nothing", command)
    }
    let output = parsed.text("--output")
    guard output != "" else { throw .wrongUsage("-o needs the name of a file, or -", command) }
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
          code: 3, message: "lull: \(path): it has no calls that could be exported\n")
      }
      guard let file else { return Output.write(text) ? 0 : 1 }
      try file.write(text)
      _ = Output.write("\(file.path): \(ImportTarget.counted(count))\n")
      return 0
    } catch {
      return error.tell()
    }
  }

  /// By which it is exported again, whatever `LULL_ENV` is then.
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
