import LullArguments
import LullClients
import LullCore
import LullHost
import LullSystem

extension Command {
  static let call = Command(
    "call", "make a call from an API file", .ask,
    forms: [("call API CALL", "make a call from an API file")],
    spec: { CallCommand.spec }, words: .call
  ) { words, _ throws(CommandEnd) in try CallCommand(words.dropFirst()).run() }
}

/// `lull call API CALL [--parameter value …]`: makes a call that an API file declares.
struct CallCommand {
  static var spec: ArgumentSpec {
    var spec = ArgumentSpec(
      name: "lull call API CALL [--PARAMETER VALUE ...]",
      description: """
        Makes a call from an API file.

        lull call API --help lists the calls of an API, lull call API CALL --help the
        parameters of a call. API is the path or the name of an API file; lull apis
        lists the names.

        POST, PUT and PATCH calls without a body parameter send standard input if it is
        a pipe or a file, unless --ignore-stdin is given. A boolean is set with
        --archived, --no-archived or --archived=false. A parameter that has the name of
        an option below is given as --param-NAME, or with the option that the file
        declares for it. If a parameter 'filter' is an object, --filter NAME=VALUE,
        which is not a Lua expression, sets this parameter.

        The API file runs with all rights. With --help, it runs as for lull check.
        """,
      arguments: CallPage.options(hasPages: true))
    spec.examples = [
      "lull call github --help",
      "lull call github repos --user octocat --sort created -o table",
      "lull call github repos --user octocat --all -f 'sum(x, \"stargazers_count\")'",
    ]
    spec.manual = "lull help call"
    return spec
  }

  private let api: String
  private let name: String?
  private let words: [String]

