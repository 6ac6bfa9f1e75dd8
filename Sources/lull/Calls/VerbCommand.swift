import LullArguments
import LullClients
import LullCore
import LullHost

extension Command {
  static let get = verb(
    "get", "load a resource",
    forms: [
      ("get TARGET [ITEM …]", "load a resource: a URL, or an API and a path"),
      ("URL [ITEM …]", "GET the URL, or POST the items as JSON"),
    ], briefForms: 2)
  static let query = verb(
    "query", "load the response to a query",
    forms: [("query TARGET ITEM …", "load the response to a query: items are its body")])
  static let post = verb("post", "send a POST request")
  static let put = verb("put", "send a PUT request")
  static let patch = verb("patch", "send a PATCH request")
  static let delete = verb("delete", "delete a resource")
  static let head = verb("head", "request status and headers")
  static let options = verb("options", "request the allowed methods")

  /// The command for a command line that begins with a target instead of a method.
  static let request = Command(
    "get", "send a request", .ask, forms: [], spec: { VerbCommand.spec("") }, words: .target
  ) { words, command throws(CommandEnd) in
    try VerbCommand(words, "", for: command).run()
  }

  /// The command for an HTTP method without a command of that name.
  static func ofMethod(_ name: String) -> Command { verb(name, "send a request") }

  private static func verb(
    _ name: String, _ summary: String, forms: [Form] = [], briefForms: Int = 1
  ) -> Command {
    Command(
      name, summary, .ask, forms: forms, briefForms: briefForms,
      spec: { VerbCommand.spec(name) }, words: .target
    ) { words, command throws(CommandEnd) in
      try VerbCommand(words.dropFirst(), command.name.uppercased(), for: command).run()
    }
  }
}

/// `lull get API PATH [ITEM …]` and the other methods. A URL can replace API and PATH. Without a
/// method, a request with a body is a POST, otherwise a GET.
struct VerbCommand {
  private let isMethodGiven: Bool
  private let method: RequestMethod
  private let target: CallTarget
  private let items: [RequestItem]
  private let body: BodyOptions
  /// The HTTP method that sends a query. `nil`: the configured method.
  private let queryMethod: RequestMethod?
  private var options: CallOptions

  /// - Parameter verb: The method. Empty if none is given.
  static func spec(_ verb: String) -> ArgumentSpec {
    let arguments: [Argument] = [
      .init(
        positional: "TARGET",
        help: "A URL, :8080/path on localhost, or an API and a path.", isRequired: true),
      .init(
        positional: "ITEM",
        help: "name=text, name:=json, name==query, Name:header (lull help items).",
        isRequired: false, isRepeated: true),
    ]
    var spec = ArgumentSpec(
      name: verb.isEmpty ? "lull" : "lull \(verb)",
      description: VerbCommand.description(verb),
      arguments: arguments + OptionTable.requests + [OptionTable.noConfig]
        + OptionTable.body(ofQuery: verb == "query")
        + (["", "get", "query"].contains(verb) ? OptionTable.pages + OptionTable.pageWays : []),
      notes: VerbCommand.notes)
    spec.examples = VerbCommand.examples(verb)
    spec.hints = Habits.hints
    // A method without its own command has no page in lull help.
    let isCommand = verb.isEmpty || Command.verbs.contains { $0.name == verb }
    spec.manual = isCommand ? "lull help \(verb.isEmpty ? "get" : verb)" : nil
    return spec
  }

  /// - Parameters:
  ///   - words: The arguments after the method.
  ///   - name: The method. Empty if none is given.
  init(_ words: ArraySlice<String>, _ name: String, for command: Command) throws(CommandEnd) {
    let parsed: ParsedArguments
    (parsed, options) = try VerbDefaults.read(words, for: command)
    if command.spec.option("--cursor") != nil { options.readPageWay(parsed) }
    var rest = parsed.all("ITEM")[...]
    var word = parsed.text("TARGET") ?? ""
    var name = name
    // After options, the first word is a method too, unless it is the name of an API.
    if name.isEmpty, let method = Dispatch.method(word), let next = rest.popFirst() {
      (name, word) = (method, next)
    }
    isMethodGiven = !name.isEmpty
    let usual = options.pages == nil ? RequestMethod.post : .get
    guard let method = isMethodGiven ? RequestMethod(rawValue: name) : usual else {
      throw .wrongUsage("'\(name)' is not an HTTP method", command)
    }
    self.method = method
    if method == .head {
      guard options.file == nil, options.chart == nil else {
        let option = options.file == nil ? "--chart" : "-O"
        throw .wrongUsage(
          "a response to HEAD has no body: \(option) cannot be used", command)
      }
      options.showsHead = true
    }
    if method == .options, options.format == nil, options.filter == nil, options.file == nil {
      options.showsHead = true
    }
    body = try BodyOptions(parsed, for: command)
    target = try CallTarget(word, &rest, for: command)
    items = try options.items(rest, for: command)
    try body.check(items, for: command)
    queryMethod = parsed.text("--query-method").flatMap { RequestMethod(rawValue: $0) }
    if options.pages != nil, method != .query, let item = items.first(where: \.isBody) {
      throw .wrongUsage(
        "pages are requested without a body, but '\(item.word)' makes one; write a query "
          + "parameter as \(item.name)==value", command)
    }
  }

  func run() -> Int32 {
    var options = options
    if let code = options.complete() { return code }
    return CallRun.run(target.api) { host, api in
      var options = options
      var request = target.request(of: api.service, method)
      request.isQuery = method == .query
      do throws(RequestItem.Problem) {
        try RequestParts(items, options, body).apply(to: &request, host)
        if method == .query { try request.becomeQuery(typedAs: queryMethod) }
        guard options.pages == nil || method != .query || request.isLoad else {
          throw RequestItem.Problem(
            message: "--pages and --all cannot be used with a multipart form")
        }
      } catch {
        Exit.complain("lull: \(error.message)\n")
        return 2
      }
      if !isMethodGiven, request.body == nil { request.method = .get }
      if host.loop.isInterrupted { return 0 }
      if let code = options.openSession(for: &request, host) { return code }
      let exchange = CallExchange(host, api, options)
      if let code = exchange.confirm(request) { return code }
      if options.streams { return exchange.runStream(request) }
      guard options.walksPages else { return exchange.run(request) }
      do throws(RequestItem.Problem) {
        let way = try options.nextPage(from: request)
        return exchange.runPages(PageWalk(host, from: request, way: way))
      } catch {
        Exit.complain("lull: \(error.message)\n")
        return 2
      }
    }
  }
}
