import LullArguments
import LullClients
import LullCore
import LullHost

extension Command {
  static let explain = Command(
    "explain", "show where each setting of a resource is set", .describe,
    forms: [("explain API PATH", "show where each setting of a resource is set")],
    spec: { ExplainCommand.spec }, words: .target
  ) { words, _ throws(CommandEnd) in try ExplainCommand(words.dropFirst()).run() }
}

/// `lull explain API PATH`: shows the settings of a resource, and the steps of loading it.
struct ExplainCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull explain",
      description: """
        Shows all settings of a resource with the lines that set them, and whether the
        next load would send a request.

        The command reads caches, but sends no request. The API file runs with all
        rights, as for a request. For a file you do not trust, use lull check.
        """,
      arguments: [
        .init(positional: "TARGET", help: "An API by name or file, or a URL.", isRequired: true),
        .init(positional: "PATH", help: "The path below the API.", isRequired: false),
        .init(
          names: ["--method"], placeholder: "METHOD",
          help: "Set the method of the request (default GET)."),
      ],
      examples: [
        "lull explain github /users/octocat",
        "lull explain ./apis/shop.lua /orders --method POST",
      ],
      notes: """
        In scripts and sessions: print(resource:explain())
        """)
  }

  private let target: CallTarget
  private let method: RequestMethod

  /// - Parameter words: The arguments after `explain`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try ExplainCommand.spec.read(words, for: .explain)
    var rest = parsed.all("PATH")[...]
    target = try CallTarget(parsed.text("TARGET") ?? "", &rest, for: .explain)
    if let surplus = rest.first {
      throw .wrongUsage("unexpected argument '\(surplus)'", .explain)
    }
    let name = parsed.text("--method") ?? "GET"
    guard let method = RequestMethod(rawValue: name) else {
      throw .wrongUsage("'\(name)' is not an HTTP method", .explain)
    }
    self.method = method
  }

  func run() -> Int32 {
    CallRun.run(target.api) { host, api in
      let resource = target.request(of: api.service, method).resource
      host.loop.finishAskingCaches(resource)
      let text = ResourceExplanation.text(host.sources, resource, method: method)
      // The script called os.exit: write nothing.
      return host.loop.isInterrupted || Output.write(text) ? 0 : 1
    }
  }
}