  /// - Parameter words: The arguments after `call`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    var rest = words
    guard let api = rest.popFirst() else {
      throw .wrongUsage("an API and a call are missing", .call)
    }
    if api == "-h" || api == "--help" { throw .help(.call) }
    guard !api.hasPrefix("-") else {
      throw .wrongUsage("the API and the call come first: lull call API CALL \(api) …", .call)
    }
    self.api = api
    if let word = rest.first, !word.hasPrefix("-") {
      name = word
      rest.removeFirst()
    } else {
      name = nil
    }
    self.words = Array(rest)
    // The API file may fail before the parameters of the call are known, so search the words for
    // `--errors`.
    ErrorFormat.useScanned(self.words)
  }

  func run() -> Int32 {
    if let code = help() { return code }
    return CallRun.run(.file(api)) { host, api throws(APIFileProblem) in
      guard let name, let call = try api.call(name) else {
        Exit.complain("lull: \(api.unknownCall(name ?? ""))\n")
        return 2
      }
      do throws(CommandEnd) {
        return try run(call, host, api)
      } catch {
        return CallCommand.end(error, CallPage.spec(of: call, in: self.api))
      }
    }
  }

  // MARK: Help

  /// Inspects the file and shows its help or its list of calls, if the command line requests that.
  ///
  /// Returns the exit code, or `nil` if the command line makes a call instead.
  private func help() -> Int32? {
    let asks = words.contains { $0 == "-h" || $0 == "--help" }
    guard asks || name == nil else { return nil }
    guard let inspection = APIInspection(of: api) else {
      Exit.complain("lull: \(APIFileLocator.missing(api))\n")
      return 3
    }
    var page: String?
    var refusal: String?
    let outcome = inspection.inspect { file throws(APIFileProblem) in
      // Choose the output within the inspection: the file may declare something else when it is run
      // later.
      (page, refusal) = try answer(of: file, asks: asks)
    }
    switch outcome {
    case .seen:
      if let refusal {
        Exit.complain(refusal)
        return 2
      }
      guard let page else { return nil }
      return Output.write(page) ? 0 : 1
    case .needs(let note):
      Exit.complain("lull: \(note): the calls cannot be listed without running the file\n")
      guard asks else { return 2 }
      return Output.write(Command.call.page) ? 0 : 1
    case .module(let report):
      Exit.complain(report)
      return 1
    case .wrong(let report, let code):
      Exit.complain(report)
      return code
    case .ended(let code): return code
    }
  }

  /// Returns the help page of an API file, or the refusal: the reason why there is no help page.
  /// Both are `nil` if the word that looks like a help option is the value of a parameter.
  private func answer(of file: APIFile, asks: Bool) throws(APIFileProblem)
    -> (page: String?, refusal: String?)
  {
    guard let name else {
      let page = CallPage(file, try file.calls)
      guard asks, words.first == "-h" || words.first == "--help" else {
        return (nil, "lull: which call of '\(api)'?\n" + page.list)
      }
      return (page.text, nil)
    }
    guard let call = try file.call(name) else { return (nil, "lull: \(file.unknownCall(name))\n") }
    let spec = CallPage.spec(of: call, in: api)
    do throws(CommandEnd) {
      _ = try spec.read(words, for: .call)
    } catch {
      if case .help = error { return (ArgumentHelp.page(of: spec), nil) }
    }
    return (nil, nil)
  }

  private func run(_ call: APICall, _ host: LuaHost, _ api: APIFile) throws(CommandEnd) -> Int32 {
    let words = CallWords(self.words, for: call)
    let parsed = try CallPage.spec(of: call, in: self.api).read(words.words, for: .call)
    for note in words.notes(on: parsed) { Exit.complain(note) }
    let yielded = CallPage.yielded(to: call)
    var options = try CallOptions(parsed, for: .call, without: yielded)
    if !yielded.contains("--base-url"), let url = parsed.text("--base-url") {
      try CallCommand.rebase(api, to: url)
    }
    if options.columns.isEmpty { options.columns = call.columns }
    options.rows = CallRows(call)
    guard options.pages == nil || call.hasPages else {
      throw .wrongUsage(
        "call '\(call.name)' declares no pages: --pages and --all cannot be used with it", .call)
    }
    let isSubscription = call.graphQL?.isSubscription ?? false
    if isSubscription, options.file != nil || options.showsHead || options.isOfRows {
      throw .wrongUsage(
        "call '\(call.name)' is a subscription, which is written event by event: -O, --download, -i "
          + "and -o table, csv or raw cannot be used with it", .call)
    }
    var request: CallRequest
    do throws(APICall.Misfit) {
      request = try call.request(
        of: api.service, try call.complete(try values(of: call, parsed, options)))
    } catch {
      throw .wrongUsage(error.message, .call)
    }
    request.headers += options.headers
    do throws(RequestItem.Problem) {
      try addInput(to: &request, call, options, host)
    } catch {
      throw .wrongUsage(error.message, .call)
    }
    do throws(APICall.Misfit) {
      try request.completeQuery(of: call)
    } catch {
      throw .wrongUsage(error.message, .call)
    }
    if host.loop.isInterrupted { return 0 }
    if let code = options.complete() ?? options.openSession(for: &request, host) { return code }
    let exchange = CallExchange(host, api, options)
    if let code = exchange.confirm(request) { return code }
    if options.streams || isSubscription && !options.printsCurl && !options.isDry {
      return exchange.runStream(request)
    }
    return options.walksPages
      ? exchange.runPages(PageWalk(host, from: request, call: call)) : exchange.run(request)
  }

  private static func rebase(_ api: APIFile, to url: String) throws(CommandEnd) {
    guard let base = ResourceURL.base(url), !base.host.isEmpty,
      ["http", "https"].contains(base.scheme)
    else {
      throw .wrongUsage(
        "--base-url needs a URL such as https://api.example.com/v1, got "
          + "'\(CredentialMask.malformedURL(url))'", .call)
    }
    guard api.rebase(to: url) else {
      throw .wrongUsage(
        "--base-url: '\(api.fullName)' makes a resource of its service while the file is loaded, so "
          + "its base URL cannot be changed: make the resource in a function", .call)
    }
  }

  /// The values that the command line gives for the parameters.
  private func values(
    of call: APICall, _ parsed: ParsedArguments, _ options: CallOptions
  ) throws(APICall.Misfit) -> [String: CallValue] {
    var values: [String: CallValue] = [:]
    let names = call.options(beside: CallPage.taken(hasPages: call.hasPages))
    for (parameter, option) in zip(call.parameters, names) {
      let texts = parsed.all(option)
      guard !texts.isEmpty else { continue }
      let value = try parameter.value(ofTexts: texts, option: option)
      values[parameter.name] = try CallFiles.found(value, option: option)
    }
    return values
  }

  /// Reads the body from standard input if no parameter sets a body.
  private func addInput(
    to request: inout CallRequest, _ call: APICall, _ options: CallOptions, _ host: LuaHost
  ) throws(RequestItem.Problem) {
    // A GraphQL operation is the body.
    guard !options.ignoresInput, call.graphQL == nil,
      let whole = try WholeBody(
        inputOf: request.method,
        beside: request.body == nil && request.resource.query == nil ? nil : "a parameter", host)
    else { return }
    guard call.bodyForm != .multipart else {
      throw RequestItem.Problem(
        message: "there is a body on standard input, but call '\(call.name)' makes its body from "
          + "parameters: give --ignore-stdin to ignore standard input")
    }
    let hasType =
      call.headers["content-type"] != nil
      || request.headers.contains { $0.name.lowercased() == "content-type" }
    if !hasType, let type = call.contentType { request.headers.append(("content-type", type)) }
    try whole.put(
      into: &request, isForm: call.bodyForm == .form, hasType: hasType || call.contentType != nil,
      isOfCall: call.bodyForm != .raw)
    do throws(RequestError) {
      try request.becomeQuery(method: call.method == .query ? nil : call.method)
    } catch {
      throw RequestItem.Problem(message: error.userMessage)
    }
  }

  /// Shows the help page of the call, or reports wrong usage of the call. Returns the exit code.
  private static func end(_ end: CommandEnd, _ spec: ArgumentSpec) -> Int32 {
    switch end {
    case .wrongUsage(let problem, _):
      ErrorFormat.useScanned(CommandWords.texts)
      Exit.refuse(problem, ArgumentHelp.text(of: spec), spec.name)
      return 2
    case .told(let code): return code
    case .help, .page, .version:
      _ = Output.write(ArgumentHelp.page(of: spec))
      return 0
    }
  }
}

