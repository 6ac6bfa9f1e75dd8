import LullCore
import LullHost
import LullREPL

/// `lull apis`: the APIs that have names.
struct ApisCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull apis",
      description: """
        Lists the APIs that have names: files in ./apis and in ~/.config/lull/apis (below
        $XDG_CONFIG_HOME, if that is set). Of two of one name the first is found.
        """,
      arguments: [
        .init(
          names: ["-o", "--output"], placeholder: "FORMAT",
          choices: OutputFormat.names.filter { $0 != "raw" },
          help: "how the list is written: table, unless given")
      ],
      notes: """
        Examples:
          lull apis
          lull apis -o json

        """)
  }

  private let format: OutputFormat

  /// - Parameter words: what follows `apis`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try ParsedWords(words, by: ApisCommand.spec, page: .apis)
    format = parsed.text("-o").flatMap { OutputFormat(rawValue: $0) } ?? .table
  }

  func run() -> Int32 {
    let all = APIFileLocator.all()
    guard !all.isEmpty else {
      Exit.complain(
        "lull: there are none in \(APIFileLocator.folders.map { "'\($0)'" }.joined(separator: " and "))\n"
      )
      return 0
    }
    var code: Int32 = 0
    var rows: [JSONValue] = []
    for (name, path) in all {
      // Each in a state of its own, as when it is used.
      let folder = SourceFile.folder(of: Array(path.utf8))
      let ending = CallRun.run(folder: folder, isInspecting: true) { host in
        do throws(APIFileProblem) {
          // By path: the name may be taken by a folder before.
          let api = try host.api(path)
          rows.append(
            .object([
              .init("name", .string(name)), .init("calls", .int(api.calls.count)),
              .init("description", .string(api.description ?? "")),
              .init("path", .string(path)),
            ]))
          return 0
        } catch {
          Exit.complain(host.describe(error))
          return error.exitCode
        }
      }
      if ending != 0 { code = ending }
    }
    guard let bytes = try? JSONValue.array(rows).encode() else { return 1 }
    let text = ContentText(format: format, columns: [], style: .forStandardOutput())
    _ = Output.write(text.bytes(of: JSONText(valid: bytes)))
    return code
  }
}
