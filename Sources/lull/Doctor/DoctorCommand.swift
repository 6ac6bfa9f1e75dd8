import LullArguments
import LullClients
import LullCore
import LullHost
import LullImport
import LullSystem
import LullTransport

extension Command {
  static let doctor = Command(
    "doctor", "check the installation and the files of Lull", .help,
    forms: [("doctor [URL]", "check the installation and the files of Lull")],
    spec: { DoctorCommand.spec }, words: .options
  ) { words, _ throws(CommandEnd) in try DoctorCommand(words.dropFirst()).run() }
}

/// `lull doctor [URL]`: checks the conditions that make requests fail on one machine but not on
/// another.
///
/// Behaviours: DOC-01 to DOC-09.
struct DoctorCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull doctor",
      description: """
        Checks the installation and the files of Lull.

        Checks the libraries, the certificates, the proxy variables, the files with
        state (sessions, tokens, caches, history), the trusted files and the variables
        LULL_*. Each line begins with ok, warning or problem and ends with the remedy.
        Values of tokens and passwords are never shown.

        Without URL, no request is sent. With URL, one HEAD request checks the
        connection, the certificate and the clock.
        """,
      arguments: [
        .init(positional: "URL", help: "A server to check the connection.", isRequired: false),
        OptionTable.textOrJSON,
      ],
      examples: [
        "lull doctor",
        "lull doctor https://api.example.com",
        #"lull doctor -o json | jq '.[] | select(.state != "ok")'"#,
      ],
      exitCodes: [
        .init(0, "no problem was found"),
        .init(1, "a problem was found"),
      ])
  }

  private let target: CallTarget?
  private let isJSON: Bool

  /// - Parameter words: The arguments after `doctor`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try DoctorCommand.spec.read(words, for: .doctor)
    isJSON = parsed.text("--output") == "json"
    guard let word = parsed.text("URL") else {
      target = nil
      return
    }
    var rest: ArraySlice<String> = []
    let isURL = TypedURL.plain(word) ?? TypedURL.withoutScheme(word) != nil
    guard isURL else {
      throw .wrongUsage(
        "'\(CredentialMask.malformedURL(word))' is not a URL such as https://api.example.com",
        .doctor)
    }
    target = try CallTarget(word, &rest, for: .doctor)
  }

  func run() -> Int32 {
    var findings = DoctorCommand.libraries + CertificateCheck.findings + DoctorCommand.proxies
    findings += StateCheck.findings + TokenCheck.findings + DoctorCommand.trusted
    findings += VariableCheck.findings
    if let target {
      let code = CallRun.run(target.api) { host, api in
        findings += ClockCheck.findings(target.request(of: api.service, .head), host)
        return 0
      }
      guard code == 0 else { return code }
    }
    let hasProblem = findings.contains { $0.state == .problem }
    guard isJSON else {
      let text = findings.map { $0.line + "\n" }.joined()
      return Output.write(ControlCharacters.shown(in: text)) && !hasProblem ? 0 : 1
    }
    guard let bytes = try? JSONValue.array(findings.map(\.json)).encode(pretty: true) else {
      return 1
    }
    return Output.write(bytes + [10]) && !hasProblem ? 0 : 1
  }

  // MARK: Checks without a type of their own

  private static var libraries: [DoctorFinding] {
    let versions =
      HostLibraries.versions + [.simdjson] + TransportLibraries.versions + [.yaml]
    return [DoctorFinding(.ok, "library", "lull", "\(LullCore.Lull.version)")]
      + versions.map { library -> DoctorFinding in
        if let version = library.version {
          return DoctorFinding(
            .ok, "library", library.name, version.isEmpty ? "of unknown version" : version,
            facts: [.init("version", .string(version))])
        }
        // Without libcurl no request can be sent. The other libraries are loaded only when they are
        // needed.
        return DoctorFinding(
          library.name == "libcurl" ? .problem : .warning, "library", library.name,
          "\(library.problem ?? "it cannot be loaded"); needed for \(library.purpose)",
          fix: "apt-get install \(library.debianPackage)")
      }
  }

  private static var proxies: [DoctorFinding] {
    let settings = ProxyVariables.settings
    guard !settings.isEmpty else { return [DoctorFinding(.ok, "proxy", "proxy", "none is set")] }
    return settings.map { name, value in
      let shown = CredentialMask.malformedURL(value)
      guard !name.lowercased().hasPrefix("no") else {
        return DoctorFinding(.ok, "proxy", name, value)
      }
      let url = value.contains("://") ? value : "http://" + value
      guard let problem = ProxyAddress.problem(with: url) else {
        return DoctorFinding(.ok, "proxy", name, LogText.url(url))
      }
      return DoctorFinding(
        .problem, "proxy", name, "'\(shown)' is not the URL of a proxy: \(problem)",
        fix: "set \(name) to a URL such as http://host:3128")
    }
  }

  private static var trusted: [DoctorFinding] {
    let record: TrustRecord
    do throws(TokenFile.Problem) {
      record = try TrustRecord.read()
    } catch {
      return [
        DoctorFinding(
          .problem, "trust", "trust.json", "nothing is trusted: \(error.message)",
          fix: "repair or delete the file")
      ]
    }
    guard !record.files.isEmpty else {
      return [DoctorFinding(.ok, "trust", "trusted files", "none")]
    }
    return record.files.sorted { $0.key < $1.key }.map { path, digests in
      guard let state = TrustCommand.state(of: digests) else {
        return DoctorFinding(.ok, "trust", path, "unchanged")
      }
      let isGone = state == "gone: \(path)"
      return DoctorFinding(
        .warning, "trust", path, state,
        fix: isGone ? "lull trust --remove \(path)" : "lull trust \(path)")
    }
  }
}

