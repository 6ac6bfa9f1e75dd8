import LullCore
import LullHost

/// `lull call API CALL [--parameter value …]`: a call that an API's file declares.
struct CallCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull call API CALL [--PARAMETER VALUE ...]",
      description: """
        Makes a call that an API's file declares.

        lull call API --help lists the calls of an API, lull call API CALL --help the parameters of
        one. API is the name of a file in ./apis or ~/.config/lull/apis, or the path of one.

        What is true or false is set by --archived, --no-archived and --archived=false. A parameter
        that is called like an option below is given as --param-NAME, unless the file names its
        option.
        """,
      arguments: CallOptions.arguments + CallOptions.pageArguments,
      notes: """
        Examples:
          lull call github --help
          lull call github repos --user octocat --sort created -o table
          lull call github repos --user octocat --all -f 'sum(x, "stargazers_count")'
          lull call github repos --user octocat --curl

        """)
  }

  private let api: String
  private let name: String?
  private let words: [String]

  /// - Parameter words: what follows `call`.
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
  }

  func run() -> Int32 {
    CallRun.run(.file(api)) { host, api in
      let page = CallPage(api)
      guard let name else {
        guard words.first == "-h" || words.first == "--help" else {
          Exit.complain("lull: which call of '\(self.api)'?\n" + page.list)
          return 2
        }
        _ = Output.write(page.text)
        return 0
      }
      guard let call = api.call(name) else {
        Exit.complain("lull: \(api.unknownCall(name))\n")
        return 2
      }
      do throws(CommandEnd) {
        return try run(call, host, api)
      } catch {
        return CallCommand.end(error, CallPage.spec(of: call, in: self.api))
      }
    }
  }

  private func run(_ call: APICall, _ host: LuaHost, _ api: APIFile) throws(CommandEnd) -> Int32 {
    let parsed = try ParsedWords(words, by: CallPage.spec(of: call, in: self.api), page: .call)
    var options = try CallOptions(parsed, page: .call)
    if options.columns.isEmpty { options.columns = call.columns }
    guard options.pages == nil || call.hasPages else {
      throw .wrongUsage(
        "call '\(call.name)' declares no pages: --pages and --all do not go with it", .call)
    }
    var request: CallRequest
    do throws(APICall.Misfit) {
      var values: [String: CallValue] = [:]
      let options = call.options(beside: CallPage.taken(hasPages: call.hasPages))
      for (parameter, option) in zip(call.parameters, options) {
        if let text = parsed.text(option) {
          values[parameter.name] = try call.value(of: text, for: parameter.name)
        }
      }
      request = try call.request(of: api.service, try call.complete(values))
    } catch {
      throw .wrongUsage(error.message, .call)
    }
    for case .header(let name, let value) in options.headers {
      request.headers.append((name, value))
    }
    let exchange = CallExchange(host, api, options)
    return options.walksPages
      ? exchange.runPages(PageWalk(host, from: request, call: call)) : exchange.run(request)
  }

  /// What the end of a command line means where the page is the call's own.
  private static func end(_ end: CommandEnd, _ spec: ArgumentSpec) -> Int32 {
    switch end {
    case .wrongUsage(let problem, _):
      let usage = ArgumentHelp.text(of: spec).prefix { $0 != "\n" }
      Exit.complain("lull: \(problem)\n\(usage)\nTry '\(spec.name) --help'.\n")
      return 2
    case .help, .version:
      _ = Output.write(ArgumentHelp.text(of: spec))
      return 0
    }
  }
}
