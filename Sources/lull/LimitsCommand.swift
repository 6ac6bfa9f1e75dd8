import LullArguments
import LullCore
import LullHost
import LullSystem
import LullTransport

extension Command {
  static let limits = Command(
    "limits", "show what is used of the limits that processes share", .more,
    forms: [("limits", "show what is used of the limits that processes share")],
    spec: { LimitsCommand.spec }, words: .options
  ) { words, _ throws(CommandEnd) in try LimitsCommand(words.dropFirst()).run() }
}

/// `lull limits`: shows the limits that processes count together.
struct LimitsCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull limits",
      description: """
        Shows the rate limits that processes share (rate_limit = { …, shared = true }): what of each is
        used now, who waits, when it opens, and what the server has said of its own.

        A limit is shown while what was sent counts, or somebody asks. Exit code 1 if the file of limits
        cannot be used.
        """,
      arguments: [
        .init(
          names: ["-o", "--output"], placeholder: "FORMAT", choices: ["text", "json"],
          help: "text, the default, or json"),
        .init(
          "--path", placeholder: "FILE",
          help: "another file than lull/limits.db in $XDG_STATE_HOME or ~/.local/state"),
      ])
  }

  private let path: String?
  private let isJSON: Bool

  /// - Parameter words: what follows `limits`.
  init(_ words: some Collection<String>) throws(CommandEnd) {
    let parsed = try LimitsCommand.spec.read(words, for: .limits)
    path = parsed.text("--path")
    isJSON = parsed.text("--output") == "json"
  }

  /// - Returns: the exit code.
  func run() -> Int32 {
    do throws(LimitInspection.Problem) {
      let limits = try LimitInspection(path: path).summaries()
      if isJSON {
        // Numbers here are finite, so that it can be written.
        let text = (try? JSONValue.array(limits.map(LimitsCommand.json)).encode(pretty: true)) ?? []
        StandardOutput.write(text + [10])
      } else if limits.isEmpty {
        StandardOutput.write("no limit is in use\n")
      } else {
        for limit in limits { StandardOutput.write(LimitsCommand.text(of: limit)) }
      }
      return 0
    } catch {
      Exit.complain("lull: \(error.message)\n")
      return 1
    }
  }

  private static func text(of limit: LimitInspection.Summary) -> String {
    var text = LogText.part(limit.name)
    if !limit.identity.isEmpty {
      text += "  (identity \(Hexadecimal.text(limit.identity.prefix(4)))…)"
    }
    text += "\n"
    for rule in limit.rules {
      let opens =
        switch rule.opensAfter {
        case 0?: "open"
        case let seconds?: "opens in \(LogText.seconds(seconds))"
        case nil: "full, until one of them is sent"
        }
      text += "  \(rule.used) of \(rule.requests) in \(LogText.seconds(rule.per)), \(opens)\n"
    }
    if limit.waiting > 0 { text += "  waiting: \(limit.waiting)\n" }
    if let server = limit.server {
      text +=
        "  the server: \(server.left) left, anew in \(LogText.seconds(server.resetsAfter))\n"
    }
    if let pause = limit.pause {
      text += "  the server: none for \(LogText.seconds(pause))\n"
    }
    return text
  }

  private static func json(_ limit: LimitInspection.Summary) -> JSONValue {
    .object([
      .init("name", .string(limit.name)),
      .init(
        "identity",
        limit.identity.isEmpty ? .null : .string(Hexadecimal.text(limit.identity.prefix(4)))),
      .init(
        "rules",
        .array(
          limit.rules.map { rule in
            .object([
              .init("requests", .int(rule.requests)), .init("per", .double(rule.per)),
              .init("used", .int(rule.used)),
              .init("opens_after", rule.opensAfter.map { .double($0) } ?? .null),
            ])
          })),
      .init("waiting", .int(limit.waiting)),
      .init("server_left", limit.server.map { .int($0.left) } ?? .null),
      .init("server_resets_after", limit.server.map { .double($0.resetsAfter) } ?? .null),
      .init("paused_for", limit.pause.map { .double($0) } ?? .null),
    ])
  }
}
