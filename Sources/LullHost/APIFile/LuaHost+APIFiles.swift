import CLullBridge
import Glibc
import LullCore
import LullSystem

extension LuaHost {
  /// The API of a name or a path: loaded at the first call, the same ever after.
  package func api(_ word: String) throws(APIFileProblem) -> APIFile {
    guard let path = APIFileLocator.file(of: word) else {
      throw .missing(APIFileLocator.missing(word))
    }
    let key = FileName.resolved(path) ?? path
    if let known = apiFiles.loaded[key] { return known }
    guard apiFiles.loading.insert(key).inserted else {
      throw .missing("the API file '\(path)' is being loaded already: it asks for itself")
    }
    defer { apiFiles.loading.remove(key) }
    let source: [UInt8]
    permissions.inspection?.path = path
    let limit = permissions.isInspecting ? Inspection.sizeLimit : TextFile.largest
    switch TextFile.read(Array(path.utf8), limit: limit) {
    case .success(let bytes): source = SourceText.withoutFirstLineMarks(bytes)
    case .failure(let problem): throw .missing(String(escaping: problem.message))
    }
    let api = try load(source, path: path, name: LuaHost.apiName(ofFile: path))
    try pin(api)
    apiFiles.loaded[key] = api
    return api
  }

  /// An API that no file describes: a service at a URL.
  package func api(atURL url: String) throws(APIFileProblem) -> APIFile {
    let service = Service(
      baseURL: url, networking: environment.defaultNetworking(), pump: pump)
    let api = APIFile(name: url, path: url, service: service)
    try pin(api)
    return api
  }

  /// What is to be said of a problem, on standard error.
  package func describe(_ problem: APIFileProblem) -> String {
    switch problem {
    case .missing(let text): "lull: \(text)\n"
    case .syntax(let message, let source, let name):
      reporter.describe(syntaxError: message, in: source, name: name)
    case .failed(let problem): describe(raised: problem.failure)
    case .declaration(let place, let text):
      reporter.describe(ScriptFailure(message: "\(place): \(text)"))
    }
  }

  /// An interruption is not the file's error, unless the file was only to be looked at.
  private func describe(raised failure: ScriptFailure) -> String {
    guard reporter.isInterruption(failure) else { return reporter.describe(failure) }
    guard permissions.isInspecting, let text = interruptionText else { return "" }
    var shown = failure
    let frames = failure.trace.stacks.flatMap(\.self)
    let place = frames.first { $0.kind == .lua && $0.line > 0 }
    let file = permissions.inspection?.path.map { "\($0): " } ?? ""
    shown.message = (place.map { "\($0.shortSource):\($0.line): " } ?? file) + text
    shown.trace = Traceback()
    reporter.forgoLimit()
    return reporter.describe(shown)
  }

  /// How a file has ended, or would not have ended, what only looked at it; nil if it was a signal.
  var interruptionText: String? {
    if limits.hasPassed {
      return lull_limit_passed(bridge.pointer) == Int32(LULL_LIMIT_MEMORY)
        ? "needs more memory than an API file may" : "does not come to an end"
    }
    return loop.exitCode == nil
      ? nil : "calls os.exit, which ends whatever uses the file"
  }

  private static func apiName(ofFile path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.hasSuffix(".lua") ? String(file.dropLast(4)) : file
  }

  /// Held until the process ends: whoever asks again gets the same.
  private func pin(_ api: APIFile) throws(APIFileProblem) {
    let object = values.of(api, .api, service: api.service)
    var encoded = writer.encode(object)
    guard lull_object_pin(bridge.pointer, &encoded) == 0 else {
      handles.releaseUnclaimed(encoded.handle)
      throw .missing("not enough memory")
    }
    api.hostHandle = encoded.handle
    apiFiles.pinnedCount += 1
  }

  // MARK: Loading

  private func load(_ source: [UInt8], path: String, name: String) throws(APIFileProblem)
    -> APIFile
  {
    let chunkName = Array("@\(path)".utf8)
    sources.remember(source, chunkName: chunkName)
    let chunk = kept.makeID()
    let mark = lull_arena_mark(bridge.pointer)
    var message: UnsafePointer<CChar>?
    let status = source.withUnsafeBytes { bytes in
      lull_load(
        bridge.pointer, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count,
        chunkName.map(CChar.init(bitPattern:)) + [0], chunk, &message)
    }
    let text = message.map { String(escapingCString: $0) } ?? "cannot be compiled"
    lull_arena_release(bridge.pointer, mark)
    guard status == 0 else { throw .syntax(message: text, source: source, name: path) }
    let answer = coroutines.ask(Callable(id: chunk), [.string(name)], kind: "file of an API") {
      results in
      Result { () throws(APIFileProblem) in
        try APIDeclaration(host: self, source: source, path: path, name: name)
          .read(results[0], results.index(0), results.state)
      }
    }
    // Pinned as main chunks are, by whoever loaded it.
    lull_value_unpin(bridge.pointer, chunk)
    switch answer {
    case .success(let result): return try result.get()
    case .failure(.failed(let failure)): throw .failed(ScriptProblem(failure: failure))
    case .failure(.gone): throw .missing("not enough memory")
    }
  }
}

/// What was loaded, and what is being.
struct LoadedAPIFiles {
  var loaded: [String: APIFile] = [:]
  var loading: Set<String> = []
  var pinnedCount = 0
}
