import LullCore
package import LullHost
import LullSystem

/// The APIs that a script or a command has loaded from files.
///
/// Each API is loaded once and held until the process ends. Later requests return the same object.
/// Home thread only.
package final class APIFiles: HostExtension {

  private let environment: any HostEnvironment
  let handles: ObjectHandles
  private let bridge: BridgeRuntime
  private let stored: StoredValues
  let coroutines: Coroutines
  private let permissions: Permissions
  var isInspecting: Bool { permissions.isInspecting }
  private let reading: ScriptReading
  private let reporter: Reporter
  let sources: ChunkSources
  let interruption: Interruption
  private let settings: SettingReader
  private var loaded: [Place: APIFile] = [:]
  private var loading: Set<Place> = []
  /// The checker, if the files are only inspected. Otherwise nil.
  var checker: APIFileChecker? { didSet { permissions.checker = checker } }
  /// Whether the user has confirmed writes in all environments. (ENV-14)
  package var confirmsWrites = false
  /// Called for each request, resource and page iteration that a script creates from a declared
  /// call.
  package var onUse: ((DeclaredUse) -> Void)?
  /// The compiled schemas that the script uses for its own validation.
  var schemas = KnownSchemas()
  /// The file requested last, as shown in messages.
  private var lastPath: String?

  /// An API file, with links resolved, in one of its environments. These are two properties,
  /// because a file name may be `a@b.lua`.
  private struct Place: Hashable {
    let file: String
    let environment: String?
  }

  package init(_ host: LuaHost) {
    environment = host.environment
    handles = host.handles
    bridge = host.bridge
    stored = host.stored
    coroutines = host.coroutines
    permissions = host.permissions
    reading = host.reading
    reporter = host.reporter
    sources = host.sources
    settings = host.settings
    interruption = Interruption(host)
  }

  /// The paths of the loaded files, as shown in messages.
  package var paths: [String] { Set(loaded.values.map(\.path)).sorted() }

  package func close() {
    // Release the APIs: functions that their services hold must not be called any more.
    loaded = [:]
    onUse = nil
  }

  /// Returns the API for a name or a path. Loads it at the first call. Later calls return the same
  /// object.
  ///
  /// The environment is the one given with the name. If none is given and the file declares
  /// environments, `LULL_ENV` selects the environment.
  ///
  /// - Parameter usesVariable: Whether `LULL_ENV` applies.
  package func api(_ word: String, usesVariable: Bool = true) throws(APIFileProblem) -> APIFile {
    let wanted = APIName(word)
    guard let path = APIFileLocator.plainFile(of: wanted.file) else {
      throw .missing(APIFileLocator.missing(word, listsOwn: !environment.holdsTime))
    }
    let wish = EnvironmentWish(wanted.environment, usesVariable: usesVariable)
    let file = FileName.resolved(path) ?? path
    let key = Place(file: file, environment: wish?.name)
    if let known = loaded[key] { return known }
    let plain = Place(file: file, environment: nil)
    if let known = loaded[plain], wish?.isNamed == false, known.environments.isEmpty {
      return known
    }
    guard loading.insert(key).inserted else {
      throw .missing("the API file '\(path)' is already being loaded: it loads itself")
    }
    defer { loading.remove(key) }
    let source: [UInt8]
    lastPath = path
    let limit = permissions.isOnlyLooking ? Inspection.sizeLimit : TextFile.largest
    switch permissions.load(Array(path.utf8), limit: limit) {
    case .success(let bytes): source = SourceText.withoutFirstLineMarks(bytes)
    case .failure(let problem): throw .missing(String(escaping: problem.message))
    }
    let api = try load(source, path: path, name: APIFiles.name(ofFile: path), wish)
    if confirmsWrites { api.environment?.isConfirmed = true }
    try pin(api)
    loaded[Place(file: file, environment: api.environment?.name)] = api
    return api
  }

  /// Loads an API file that is part of the program.
  package func api(shipped source: [UInt8], as name: String) throws(APIFileProblem) -> APIFile {
    let api = try load(source, path: name + ".lua", name: name, nil)
    try pin(api)
    return api
  }

  /// Creates an API without a file: a service at a URL.
  package func api(atURL url: String) throws(APIFileProblem) -> APIFile {
    let service = Service(
      baseURL: url, networking: environment.defaultNetworking(), pump: environment.pump)
    let api = APIFile(name: url, path: url, service: service)
    // As long as Lua is not started, the caller holds the service.
    if bridge.isStarted {
      try pin(api)
    } else {
      bridge.whenStarted { [unowned self] in try? pin(api) }
    }
    return api
  }

  /// Returns the message about a problem, for standard error.
  package func describe(_ problem: APIFileProblem) -> String {
    switch problem {
    case .missing(let text): "lull: \(text)\n"
    case .syntax(let message, let source, let name):
      reporter.describe(syntaxError: message, in: source, name: name)
    case .failed(let problem): describe(raised: problem.failure)
    case .module(let place, let result):
      reporter.describe(
        ScriptFailure(message: "\(place): \(APIFileProblem.text(ofModule: result))"))
    case .declaration(let place, let text):
      reporter.describe(ScriptFailure(message: "\(place): \(text)"))
    }
  }

  /// Describes an error that a file raised. An interruption is an error of the file only during an
  /// inspection.
  private func describe(raised failure: ScriptFailure) -> String {
    guard reporter.isInterruption(failure) else { return reporter.describe(failure) }
    guard permissions.isOnlyLooking, let text = interruption.text else { return "" }
    var shown = failure
    let frames = failure.trace.stacks.flatMap(\.self)
    let place = frames.first { $0.kind == .lua && $0.line > 0 }
    let file = lastPath.map { "\($0): " } ?? ""
    shown.message = (place.map { "\($0.shortSource):\($0.line): " } ?? file) + text
    shown.trace = Traceback()
    reporter.forgoLimit()
    return reporter.describe(shown)
  }

  private static func name(ofFile path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.hasSuffix(".lua") ? String(file.dropLast(4)) : file
  }

  private func pin(_ api: APIFile) throws(APIFileProblem) {
    guard let handle = stored.pinForGood(api, .api, service: api.service) else {
      throw .missing("not enough memory")
    }
    api.hostHandle = handle
  }

  // MARK: Loading

  private func load(
    _ source: [UInt8], path: String, name: String, _ wish: EnvironmentWish?
  ) throws(APIFileProblem) -> APIFile {
    let declaration = declaration(of: DeclaredText(source, path: path, name: name), wish)
    let variables = try variables(of: declaration)
    let words = [LuaValue.string(name)] + (declaration.wish.map { [.string($0.name)] } ?? [])
    let api = try run(
      source, path: path, words, kind: "file of an API", variables
    ) { results throws(APIFileProblem) in
      try declaration.read(results[0], results.index(0), results.state, self)
    }
    if let wish, declaration.wish == nil, !api.environments.isEmpty {
      throw declaration.unheeded(wish)
    }
    return api
  }

  func declaration(of text: DeclaredText, _ wish: EnvironmentWish? = nil) -> APIDeclaration {
    APIDeclaration(
      text, handles, stored, reading, checker: checker, wish: wish, reader: settings,
      isTaken: { [loaded] service in loaded.values.contains { $0.service === service } })
  }

  /// Runs the source of an API file and passes its results to `read`.
  func run<Value>(
    _ source: [UInt8], path: String, _ arguments: [LuaValue], kind: StaticString,
    _ variables: FileVariables? = nil,
    _ read: (RunResults) throws(APIFileProblem) -> Value
  ) throws(APIFileProblem) -> Value {
    let chunk: Chunk
    do throws(Chunk.Problem) {
      chunk = try sources.compile(source, name: Array("@\(path)".utf8))
    } catch {
      throw .syntax(message: error.message, source: source, name: path)
    }
    defer { chunk.release() }
    if let variables { try give(variables, to: chunk) }
    return try ask(chunk, arguments, kind: kind, read)
  }

  /// Pushes a stored value of an API file onto a Lua stack and passes it to `read`.
  func visit<Value>(
    _ value: StoredValue, _ read: (RunResults) throws(APIFileProblem) -> Value
  ) throws(APIFileProblem) -> Value {
    let chunk: Chunk
    do throws(Chunk.Problem) {
      chunk = try sources.compile(Array("return ...".utf8), name: Array("=calls".utf8))
    } catch {
      throw .missing(error.message)
    }
    defer { chunk.release() }
    return try ask(chunk, [.ref(value.id)], kind: "file of an API", read)
  }

  private func ask<Value>(
    _ chunk: Chunk, _ arguments: [LuaValue], kind: StaticString,
    _ read: (RunResults) throws(APIFileProblem) -> Value
  ) throws(APIFileProblem) -> Value {
    let answer = coroutines.ask(chunk.callable, arguments, kind: kind) { results in
      Result { () throws(APIFileProblem) in try read(results) }
    }
    switch answer {
    case .success(let result): return try result.get()
    case .failure(.failed(let failure)): throw .failed(ScriptProblem(failure: failure))
    case .failure(.gone): throw .missing("not enough memory")
    }
  }
}