/// One line of the output of `lull doctor`.
struct DoctorFinding {
  enum State: String {
    case ok
    case warning
    case problem
  }

  let state: State
  let check: String
  let name: String
  let message: String
  let fix: String?
  private let facts: [JSONValue.Member]

  init(
    _ state: State, _ check: String, _ name: String, _ message: String, fix: String? = nil,
    facts: [JSONValue.Member] = []
  ) {
    self.state = state
    self.check = check
    self.name = name
    self.message = message
    self.fix = fix
    self.facts = facts
  }

  var line: String {
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(width - text.count, 0))
    }
    return padded(state.rawValue, 8) + " " + padded(check, 12) + " \(name): \(message)"
      + (fix.map { "; fix: \($0)" } ?? "")
  }

  var json: JSONValue {
    .object(
      [
        .init("state", .string(state.rawValue)), .init("check", .string(check)),
        .init("name", .string(name)), .init("message", .string(message)),
      ] + (fix.map { [.init("fix", .string($0))] } ?? []) + facts)
  }
}

/// Checks the connection to a server, and compares the server's clock with the clock of this
/// machine.
enum ClockCheck {
  /// The accepted difference in seconds: `Date` has no fractions, and responses take time.
  private static let tolerated = 5.0
  /// The difference in seconds from which servers reject signatures and tokens.
  private static let most = 60.0

  static func findings(_ request: CallRequest, _ host: LuaHost) -> [DoctorFinding] {
    let url = LogText.url(request.resource.url.text)
    guard let started = request.start(), let response = host.loop.finish(started) else { return [] }
    let now = SystemClock.now
    let headers = (response.entity ?? response.error?.entity)?.headers
    if let error = response.error, error.httpStatusCode == nil {
      return [
        DoctorFinding(
          .problem, "connection", url, error.userMessage, fix: error.facts.fix)
      ]
    }
    let status = response.error?.httpStatusCode.map { " with status \($0)" } ?? ""
    let answered = DoctorFinding(.ok, "connection", url, "the server responded\(status)")
    guard let date = headers?["date"].flatMap({ HTTPDate.parse($0, now: now) }) else {
      return [
        answered, DoctorFinding(.warning, "clock", url, "the response has no valid Date header"),
      ]
    }
    let difference = now - date
    let text = LogText.seconds(abs(difference).rounded())
    let seconds = Int(max(-1e15, min(difference.rounded(), 1e15)))
    let facts = [JSONValue.Member("seconds", .int(seconds))]
    guard abs(difference) > tolerated else {
      return [answered, DoctorFinding(.ok, "clock", url, "the clocks agree", facts: facts)]
    }
    return [
      answered,
      DoctorFinding(
        abs(difference) > most ? .problem : .warning, "clock", url,
        "the clock of this machine is \(text) \(difference > 0 ? "ahead of" : "behind") the server's",
        fix: "set the clock, for example with timedatectl set-ntp true", facts: facts),
    ]
  }
}
