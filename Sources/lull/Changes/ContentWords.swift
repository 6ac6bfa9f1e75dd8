import LullArguments
import LullClients
import LullCore
import LullHost

/// The command line of `lull changed` and `lull watch`: the resource, and the options that process
/// its content. It accepts the arguments of `lull get`, except for a body and for options that
/// apply to only one response.
struct ContentWords {
  let command: Command
  let target: CallTarget
  let parsed: ParsedArguments
  var options: CallOptions
  private let items: [RequestItem]
  private let body: BodyOptions

  private static let left: Set = [
    "-o", "-r", "--columns", "--csv-guard", "-i", "-O", "--curl", "--dry-run", "--download", "-C",
    "--stream",
    "--chart", "--yes",
  ]

  static func spec(
    _ name: String, _ description: String, _ own: [Argument], without others: Set<String> = [],
    hints: [String: String] = [:], examples: [String], exitCodes: [ExitCode] = [],
    notes: String? = nil
  ) -> ArgumentSpec {
    var spec = ArgumentSpec(
      name: "lull \(name)", description: description,
      arguments: [
        .init(
          positional: "TARGET",
          help: "A URL, :8080/path on localhost, or an API and a path.", isRequired: true),
        .init(
          positional: "ITEM",
          help: "name==query, Name:header (lull help items).", isRequired: false, isRepeated: true),
        .init(
          names: ["-o", "--output"], placeholder: "FORMAT", choices: ["json", "ndjson"],
          category: "Output", help: "Write differences as JSON.",
          details: "Each difference is an object with added, removed and changed."),
      ] + own
        + OptionTable.requests.filter {
          left.union(others).isDisjoint(with: $0.names)
        }
        + [OptionTable.noConfig],
      examples: examples, exitCodes: exitCodes, notes: notes)
    spec.manual = "lull help \(name)"
    spec.hints = Habits.hints.merging([
      "-O": "differences go to standard output: lull \(name) … > FILE",
      "-d": "lull \(name) sends GET without a body; write a query parameter as name==text",
      "--stream": "lull get --stream writes events and rows as they arrive",
      "-r": "differences are plain lines, or JSON with -o json",
      "--columns": "-f 'pick(x, \"a\", \"b\")' leaves the other fields out",
      "-i": "only content is compared: -v shows status and headers on standard error",
    ]) { $1 }.merging(hints) { $1 }
    return spec
  }

  init(_ words: ArraySlice<String>, for command: Command) throws(CommandEnd) {
    self.command = command
    (parsed, options) = try VerbDefaults.read(
      words, for: command, ignoring: ["columns", "csv_guard", "form", "include", "output"])
    if command.spec.option("--cursor") != nil { options.readPageWay(parsed) }
    options.ignoresInput = true
    body = try BodyOptions(parsed, for: command)
    var rest = parsed.all("ITEM")[...]
    target = try CallTarget(parsed.text("TARGET") ?? "", &rest, for: command)
    items = try options.items(rest, for: command)
    if let item = items.first(where: \.isBody) {
      throw .wrongUsage(
        "lull \(command.name) sends GET without a body, but '\(item.word)' makes one; write a query "
          + "parameter as \(item.name)==value", command)
    }
  }

  /// Loads the API and passes it to `work` with the request. Returns the exit code.
  func run(_ work: (LuaHost, APIFile, CallRequest, CallOptions) -> Int32) -> Int32 {
    var options = options
    if let code = options.complete() { return code }
    return CallRun.run(target.api) { host, api in
      var request = target.request(of: api.service, "GET")
      do throws(RequestItem.Problem) {
        try RequestParts(items, options, body).apply(to: &request, host)
      } catch {
        Exit.complain("lull: \(error.message)\n")
        return 2
      }
      guard !request.hasOwnCondition else {
        Exit.complain(
          "lull: changes are found by comparing content: remove If-None-Match and "
            + "If-Modified-Since\n")
        return 2
      }
      if host.loop.isInterrupted { return 0 }
      return work(host, api, request, options)
    }
  }
}
