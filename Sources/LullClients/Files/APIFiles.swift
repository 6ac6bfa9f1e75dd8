import CLullBridge
import LullCore
package import LullHost
import LullSystem

/// The APIs that a script, or a command, has loaded from files.
///
/// Each is loaded once, and held until the process ends: whoever asks again gets the same. Home thread
/// only.
package final class APIFiles: HostExtension {
  package static var methods: [Method] { Method.apiFiles }

  private unowned let host: LuaHost
  /// By the file's own name.
  private var loaded: [String: APIFile] = [:]
  private var loading: Set<String> = []
  /// Who only looks at the files, if that is all that is done.
  var checker: APIFileChecker? { didSet { host.permissions.checker = checker } }
  /// The file asked for last, as messages name it.
  private var lastPath: String?

  package init(_ host: LuaHost) {
    self.host = host
  }

  package func close() {
    // Their services hold what holds the host.
    loaded = [:]
  }

  /// The API of a name or a path: loaded at the first call, the same ever after.
  package func api(_ word: String) throws(APIFileProblem) -> APIFile {
    guard let path = APIFileLocator.file(of: word) else {
      throw .missing(APIFileLocator.missing(word))
    }
    let key = FileName.resolved(path) ?? path
    if let known = loaded[key] { return known }
    guard loading.insert(key).inserted else {
      throw .missing("the API file '\(path)' is being loaded already: it asks for itself")
    }
    defer { loading.remove(key) }
    let source: [UInt8]
    lastPath = path
    let limit = host.permissions.isInspecting ? Inspection.sizeLimit : TextFile.largest
    switch TextFile.read(Array(path.utf8), limit: limit) {
    case .success(let bytes): source = SourceText.withoutFirstLineMarks(bytes)
    case .failure(let problem): throw .missing(String(escaping: problem.message))
    }
    let api = try load(source, path: path, name: APIFiles.name(ofFile: path))
    try pin(api)
    loaded[key] = api
    return api
  }

  /// An API that no file describes: a service at a URL.
  package func api(atURL url: String) throws(APIFileProblem) -> APIFile {
    let service = Service(
      baseURL: url, networking: host.environment.defaultNetworking(), pump: host.environment.pump)
    let api = APIFile(name: url, path: url, service: service)
    try pin(api)
    return api
  }

  /// What is to be said of a problem, on standard error.
  package func describe(_ problem: APIFileProblem) -> String {
    switch problem {
    case .missing(let text): "lull: \(text)\n"
    case .syntax(let message, let source, let name):
      host.reporter.describe(syntaxError: message, in: source, name: name)
    case .failed(let problem): describe(raised: problem.failure)
    case .declaration(let place, let text):
      host.reporter.describe(ScriptFailure(message: "\(place): \(text)"))
    }
  }

  /// An interruption is not the file's error, unless the file was only to be looked at.
  private func describe(raised failure: ScriptFailure) -> String {
    guard host.reporter.isInterruption(failure) else { return host.reporter.describe(failure) }
    guard host.permissions.isInspecting, let text = interruptionText else { return "" }
    var shown = failure
    let frames = failure.trace.stacks.flatMap(\.self)
    let place = frames.first { $0.kind == .lua && $0.line > 0 }
    let file = lastPath.map { "\($0): " } ?? ""
    shown.message = (place.map { "\($0.shortSource):\($0.line): " } ?? file) + text
    shown.trace = Traceback()
    host.reporter.forgoLimit()
    return host.reporter.describe(shown)
  }

  /// How a file has ended, or would not have ended, what only looked at it; nil if it was a signal.
  var interruptionText: String? {
    if host.limits.hasPassed {
      return lull_limit_passed(host.bridge.pointer) == Int32(LULL_LIMIT_MEMORY)
        ? "needs more memory than an API file may" : "does not come to an end"
    }
    return host.loop.exitCode == nil
      ? nil : "calls os.exit, which ends whatever uses the file"
  }

  private static func name(ofFile path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.hasSuffix(".lua") ? String(file.dropLast(4)) : file
  }

  private func pin(_ api: APIFile) throws(APIFileProblem) {
    guard let handle = host.kept.pinForGood(api, .api, service: api.service) else {
      throw .missing("not enough memory")
    }
    api.hostHandle = handle
  }

  // MARK: Loading

  private func load(_ source: [UInt8], path: String, name: String) throws(APIFileProblem)
    -> APIFile
  {
    let chunk: Chunk
    do throws(Chunk.Problem) {
      chunk = try Chunk(source, name: "@\(path)", in: host)
    } catch {
      throw .syntax(message: error.message, source: source, name: path)
    }
    defer { chunk.release() }
    let answer = host.coroutines.ask(
      chunk.callable, [.string(name)], kind: "file of an API"
    ) { results in
      Result { () throws(APIFileProblem) in
        try APIDeclaration(host: host, source: source, path: path, name: name)
          .read(results[0], results.index(0), results.state)
      }
    }
    switch answer {
    case .success(let result): return try result.get()
    case .failure(.failed(let failure)): throw .failed(ScriptProblem(failure: failure))
    case .failure(.gone): throw .missing("not enough memory")
    }
  }
}
