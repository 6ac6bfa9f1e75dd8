import LullClients
import LullCore
import LullHost
import LullLuaSource
import LullREPL
import LullTransport

/// Inspects an API file in the sandbox without network access, and returns its snapshot.
struct SnapshotBuilder {
  struct Failure: Error {
    /// The message for standard error, one or more lines.
    let report: String
    let code: Int32
    /// Whether the file has no snapshot because it is a module.
    var isOfModule = false
  }

  /// The file to read.
  let path: String
  /// The environment to inspect. `nil`: the file without an environment.
  let environment: String?
  /// Replaces file names in a text with the file names shown in messages.
  let shown: (String) -> String

  /// - Parameter targets: The URLs whose settings are included.
  func snapshot(of targets: [APISnapshot.Target]) throws(Failure) -> APISnapshot {
    var snapshot = APISnapshot()
    let outcome = APIInspection(
      path, environment: environment, isSilent: true, isPatient: true
    ).inspectInSandbox { api throws(APIFileProblem) in
      snapshot = APISnapshot()
      try SnapshotFiller(api, shown).fill(targets, into: &snapshot)
    }
    switch outcome {
    case .seen:
      guard let wrong = snapshot.invalid, let place = wrong.place else { return snapshot }
      throw Failure(
        report: "lull: \(place): '\(wrong.label)' is not a URL below "
          + "\(snapshot.service.first?.value ?? "none")\n", code: 3)
    case .needs(let note):
      throw Failure(
        report: "lull: \(shown(note)): the file cannot be compared without running it\n", code: 3)
    case .module(let report): throw Failure(report: shown(report), code: 3, isOfModule: true)
    case .wrong(let report, _): throw Failure(report: shown(report), code: 3)
    case .ended(let code): throw Failure(report: "", code: code)
    }
  }
}

/// Fills the snapshot of an API that has been loaded.
private final class SnapshotFiller {
  private let api: APIFile
  private let shown: (String) -> String
  private var files: [String: DeclarationPlaces] = [:]
  private let functions = FunctionMarks()

  init(_ api: APIFile, _ shown: @escaping (String) -> String) {
    self.api = api
    self.shown = shown
  }

  func fill(
    _ targets: [APISnapshot.Target], into snapshot: inout APISnapshot
  ) throws(APIFileProblem) {
    let own = places(in: api.path)
    snapshot.environments = api.environments
    snapshot.calls = try api.calls.map { call($0, own.line(of: ["calls", $0.name])) }
    let base = api.service.baseURL.map { LogText.url($0.text) } ?? "none"
    snapshot.service = [
      APISnapshot.Setting(
        name: "base_url", value: base, place: place(api.path, own.line(of: baseKeys(own))),
        mark: api.service.baseURL?.text ?? "")
    ]
    if api.environment?.confirmsWrites == true, let name = api.environment?.name {
      let line = own.line(of: ["environments", name, "confirm_writes"])
      snapshot.service.append(
        APISnapshot.Setting(
          name: "confirm_writes", value: "true", place: place(api.path, line), mark: "true"))
    }
    if api.service.isOffline {
      let keys = api.environment.map { ["environments", $0.name, "offline"] } ?? ["offline"]
      snapshot.service.append(
        APISnapshot.Setting(
          name: "offline", value: "true", place: place(api.path, own.line(of: keys)), mark: "true"))
    }
    if let name = api.environment?.name,
      let file = own.literal(of: ["environments", name, "env_file"])
    {
      let line = own.line(of: ["environments", name, "env_file"])
      snapshot.service.append(
        APISnapshot.Setting(
          name: "env_file", value: file, place: place(api.path, line), mark: file))
    }
    var known: [[Int]: Int] = [:]
    for target in targets {
      let resource = api.service.resource(CallPath(target.path))
      if resource.record.invalidSource != nil, target.place != nil, snapshot.invalid == nil {
        snapshot.invalid = target
      }
      let blocks = blocks(of: resource, target.method)
      if let index = known[blocks] {
        snapshot.places.append(index)
        continue
      }
      known[blocks] = snapshot.sets.count
      snapshot.places.append(snapshot.sets.count)
      snapshot.sets.append(settings(of: resource, target.method))
    }
  }

  private func baseKeys(_ own: DeclarationPlaces) -> [String] {
    guard let name = api.environment?.name else { return ["base_url"] }
    let keys = ["environments", name, "base_url"]
    // If the environment has no base_url, that of the file applies.
    return own.line(of: keys) == own.line(of: ["environments", name]) ? ["base_url"] : keys
  }

  // MARK: Settings

  /// The configuration blocks that apply to a resource. Resources with the same blocks have the
  /// same settings.
  private func blocks(of resource: Resource, _ method: RequestMethod) -> [Int] {
    let service = api.service
    guard resource.record.invalidSource == nil else { return [-1] }
    var blocks = [service.isOutside(resource.url) ? -3 : -2]
    for (index, entry) in service.configurationEntries.enumerated() {
      switch Result(catching: { () throws(RequestError) in
        try entry.applies(to: resource.url, method: method)
      }) {
      case .success(let applies): if applies { blocks.append(index) }
      // The condition of the block fails for every resource.
      case .failure: blocks.append(-4 - index)
      }
    }
    return blocks
  }

