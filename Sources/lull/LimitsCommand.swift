import LullArguments
import LullCore
import LullHost
import LullSystem
import LullTransport

extension Command {
  static let limits = Command(
    "limits", "show the use of shared rate limits", .keep,
    forms: [("limits [URL]", "show the use of shared rate limits")], briefForms: 0,
    spec: { LimitsCommand.spec }, words: .options
  ) { words, _ throws(CommandEnd) in try LimitsCommand(words.dropFirst()).run() }
}

/// `lull limits`: shows the rate limits that processes share.
struct LimitsCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull limits",
      description: """
        Shows rate limits that processes share (rate_limit = { …, shared = true }).

        For each limit: its use, the waiting processes, when it admits more requests,
        and the limits that the server has announced. With the URL of a shared server
        (lull.share) or $LULL_SHARE, the limits of all hosts come first. The exit code
        is 1 if the limits file or the server cannot be used.
        """,
      arguments: [.init("URL", help: "The URL of the server.")] + OptionTable.share + [
        OptionTable.textOrJSON,
        .init(
          "--path", placeholder: "FILE", help: "Read this file of limits.",
          details: "The default is lull/limits.db in $XDG_STATE_HOME or ~/.local/state."),
      ])
  }

  private let path: String?
  private let server: ShareInspection?
  private let isJSON: Bool

  /// - Parameter words: The arguments after `limits`.
  init(_ words: some Collection<String>) throws(CommandEnd) {
    let parsed = try LimitsCommand.spec.read(words, for: .limits)
    path = parsed.text("--path")
    isJSON = parsed.text("--output") == "json"
    server = try ShareWords.inspection(parsed, .limits)
  }

  /// - Returns: The exit code.
  func run() -> Int32 {
    let shared = server.map { ServerLimits(of: $0) }
    var problem = shared?.problem
    var limits: [LimitInspection.Summary] = []
    do throws(LimitInspection.Problem) {
      limits = try LimitInspection(path: path).summaries()
    } catch {
      problem = error.message
    }
    let counted = (shared?.limits ?? []).map { (limit: $0, server: shared?.url) }
    let shown = counted + limits.map { (limit: $0, server: nil) }
    if let problem { Exit.complain("lull: \(problem)\n") }
    if isJSON {
      // All numbers are finite, so encoding can't fail.
      let text =
        (try? JSONValue.array(shown.map { LimitsCommand.json($0.limit, on: $0.server) }).encode(
          pretty: true)) ?? []
      StandardOutput.write(text + [10])
    } else if shown.isEmpty, problem == nil {
      StandardOutput.write("no limit is in use\n")
    } else {
      for (limit, server) in shown {
        StandardOutput.write(LimitsCommand.text(of: limit, on: server))
      }
    }
    return problem == nil ? 0 : 1
  }

  /// The limits that the shared server counts for all hosts.
  private struct ServerLimits {
    /// The server's URL without user name and password.
    let url: String
    var limits: [LimitInspection.Summary] = []
    /// Why the limits are not available.
    var problem: String?

    init(of server: ShareInspection) {
      url = server.url
      do throws(TransportError) {
        switch try server.limits() {
        case .success(let limits): self.limits = limits
        case .failure(let unusable):
          problem = "the shared server \(url) cannot be used: \(unusable.message)"
        }
      } catch {
        problem = error.message
      }
    }
  }

  private static func text(of limit: LimitInspection.Summary, on server: String?) -> String {
    var text = LogText.part(limit.name)
    if !limit.identity.isEmpty {
      text += "  (identity \(Hexadecimal.text(limit.identity.prefix(4)))…)"
    }
    text += (server.map { "  on \($0)" } ?? "") + "\n"
    for rule in limit.rules {
      let opens =
        switch rule.opensAfter {
        case 0?: "open"
        case let seconds?: "opens in \(LogText.seconds(seconds))"
        case nil: "full until an admitted request is sent"
        }
      text += "  \(rule.used) of \(rule.requests) in \(LogText.seconds(rule.per)), \(opens)\n"
    }
    if limit.waiting > 0 { text += "  waiting: \(limit.waiting)\n" }
    if let server = limit.server {
      text +=
        "  the server: \(server.left) left, reset in \(LogText.seconds(server.resetsAfter))\n"
    }
    if let pause = limit.pause {
      text += "  the server: no more requests for \(LogText.seconds(pause))\n"
    }
    return text
  }

  private static func json(_ limit: LimitInspection.Summary, on server: String?) -> JSONValue {
    .object([
      .init("name", .string(limit.name)), .init("shared_by", server.map { .string($0) } ?? .null),
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
