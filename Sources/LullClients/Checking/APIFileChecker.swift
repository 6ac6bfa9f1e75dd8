import CLullBridge
package import LullCore
package import LullHost
import LullLuaSource

/// What is wrong with API files, found without asking any network.
package final class APIFileChecker: ScriptChecker {
  package struct Finding: Equatable {
    package let place: SourcePlace
    package let text: String

    package init(place: SourcePlace, text: String) {
      self.place = place
      self.text = text
    }
  }

  /// What is wrong with a file, and what could not be found out, each in the order of its lines.
  package struct Report {
    package var findings: [Finding] = []
    package var notes: [Finding] = []
    /// Those that the file declares.
    package fileprivate(set) var environments: [String] = []

    package init() {}

    fileprivate init(findings: [Finding], notes: [Finding], environments: [String]) {
      self.findings = findings
      self.notes = notes
      self.environments = environments
    }

    /// Takes what another has found besides.
    package mutating func add(_ other: Report) {
      findings += other.findings.filter { !findings.contains($0) }
      notes += other.notes.filter { !notes.contains($0) }
    }
  }

  private var report = Report()
  /// The file, as messages name it.
  let path: String
  /// What `lull call` takes itself, of calls with pages and of others.
  private let options: (paged: Set<String>, plain: Set<String>)
  /// Credentials that were given as plain text, wherever that comes from.
  private var credentials: [Credential] = []
  /// The requests that have been told of.
  private var seen: Set<ObjectIdentifier> = []

  private let reporter: Reporter
  private let requests: RequestsInFlight
  private let interruption: Interruption

  private init(
    _ path: String, _ host: LuaHost, options: (paged: Set<String>, plain: Set<String>)
  ) {
    self.path = path
    self.options = options
    reporter = host.reporter
    requests = host.requests
    interruption = Interruption(host)
  }

  /// Loads a file and looks at it; what was found about it.
  ///
  /// - Parameters:
  ///   - environment: the one to use it in; nil: none.
  ///   - host: one that inspects only.
  ///   - options: those of `lull call`, of calls with pages and of others.
  package static func report(
    on path: String, in environment: String? = nil, _ host: LuaHost,
    options: (paged: Set<String>, plain: Set<String>)
  ) -> Report {
    let checker = APIFileChecker(path, host, options: options)
    let files = host.part(APIFiles.self)
    files.checker = checker
    defer { files.checker = nil }
    do throws(APIFileProblem) {
      let word = path + (environment.map { "@\($0)" } ?? "")
      let api = try files.api(word, usesVariable: false)
      checker.report.environments = api.environments
      checker.inspectRequests(made: "while it is loaded")
      let calls = try api.calls
      checker.inspectSettings(of: api, calls)
      checker.inspectSchemas(of: api, calls)
      checker.inspectRequests(made: "in a settings function")
    } catch {
      checker.note(error)
    }
    // What it has begun, as far as that goes without a network and without time.
    for _ in 0..<100 where host.environment.pump.hasWork { host.environment.pump.turn() }
    host.tasks.reportUnawaited(atEnd: true)
    if case .success(let bytes) = TextFile.read(Array(path.utf8)) {
      for (line, text) in WrittenSecrets(bytes).findings(of: checker.credentials) {
        checker.note(text, at: SourcePlace(file: path, line: line))
      }
      for (line, text) in LargeComparisons(bytes).findings {
        checker.note(text, at: SourcePlace(file: path, line: line), isFinding: false)
      }
    }
    return Report(
      findings: inOrder(checker.report.findings), notes: inOrder(checker.report.notes),
      environments: checker.report.environments)
  }

  package static func inOrder(_ findings: [Finding]) -> [Finding] {
    findings.sorted { ($0.place.line, $0.text) < ($1.place.line, $1.text) }
  }

  package func note(_ text: String, at place: SourcePlace) {
    note(text, at: place, isFinding: true)
  }

  /// - Parameter isFinding: whether that is wrong, rather than not known.
  func note(_ text: String, at place: SourcePlace, isFinding: Bool) {
    let finding = Finding(place: place, text: text)
    let list = isFinding ? \Report.findings : \Report.notes
    if !report[keyPath: list].contains(finding) { report[keyPath: list].append(finding) }
  }

  /// An error that the file has raised.
  package func note(_ failure: ScriptFailure) {
    let frames = failure.trace.stacks.flatMap(\.self)
    let own = frames.first { $0.source == .file(Array(path.utf8)) && $0.line > 0 }
    if reporter.isInterruption(failure) {
      // What has passed its limit is interrupted wherever it goes on.
      guard let text = interruption.text, !interruption.isKnownLimit else { return }
      // What comes after it is to be looked at all the same.
      interruption.pass()
      return note(text, at: SourcePlace(file: path, line: own?.line ?? 0))
    }
    note(
      raised: failure.message, need: SandboxNeed(failure.message),
      shortPath: own?.shortSource ?? path, line: own?.line ?? 0)
  }

  /// Requests that were made where none should be.
  private func inspectRequests(made when: String) {
    for request in requests.open
    where request.resource != nil && seen.insert(ObjectIdentifier(request)).inserted {
      note(
        "asks the network \(when): \(request.displayName)", at: SourcePlace(file: path, line: 0))
    }
  }

  /// Takes note of a credential that is plain text, to find out whether the file says it.
  package func inspect(credential text: String, _ what: String) {
    guard !text.isEmpty, !credentials.contains(where: { $0.text == text }) else { return }
    credentials.append(Credential(text: text, what: what))
  }

  /// What `lull call` takes itself.
  func options(of call: APICall) -> Set<String> { call.hasPages ? options.paged : options.plain }

  private func note(_ problem: APIFileProblem) {
    switch problem {
    case .missing(let text): note(text, at: SourcePlace(file: path, line: 0))
    case .module(_, let result):
      note(
        APIFileProblem.text(ofModule: result), at: SourcePlace(file: path, line: 0),
        isFinding: false)
    case .declaration(let place, let text): note(text, at: place)
    case .syntax(let message, _, _): note(raised: message, shortPath: path, line: 0)
    case .failed(let problem): note(problem.failure)
    }
  }

  /// A message that begins with its place, if it does.
  ///
  /// - Parameters:
  ///   - shortPath: the file's name in messages, of which the interpreter keeps the end if it is long.
  ///   - need: what would have been needed instead of an error.
  private func note(
    raised message: String, need: SandboxNeed? = nil, shortPath: String, line: Int
  ) {
    var message = message
    if message.hasPrefix("\(path): ") { message.removeFirst(path.count + 2) }
    let names = [shortPath, APIFileChecker.shortName(ofFile: path)]
    for name in names where message.hasPrefix(name + ":") {
      let rest = message.dropFirst(name.count + 1)
      let digits = rest.prefix { $0.isNumber }
      if let line = Int(digits), rest.dropFirst(digits.count).hasPrefix(": ") {
        let text = need?.note ?? APIFileChecker.line(String(rest.dropFirst(digits.count + 2)))
        return note(text, at: SourcePlace(file: path, line: line), isFinding: need == nil)
      }
    }
    note(
      need?.note ?? APIFileChecker.line(message), at: SourcePlace(file: path, line: line),
      isFinding: need == nil)
  }

  /// A message in one line; of modules that are not found not where they were looked for.
  private static func line(_ message: String) -> String {
    if let end = message.firstRange(of: " not found:\n") {
      return message[..<end.lowerBound] + " not found"
    }
    return LogText.part(message)
  }

  /// A file as the interpreter's messages name it: of a long path they keep the end. (Lua 5.4 manual,
  /// `lua_Debug`, `short_src`)
  private static func shortName(ofFile path: String) -> String {
    let size = 59
    let bytes = Array(path.utf8)
    guard bytes.count > size else { return path }
    return "..." + String(escaping: bytes.suffix(size - 3))
  }
}

