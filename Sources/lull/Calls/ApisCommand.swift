import LullArguments
import LullClients
import LullCore
import LullHost

extension Command {
  static let apis = Command(
    "apis", "list the API files", .describe,
    forms: [("apis", "list the API files")],
    spec: { ApisCommand.spec }, words: .options
  ) { words, _ throws(CommandEnd) in try ApisCommand(words.dropFirst()).run() }
}

/// `lull apis`: lists the APIs that have names.
struct ApisCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull apis",
      description: """
        Lists the API files.

        Names are looked up in ./apis, in the apis folders above, up to the folder with
        .git, and in ~/.config/lull/apis ($XDG_CONFIG_HOME/lull/apis). If several files
        have the same name, the first is used. Files above the current folder must
        belong to you. Modules, which declare no API, are left out.

        Files of your configuration folder and trusted files (lull trust) run with all
        rights except network access. Other files run in the sandbox, without secrets
        and environment; if a file needs more, only its name is listed.
        """,
      arguments: OptionTable.list(standard: "table"),
      examples: [
        "lull apis",
        "lull apis -o json",
      ])
  }

  private let format: OutputFormat
  private let guardsFormulas: Bool

  /// - Parameter words: The arguments after `apis`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try ApisCommand.spec.read(words, for: .apis)
    format = OutputFormat(parsed) ?? .table
    guardsFormulas = parsed.has("--csv-guard")
  }

  func run() -> Int32 {
    TrustDecision.tell()
    let listing = APIFileLocator.listing()
    for problem in listing.problems { Exit.complain("lull: \(problem)\n") }
    var code: Int32 = 0
    var rows: [JSONValue] = []
    for (name, path) in listing.files {
      // Inspect each in a separate Lua state, as when it is used.
      var calls: JSONValue = .null
      var description = ""
      var environments: [String] = []
      let outcome = APIInspection(path).inspect { api in
        calls = .int(api.callNames.count)
        description = api.description ?? ""
        environments = api.environments
      }
      switch outcome {
      case .seen: break
      // A module is in the folder for other files to require.
      case .module: continue
      case .needs(let note): Exit.complain("lull: \(note)\n")
      case .ended(let signal): return signal
      case .wrong(let report, let ending):
        Exit.complain(report)
        code = ending
        continue
      }
      var row: [JSONValue.Member] = [
        .init("name", .string(name)), .init("calls", calls),
        .init("description", .string(description)), .init("path", .string(path)),
      ]
      if !environments.isEmpty {
        let isForPeople = format == .table
        row.append(
          .init(
            "environments",
            isForPeople
              ? .string(environments.joined(separator: ", "))
              : .array(environments.map { .string($0) })))
      }
      rows.append(.object(row))
    }
    if rows.isEmpty, code == 0 {
      let folders = APIFolder.all.map { "'\($0.path)'" }.joined(separator: " and ")
      Exit.complain("lull: there are no API files in \(folders)\n")
    }
    guard let bytes = try? JSONValue.array(rows).encode() else { return 1 }
    let text = ContentText(
      format: format, columns: [], style: .forStandardOutput(), guardsFormulas: guardsFormulas)
    _ = Output.write(text.bytes(of: JSONText(valid: bytes)))
    return code
  }
}