  private func settings(of resource: Resource, _ method: RequestMethod) -> [APISnapshot.Setting] {
    let explanation = ResourceExplanation(of: resource, method: method, LullHost.Setting.explained)
    let configuration = resource.configuration(for: method)
    var held = configuration.heldFunctions.mapValues { $0[...] }
    let located = explanation.locatingKeys { [self] key, place in
      places(in: place.file).line(of: key, inCallOnLine: place.line)
    }
    var settings = zip(explanation.settings, located.settings).map { setting, located in
      var mark = "\(setting.value) \(setting.fingerprint)"
      if setting.name == "pipeline" {
        mark = functions.mark(of: configuration.pipeline, setting.fingerprint)
      } else if setting.functionCount > 0 {
        let own = held[setting.name]?.prefix(setting.functionCount) ?? []
        held[setting.name]?.removeFirst(own.count)
        mark = functions.mark(of: Array(own))
      }
      return APISnapshot.Setting(
        name: setting.name, value: shown(setting.value),
        place: located.source.map { shown($0.description) }, mark: mark)
    }
    for failure in explanation.failures {
      settings.append(
        APISnapshot.Setting(
          name: "error", value: shown(failure.error.summary),
          place: shown(failure.source.description), mark: shown(failure.error.summary)))
    }
    return settings
  }

  private func places(in file: String) -> DeclarationPlaces {
    if let known = files[file] { return known }
    let bytes = (try? TextFile.read(Array(file.utf8)).get()) ?? []
    let places = DeclarationPlaces(bytes)
    files[file] = places
    return places
  }

  private func place(_ file: String, _ line: Int) -> String {
    shown(SourcePlace(file: file, line: line).description)
  }

  // MARK: Calls

  private func call(_ call: APICall, _ line: Int) -> APISnapshot.Call {
    var traits: [APISnapshot.Trait] = []
    if call.bodyForm != .json { traits.append(.init("body", call.bodyForm.rawValue)) }
    if let graphQL = call.graphQL {
      let name = graphQL.name.map { " \($0)" } ?? ""
      traits.append(.init("graphql", "\(graphQL.kind)\(name)", mark: graphQL.text))
    } else if call.isSafe {
      traits.append(.init("safe", "true"))
    }
    if call.requiresBody { traits.append(.init("body_required", "true")) }
    if let pages = call.pagesText {
      traits.append(
        .init("pages", pages, mark: call.asksForPages ? functions.mark(ofPages: call, pages) : nil))
    }
    if let type = call.responseType { traits.append(.init("response_type", type.rawValue)) }
    if let rows = call.rows { traits.append(.init("rows", rows)) }
    if !call.columns.isEmpty {
      traits.append(.init("columns", call.columns.joined(separator: ", ")))
    }
    if let type = call.contentType { traits.append(.init("content_type", type)) }
    for (name, value) in call.headers.pairs.sorted(by: { $0.name < $1.name }) {
      let given = call.headers.texts.filter { $0.name == name }.map(\.text)
      traits.append(
        .init(
          "header \(name)", CredentialMask.header(name, value), mark: "\(value) \(given.hashValue)")
      )
    }
    if let schemas = api.service.schemas as? CallSchemas,
      let (text, whole) = schemas.fingerprint(ofCall: call.name)
    {
      // Represent the truncated part and the definitions by a digest.
      let digest = whole.withUnsafeBufferPointer { Digest.sha256.of($0) } ?? whole
      traits.append(.init("schema", "\(shown(text)) (\(Hexadecimal.text(digest.prefix(4))))"))
    }
    return APISnapshot.Call(
      name: call.name, method: call.method, configuredMethod: call.configuredMethod,
      path: call.path, place: place(api.path, line),
      traits: traits, parameters: call.parameters.map(parameter), sample: sample(call))
  }

  private func parameter(_ parameter: CallParameter) -> APISnapshot.Trait {
    var words = ["\(parameter.place)", parameter.typeName, parameter.option]
    if parameter.wireName != parameter.name { words.append("called '\(parameter.wireName)'") }
    if parameter.isWhole { words.append("whole") }
    let usual = ParameterStyle.styles(in: parameter.place).first
    if parameter.kind == .json ? parameter.style == .deepObject : parameter.style != usual {
      words.append("style \(parameter.style.rawValue)")
    }
    if parameter.isRepeated, parameter.explodes != parameter.style.explodes {
      words.append(parameter.explodes ? "explode" : "no explode")
    }
    if parameter.keepsReserved { words.append("reserved") }
    if parameter.isRequired { words.append("required") }
    var mark = ""
    if let standard = parameter.standard {
      words.append(
        "default \(parameter.hasWrittenCredential ? CredentialMask.mark : standard.text)")
      mark = standard.text
      if case .secret(let text) = standard { mark += " \(text.hashValue)" }
    }
    let text = words.joined(separator: ", ")
    return .init("parameter \(parameter.name)", text, mark: "\(text) \(mark)")
  }

  /// The path with a sample value for each parameter.
  private func sample(_ call: APICall) -> String {
    call.parameters.reduce(call.path) { path, parameter in
      path.replacing("{\(parameter.placeholder)}", with: parameter.sample)
    }
  }
}

extension CallParameter {
  fileprivate var sample: String {
    let text =
      switch kind {
      case .choice(let words): standard?.text ?? words.first ?? "x"
      case .number, .integer: standard?.text ?? "\(integers.first ?? 1)"
      default: standard?.text ?? "x"
      }
    let isPlain = text.utf8.allSatisfy { byte in
      byte < 0x80
        && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
          || "-_.".utf8.contains(byte))
    }
    return isPlain && !text.isEmpty ? text : "x"
  }
}
