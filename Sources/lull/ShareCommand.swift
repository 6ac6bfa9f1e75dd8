import LullArguments
import LullCore
import LullHost
import LullSystem
import LullTransport

extension Command {
  static let share = Command(
    "share", "show the server that hosts share", .keep,
    forms: [("share info [URL]", "show the server that hosts share")], briefForms: 0,
    spec: { ShareCommand.spec }, words: .of(["info"])
  ) { words, _ throws(CommandEnd) in try ShareCommand(words.dropFirst()).run() }
}

/// `lull share info`: shows the Valkey or Redis server that hosts share state through.
struct ShareCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull share",
      description: """
        Shows the Valkey or Redis server that hosts share (lull.share{ url = … }).

        Prints its version, the time of an operation, the number of hosts and the size
        of the shared caches. If the server is slow, also prints how long programs wait
        for the server. The URL is redis://[user:password@]host[:port][/db], rediss://…
        with TLS or unix:///path; the default is $LULL_SHARE. The exit code is 1 if the
        server cannot be used.
        """,
      arguments: [
        .init("ACTION", help: "info (default)."),
        .init("URL", help: "The URL of the server."),
      ] + OptionTable.share + [OptionTable.textOrJSON])
  }

  private let server: ShareInspection
  private let isJSON: Bool

  /// - Parameter words: The arguments after `share`.
  init(_ words: some Collection<String>) throws(CommandEnd) {
    let parsed = try ShareCommand.spec.read(words, for: .share)
    let action = parsed.text("ACTION") ?? "info"
    guard action == "info" else {
      let near = NearestName.suggestion(for: action, among: ["info"])
      throw .wrongUsage(
        "there is no 'lull share \(LogText.part(CredentialMask.malformedURL(action), limit: 60))'"
          + (near.map { " (did you mean '\($0)'?)" } ?? ""), .share)
    }
    guard let server = try ShareWords.inspection(parsed, .share) else {
      throw .wrongUsage("no server is named: give its URL, or set \(Share.variable)", .share)
    }
    self.server = server
    isJSON = parsed.text("--output") == "json"
  }

  /// - Returns: The exit code.
  func run() -> Int32 {
    do throws(TransportError) {
      let report = try server.report()
      StandardOutput.write(isJSON ? ShareCommand.json(report) : ShareCommand.text(report))
      return report.trouble == nil ? 0 : 1
    } catch {
      Exit.complain("lull: \(error.message)\n")
      return 1
    }
  }

  private static func text(_ report: ShareInspection.Report) -> String {
    var lines = [("url", report.url), ("namespace", report.namespace)]
    lines.append(("state", report.trouble.map { "cannot be used: \($0)" } ?? "can be used"))
    if let software = report.software, let version = report.version {
      lines.append(("server", "\(software) \(version)"))
    }
    if let latency = report.latency {
      let patience = report.patience ?? 0
      let slow =
        patience > ShareInspection.usualPatience
        ? ", slow: programs wait up to \(Int(patience * 1000)) ms for a response" : ""
      lines.append(("latency", "\(Int((latency * 1e6).rounded())) µs\(slow)"))
    }
    if let hosts = report.hosts { lines.append(("hosts", "\(hosts)")) }
    if let count = report.entities, let bytes = report.entityBytes {
      lines.append(("entities", count == 0 ? "none" : "\(count), \(ByteCount.text(bytes))"))
    }
    if let listeners = report.listeners {
      lines.append(("listeners", "\(listeners) \(listeners == 1 ? "process" : "processes")"))
    }
    return lines.map { name, value in
      name + String(repeating: " ", count: 11 - name.count) + value + "\n"
    }.joined()
  }

  private static func json(_ report: ShareInspection.Report) -> String {
    let value = JSONValue.object([
      .init("url", .string(report.url)), .init("namespace", .string(report.namespace)),
      .init("usable", .bool(report.trouble == nil)),
      .init("trouble", report.trouble.map { .string($0) } ?? .null),
      .init("server", report.software.map { .string($0) } ?? .null),
      .init("version", report.version.map { .string($0) } ?? .null),
      .init("latency", report.latency.map { .double($0) } ?? .null),
      .init("patience", report.patience.map { .double($0) } ?? .null),
      .init("hosts", report.hosts.map { .int($0) } ?? .null),
      .init("entities", report.entities.map { .int($0) } ?? .null),
      .init("entity_bytes", report.entityBytes.map { .int($0) } ?? .null),
      .init("listeners", report.listeners.map { .int($0) } ?? .null),
    ])
    // All numbers are finite, so encoding can't fail.
    let bytes = (try? value.encode(pretty: true)) ?? []
    return String(decoding: bytes, as: UTF8.self) + "\n"
  }
}

/// The arguments that name the shared server.
enum ShareWords {
  /// Reads the shared server from the arguments or the environment. `nil` if neither names one.
  static func inspection(
    _ parsed: ParsedArguments, _ command: Command
  ) throws(CommandEnd) -> ShareInspection? {
    let given = parsed.text("URL")
    guard var share = given.map({ Share(url: $0) }) ?? Share.ofEnvironment else {
      for name in ["--namespace", "--ca-file"] where parsed.text(name) != nil {
        throw .wrongUsage(
          "\(name) needs a server: give its URL, or set \(Share.variable)",
          command)
      }
      return nil
    }
    share.namespace = parsed.text("--namespace")
    if let path = parsed.text("--ca-file") {
      if let reason = ReadableFile.problem(Array(path.utf8)) {
        throw .wrongUsage("--ca-file: cannot read '\(path)': \(reason)", command)
      }
      share.certificateAuthorities = path
    }
    do throws(ShareError) {
      return try ShareInspection(share)
    } catch {
      throw .wrongUsage((given == nil ? "\(Share.variable): " : "") + "\(error)", command)
    }
  }
}
