import LullArguments
import LullClients
import LullCore
import LullHost

/// The command line of `lull changed` and `lull watch`: the resource, and the options that process
/// its content. It accepts the arguments of `lull get`, except for options that apply to only one
/// response. After the word `query`, it accepts the body of a query too. (QUERY-40)
struct ContentWords {
  let command: Command
  let target: CallTarget
  let parsed: ParsedArguments
  var options: CallOptions
  private let items: [RequestItem]
  private let body: BodyOptions
  /// Whether the resource is a query.
  private let isQuery: Bool
  /// The method that sends the query. `nil`: the configured method.
  private let queryMethod: RequestMethod?

  /// The options of the body of a query. A multipart form can't be the content of a query.
  private static let queryOptions = OptionTable.body(ofQuery: true).filter {
    !$0.names.contains("--multipart")
  }

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
          help: "name==query, Name:header; name=text for a query (lull help items).",
          isRequired: false, isRepeated: true),
        .init(
          names: ["-o", "--output"], placeholder: "FORMAT", choices: ["json", "ndjson"],
          category: "Output", help: "Write differences as JSON.",
          details: "Each difference is an object with added, removed and changed."),
      ] + own
        + OptionTable.requests.filter {
          left.union(others).isDisjoint(with: $0.names)
        }
        + [OptionTable.noConfig] + queryOptions,
      examples: examples, exitCodes: exitCodes, notes: notes)
    spec.manual = "lull help \(name)"
    spec.hints = Habits.hints.merging([
      "-O": "differences go to standard output: lull \(name) … > FILE",
      "--multipart": "a query cannot have a multipart form as its body",
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
      words, for: command, ignoring: ["columns", "csv_guard", "include", "output"])
    if command.spec.option("--cursor") != nil { options.readPageWay(parsed) }
    var rest = parsed.all("ITEM")[...]
    var word = parsed.text("TARGET") ?? ""
    // An API may be called `query`: its paths begin with a slash, and targets of queries do not.
    isQuery =
      Dispatch.method(word) == RequestMethod.query.rawValue && rest.first?.hasPrefix("/") == false
    if isQuery { word = rest.removeFirst() }
    target = try CallTarget(word, &rest, for: command)
    items = try options.items(rest, for: command)
    queryMethod = parsed.text("--query-method").flatMap { RequestMethod(rawValue: $0) }
    guard isQuery else {
      body = BodyOptions()
      options.ignoresInput = true
      try checkBody(words)
      return
    }
    body = try BodyOptions(parsed, for: command)
    try body.check(items, for: command)
    // A loop or a cron job has no body on its standard input.
    if body.data != nil || items.contains(where: \.isBody) { options.ignoresInput = true }
  }

  /// Throws wrong usage if the command line has a body, but is not that of a query.
  private func checkBody(_ words: ArraySlice<String>) throws(CommandEnd) {
    let advice = "; a query with a body is lull \(command.name) query TARGET"
    if let item = items.first(where: \.isBody) {
      throw .wrongUsage(
        "lull \(command.name) sends GET without a body, but '\(item.word)' makes one; write a query "
          + "parameter as \(item.name)==value" + advice, command)
    }
    for option in ContentWords.queryOptions {
      // The file of defaults may set --form, which has no effect without a body.
      guard let name = option.names.first, parsed.isGiven(name),
        name != "--form" || words.contains(name)
      else { continue }
      throw .wrongUsage(
        "lull \(command.name) sends GET without a body: \(name) cannot be used" + advice, command)
    }
  }

  /// Loads the API and passes it to `work` with the request. Returns the exit code.
  func run(_ work: (LuaHost, APIFile, CallRequest, CallOptions) -> Int32) -> Int32 {
    var options = options
    if let code = options.complete() { return code }
    return CallRun.run(target.api) { host, api in
      var request = target.request(of: api.service, isQuery ? .query : .get)
      request.isQuery = isQuery
      do throws(RequestItem.Problem) {
        try RequestParts(items, options, body).apply(to: &request, host)
        if isQuery { try request.becomeQuery(typedAs: queryMethod) }
        guard request.isLoad else {
          throw RequestItem.Problem(message: "a query cannot have a multipart form as its body")
        }
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
