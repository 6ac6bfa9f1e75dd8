import LullCore
package import LullHost
import LullSystem

/// The APIs that a script, or a command, has loaded from files.
///
/// Each is loaded once, and held until the process ends: whoever asks again gets the same. Home thread
/// only.
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
  /// Who only looks at the files, if that is all that is done.
  var checker: APIFileChecker? { didSet { permissions.checker = checker } }
  /// Whether writes are confirmed, of whatever environment. (ENV-14)
  package var confirmsWrites = false
  /// Is told of each request, resource and walk of pages that a script makes of a declared call.
  package var onUse: ((DeclaredUse) -> Void)?
  /// Those that the script validates by itself.
  var schemas = KnownSchemas()
  /// The file asked for last, as messages name it.
  private var lastPath: String?

  /// A file, as links lead to it, in one of its environments: not one text, since a file may be called `a@b.lua`.
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

  /// The files of those that are loaded, as messages name them.
  package var paths: [String] { Set(loaded.values.map(\.path)).sorted() }

  package func close() {
    // What their services hold is not to be called any more.
    loaded = [:]
    onUse = nil
  }

  /// The API of a name or a path, in the environment that is named behind it, else in that of `LULL_ENV`, if the
  /// file has some: loaded at the first call, the same ever after.
  ///
  /// - Parameter usesVariable: whether `LULL_ENV` counts.
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
      throw .missing("the API file '\(path)' is being loaded already: it asks for itself")
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

  /// The API of a file that is part of the program.
  package func api(shipped source: [UInt8], as name: String) throws(APIFileProblem) -> APIFile {
    let api = try load(source, path: name + ".lua", name: name, nil)
    try pin(api)
    return api
  }

  /// An API that no file describes: a service at a URL.
  package func api(atURL url: String) throws(APIFileProblem) -> APIFile {
    let service = Service(
      baseURL: url, networking: environment.defaultNetworking(), pump: environment.pump)
    let api = APIFile(name: url, path: url, service: service)
    // Without Lua its service is held by who has asked for it.
    if bridge.isStarted {
      try pin(api)
    } else {
      bridge.whenStarted { [unowned self] in try? pin(api) }
    }
    return api
  }

  /// What is to be said of a problem, on standard error.
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

  /// An interruption is not the file's error, unless the file was only to be looked at.
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

  /// Runs a file, and gives what it returns to `read`.
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

  /// Gives a value of a file to `read`, on a stack.
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
