import CLullBridge
package import LullCore
package import LullHost
import LullLuaSource

/// Finds problems in API files without network access.
package final class APIFileChecker: ScriptChecker {
  package struct Finding: Equatable {
    package let place: SourcePlace
    package let text: String

    package init(place: SourcePlace, text: String) {
      self.place = place
      self.text = text
    }
  }

  /// The problems of a file, and the parts that could not be checked, each in line order.
  package struct Report {
    package var findings: [Finding] = []
    package var notes: [Finding] = []
    /// The environments that the file declares.
    package fileprivate(set) var environments: [String] = []

    package init() {}

    fileprivate init(findings: [Finding], notes: [Finding], environments: [String]) {
      self.findings = findings
      self.notes = notes
      self.environments = environments
    }

    /// Adds the findings of another report to this one.
    package mutating func add(_ other: Report) {
      findings += other.findings.filter { !findings.contains($0) }
      notes += other.notes.filter { !notes.contains($0) }
    }
  }

  private var report = Report()
  /// The path of the file in messages.
  let path: String
  /// The names of the options of `lull call` itself, for calls with pages and for other calls.
  private let options: (paged: Set<String>, plain: Set<String>)
  /// The credentials that the file has passed as plain text, from whatever source.
  private var credentials: [Credential] = []
  /// The requests that were already reported.
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

  /// Loads a file, checks it and returns the findings.
  ///
  /// - Parameters:
  ///   - environment: The environment to use. nil for none.
  ///   - host: A host that only inspects files.
  ///   - options: The options of `lull call`, for calls with pages and for other calls.
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
      checker.inspectRequests(made: "while the file is loaded")
      let calls = try api.calls
      checker.inspectSettings(of: api, calls)
      checker.inspectSchemas(of: api, calls)
      checker.inspectOperations(of: calls)
      checker.inspectRequests(made: "in a settings function")
    } catch {
      checker.note(error)
    }
    // Run the work that the file started, as far as that is possible without network and without
    // time passing.
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

  /// - Parameter isFinding: Whether the text is a problem. If false, it is advice, or names a part
  ///   that could not be checked.
  func note(_ text: String, at place: SourcePlace, isFinding: Bool) {
    let finding = Finding(place: place, text: text)
    let list = isFinding ? \Report.findings : \Report.notes
    if !report[keyPath: list].contains(finding) { report[keyPath: list].append(finding) }
  }

  /// Records an error that the file raised.
  package func note(_ failure: ScriptFailure) {
    let frames = failure.trace.stacks.flatMap(\.self)
    let own = frames.first { $0.source == .file(Array(path.utf8)) && $0.line > 0 }
    if reporter.isInterruption(failure) {
      // After a limit was exceeded, all further code is interrupted as well.
      guard let text = interruption.text, !interruption.isKnownLimit else { return }
      // Check the rest of the file nevertheless.
      interruption.pass()
      return note(text, at: SourcePlace(file: path, line: own?.line ?? 0))
    }
    note(
      raised: failure.messageWithHint, need: SandboxNeed(failure.message),
      shortPath: own?.shortSource ?? path, line: own?.line ?? 0)
  }

  /// Reports requests that the file must not send at this point.
  private func inspectRequests(made when: String) {
    for request in requests.open
    where request.resource != nil && seen.insert(ObjectIdentifier(request)).inserted {
      note(
        "sends a request \(when): \(request.displayName)", at: SourcePlace(file: path, line: 0))
    }
  }

  /// Records a credential that is used as plain text. Later it is checked whether the file contains
  /// that text.
  package func inspect(credential text: String, _ what: String) {
    guard !text.isEmpty, !credentials.contains(where: { $0.text == text }) else { return }
    credentials.append(Credential(text: text, what: what))
  }

  /// Returns the names of the options that `lull call` itself has for a call.
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

  /// Records an error message. The message may begin with the place of the error.
  ///
  /// - Parameters:
  ///   - need: The missing permission, if that caused the error.
  ///   - shortPath: The name of the file in the interpreter's messages, which keep only the end of
  ///     a long path.
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

  /// Returns an error message on one line. If a module is missing, the search paths are removed.
  private static func line(_ message: String) -> String {
    if let end = message.firstRange(of: " not found:\n") {
      return message[..<end.lowerBound] + " not found"
    }
    return LogText.part(message)
  }

  /// Returns the name of a file in the interpreter's messages, which keep only the end of a long
  /// path. (Lua 5.4 manual, `lua_Debug`, `short_src`)
  private static func shortName(ofFile path: String) -> String {
    let size = 59
    let bytes = Array(path.utf8)
    guard bytes.count > size else { return path }
    return "..." + String(escaping: bytes.suffix(size - 3))
  }
}

extension APIFileChecker {
  /// Reports different GraphQL operations with the same name: a request belongs to the call with its
  /// operation's name. (GQL-47)
  func inspectOperations(of calls: [APICall]) {
    var seen: [[String]: APICall] = [:]
    for call in calls {
      guard let graphQL = call.graphQL, let name = graphQL.name else { continue }
      guard let other = seen.updateValue(call, forKey: [call.path, name]),
        other.graphQL?.text != graphQL.text
      else { continue }
      note(
        "calls '\(other.name)' and '\(call.name)' have different operations with the name "
          + "'\(name)': rename one of them, because servers and recordings know operations by name",
        at: graphQL.origin.place)
    }
  }

  /// Reports unusable schemas, and calls whose responses are to be validated but have no schema.
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
        "call '\(call.name)': 'validate' is set, but there is no schema for its responses: nothing "
          + "is validated",
        at: place(of: ["calls", call.name]), isFinding: false)
    }
  }
}

/// Describes how a limit, `os.exit` or a signal has interrupted the inspection of an API file.
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

  /// The description of the interruption. nil if a signal caused it.
  var text: String? {
    if limits.hasPassed {
      return lull_limit_passed(bridge.pointer) == Int32(LULL_LIMIT_MEMORY)
        ? "needs more memory than an API file may use" : "does not finish"
    }
    return loop.exitCode == nil ? nil : "calls os.exit, which ends the program that uses the file"
  }

  /// Whether the cause is a limit that has already been reported.
  var isKnownLimit: Bool { limits.hasPassed && reporter.hasReportedLimit }

  /// Clears the interruption and suppresses further reports of it, so that the rest of the file
  /// runs.
  func pass() {
    loop.exitCode = nil
    reporter.forgoLimit()
  }
}