/// The files named by options of a call.
enum CallFiles {
  /// Returns the value with `~/` expanded in file paths. Throws if a file can't be read.
  static func found(
    _ value: CallValue, option: String
  ) throws(APICall.Misfit) -> CallValue {
    switch value {
    case .file(let file): return .file(try found(file, option: option))
    case .list(let elements):
      var found: [CallValue] = []
      for element in elements { found.append(try self.found(element, option: option)) }
      return .list(found)
    default: return value
    }
  }

  private static func found(
    _ file: UploadFile, option: String
  ) throws(APICall.Misfit) -> UploadFile {
    let path = HomeFolder.expanded(file.path.description)
    if let reason = ReadableFile.problem(Array(path.utf8)) {
      throw APICall.Misfit(message: "'\(option)': cannot read '\(path)': \(reason)")
    }
    return UploadFile(ByteString(path))
  }
}

/// The arguments of a call. A parameter may have the same name as an option of `lull call`. On the
/// command line, that name always means the option. If the user may have meant the parameter, a
/// note says so. (PAR-16, PAR-17)
struct CallWords {
  /// A parameter whose name is already taken by an option, and the option name it has instead.
  private struct Namesake {
    let parameter: CallParameter
    let taken: String
    let option: String
  }

  /// The arguments, in which each `--filter name=value` is redirected to the parameter named
  /// `filter`.
  let words: [String]
  private let namesakes: [Namesake]
  private let options: [Argument]

  init(_ words: [String], for call: APICall) {
    options = CallPage.options(hasPages: call.hasPages)
    let taken = CallPage.taken(hasPages: call.hasPages)
    let names = call.options(beside: taken)
    namesakes = zip(call.parameters, names).compactMap { parameter, option in
      let own = "--" + CallParameter.dashed(parameter.name)
      guard taken.contains(own), own != option else { return nil }
      return Namesake(parameter: parameter, taken: own, option: option)
    }
    guard
      let filter = namesakes.first(where: { $0.taken == "--filter" && $0.parameter.kind == .object }
      )
    else {
      self.words = words
      return
    }
    self.words = CallWords.readdressed(words, to: filter.option)
  }

  /// Redirects `--filter kind=cat` and `--filter=kind=cat` to the parameter. The text `kind=cat` is
  /// not a Lua expression, so it can't be meant for the option.
  private static func readdressed(_ words: [String], to option: String) -> [String] {
    var result: [String] = []
    let end = words.firstIndex(of: "--") ?? words.endIndex
    for word in words[..<end] {
      if word.hasPrefix("--filter="), isPair(word.dropFirst("--filter=".count)) {
        result.append(option + word.dropFirst("--filter".count))
      } else {
        if result.last == "--filter", isPair(word[...]) { result[result.count - 1] = option }
        result.append(word)
      }
    }
    return result + words[end...]
  }

  /// Whether the text is a name, `=`, and a value that does not begin with another `=`.
  private static func isPair(_ text: Substring) -> Bool {
    let name = text.prefix { $0.isLetter || $0.isNumber || "_-.[]".contains($0) }
    let rest = text[name.endIndex...]
    let isName = name.first.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
    return isName && rest.hasPrefix("=") && !rest.hasPrefix("==")
  }

  /// The notes about options on the command line where the user may have meant the parameter of the
  /// same name.
  func notes(on parsed: ParsedArguments) -> [String] {
    namesakes.compactMap { namesake in
      let isGiven = words.contains {
        $0 == namesake.taken || $0.hasPrefix(namesake.taken + "=")
      }
      guard isGiven, !parsed.isGiven(namesake.option) else { return nil }
      let short = options.first { $0.names.contains(namesake.taken) }?.names
        .first { !$0.hasPrefix("--") }
      return "lull: note: \(namesake.taken) is an option of lull call"
        + (short.map { ", like \($0)" } ?? "")
        + "; give the parameter '\(namesake.parameter.name)' as \(namesake.option)\n"
    }
  }
}