extension APIFileChecker {
  /// Schemas that cannot be used, and calls whose answers are to be validated and have none.
  func inspectSchemas(of api: APIFile, _ calls: [APICall]) {
    var places: DeclarationPlaces?
    func place(of keys: [String]) -> SourcePlace {
      if places == nil, case .success(let bytes) = TextFile.read(Array(path.utf8)) {
        places = DeclarationPlaces(bytes)
      }
      return SourcePlace(file: path, line: places?.line(of: keys) ?? 0)
    }
    let schemas = api.service.schemas as? CallSchemas
    for (call, text) in schemas?.problems(of: calls) ?? [] {
      let keys = call.map { ["calls", $0] } ?? ["schemas"]
      note(
        call.map { "call '\($0)': \(text)" } ?? text,
        at: place(of: keys))
    }
    for call in calls {
      guard let resource = call.sample(of: api.service),
        resource.configuration(for: call.method).validation != nil,
        !(schemas?.hasSchema(of: call) ?? false)
      else { continue }
      note(
        "call '\(call.name)': 'validate' is set, and there is no schema of its answers: nothing is "
          + "validated",
        at: place(of: ["calls", call.name]), isFinding: false)
    }
  }
}

/// What has ended an API file that was only looked at: a limit, `os.exit`, or a signal.
///
/// Home thread only.
struct Interruption {
  private let bridge: BridgeRuntime
  private let limits: LimitKeeper
  private let loop: ScriptLoop
  private let reporter: Reporter

  init(_ host: LuaHost) {
    bridge = host.bridge
    limits = host.loop.limits
    loop = host.loop
    reporter = host.reporter
  }

  /// How the file has ended, or would not have ended, what only looked at it; nil if it was a signal.
  var text: String? {
    if limits.hasPassed {
      return lull_limit_passed(bridge.pointer) == Int32(LULL_LIMIT_MEMORY)
        ? "needs more memory than an API file may" : "does not come to an end"
    }
    return loop.exitCode == nil ? nil : "calls os.exit, which ends whatever uses the file"
  }

  /// Whether it was a limit of which has been told.
  var isKnownLimit: Bool { limits.hasPassed && reporter.hasReportedLimit }

  /// Nothing more is told of it, and what comes after it is run all the same.
  func pass() {
    loop.exitCode = nil
    reporter.forgoLimit()
  }
}
