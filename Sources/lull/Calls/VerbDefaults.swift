import LullLibC
import LullArguments
import LullClients
import LullCore
import LullHost
import LullSystem

/// The default options of methods, from `$XDG_CONFIG_HOME/lull/config.lua`. Scripts, REPL sessions,
/// calls and completion do not use them.
struct VerbDefaults {
  /// Keys of the file, which are the long names of options. `headers` is `-H`.
  private static let keys = [
    "ca_file", "cert", "columns", "csv_guard", "follow", "form", "headers", "http", "ignore_stdin",
    "include", "insecure", "key", "max_redirects", "output", "proxy", "retry", "session",
    "session_read_only", "timeout",
  ]

  private let path: String
  /// Keys of the file that do not apply to the command.
  private let ignored: Set<String>
  private var parsed: ParsedArguments
  private(set) var headers: [(name: String, value: String)] = []

  /// Reads the file of defaults in the sandbox and reports errors in it. The result is `nil` if
  /// there is no such file, or if the command line ignores it.
  ///
  /// - Parameters:
  ///   - isLeftAlone: Whether the command line ignores the file.
  ///   - ignored: Keys of the file that do not apply to the command.
  init?(
    for command: Command, unless isLeftAlone: Bool, ignoring ignored: Set<String> = []
  ) throws(CommandEnd) {
    guard !isLeftAlone, let folder = APIFolder.own.map({ FileName.folder(of: $0.path) })
    else { return nil }
    path = folder + "/config.lua"
    self.ignored = ignored
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let source: [UInt8]
    switch TextFile.read(Array(path.utf8), limit: Inspection.sizeLimit) {
    case .success(let bytes): source = SourceText.withoutFirstLineMarks(bytes)
    case .failure(let problem):
      Exit.complain("lull: \(String(escaping: problem.message))\n")
      throw .told(3)
    }
    var spec = ArgumentSpec(name: "", description: "", arguments: command.spec.options)
    spec.name = command.name
    do throws(ArgumentParser.End) {
      parsed = try ArgumentParser.parse([], by: spec, checksRules: false)
    } catch {
      return nil
    }
    try read(source, in: folder, by: spec)
  }

  private mutating func read(
    _ source: [UInt8], in folder: String, by spec: ArgumentSpec
  ) throws(CommandEnd) {
    var found: [VerbDefault] = []
    var problem: String?
    let path = path
    let code = CallRun.inspect(in: Array(folder.utf8), Inspection()) { host in
      let files = host.part(APIFiles.self)
      do throws(APIFileProblem) {
        found = try files.defaults(in: source, path: path, known: VerbDefaults.keys)
        return 0
      } catch {
        problem = files.describe(error)
        return error.exitCode
      }
    }
    if let problem { Exit.complain(problem) }
    guard code == 0 else { throw .told(code) }
    for item in found where !ignored.contains(item.key) { try take(item, by: spec) }
  }

  private mutating func take(_ item: VerbDefault, by spec: ArgumentSpec) throws(CommandEnd) {
    let option = "--" + item.key.replacing("_", with: "-")
    switch item.value {
    case .table(let pairs) where item.key == "headers":
      for (name, value) in pairs { try take(header: name, value, item) }
    case .text(let text) where spec.option(option)?.takesValue == true:
      try take(["\(option)=\(text)"], item, by: spec)
    case .flag(let isOn) where spec.option(option)?.takesValue == false:
      try take([isOn ? option : "--no-" + option.dropFirst(2)], item, by: spec)
    case .table, .text, .flag:
      let kind =
        item.key == "headers"
        ? "a table of names and texts"
        : spec.option(option)?.takesValue == true ? "a text or a number" : "true or false"
      throw wrong(item, "'\(item.key)' must be \(kind)")
    }
  }

  private mutating func take(
    _ words: [String], _ item: VerbDefault, by spec: ArgumentSpec
  ) throws(CommandEnd) {
    do throws(ArgumentParser.End) {
      parsed.fill(from: try ArgumentParser.parse(words, by: spec, checksRules: false))
    } catch {
      guard case .problem(let text) = error else { return }
      throw wrong(item, text)
    }
  }

  private mutating func take(
    header name: String, _ value: String, _ item: VerbDefault
  ) throws(CommandEnd) {
    if let problem = Headers.problem(name, value.utf8) { throw wrong(item, problem) }
    guard !CredentialName.names(name) else {
      throw wrong(
        item,
        "'\(name)' would be sent to every server: use --session NAME for one server, or set the "
          + "header in an API file")
    }
    headers.append((name, value))
  }

  private func wrong(_ item: VerbDefault, _ text: String) -> CommandEnd {
    Exit.complain("lull: \(item.place.file):\(item.place.line): \(text)\n")
    return .told(2)
  }

  // MARK: Filling in defaults

  /// Parses the arguments of a command and adds the defaults of options that are not given. Returns
  /// the completed arguments and the resulting options.
  static func read(
    _ words: ArraySlice<String>, for command: Command, ignoring ignored: Set<String> = []
  ) throws(CommandEnd) -> (ParsedArguments, CallOptions) {
    var parsed = try command.spec.read(words, for: command, checksRules: false)
    let defaults = try VerbDefaults(
      for: command, unless: parsed.has("--no-config"), ignoring: ignored)
    if let defaults { parsed.fill(defaults: defaults.parsed) }
    do throws(CommandEnd) {
      do throws(ArgumentParser.End) {
        try parsed.checkRules()
      } catch {
        throw CommandEnd(error, command)
      }
      var options = try CallOptions(parsed, for: command)
      options.usualHeaders = defaults?.headers ?? []
      return (parsed, options)
    } catch {
      throw defaults?.explained(error) ?? error
    }
  }

  /// Adds a hint to an error message that the defaults in the file may be the cause of the error.
  func explained(_ end: CommandEnd) -> CommandEnd {
    guard case .wrongUsage(let problem, let command) = end else { return end }
    return .wrongUsage(
      "\(problem) (with the defaults of \(path); --no-config ignores them)", command)
  }
}
