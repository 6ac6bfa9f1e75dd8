import LullArguments
import LullClients
import LullCore
import LullHost
import LullImport
import LullSystem

/// `lull import openapi`: creates an API file from an OpenAPI document, or updates one.
struct OpenAPICommand {
  private let source: String
  private let path: [UInt8]
  private let only: [String]
  private let baseURL: String?
  private let wantsMock: Bool
  private let target: ImportTarget

  static func run(_ parsed: ParsedArguments, _ command: Command) throws(CommandEnd) -> Int32 {
    try OpenAPICommand(parsed, command).run()
  }

  private init(_ parsed: ParsedArguments, _ command: Command) throws(CommandEnd) {
    source = parsed.text("FILE") ?? ""
    guard !source.isEmpty else { throw .wrongUsage("the name of the document is empty", command) }
    only = parsed.all("--only")
    wantsMock = parsed.has("--with-mock")
    baseURL = parsed.text("--base-url")
    let output = parsed.text("--output") ?? OpenAPICommand.standardPath(for: source)
    path = Array(output.utf8)
    target = ImportTarget(output, of: "openapi")
  }

  private static func standardPath(for source: String) -> String {
    let last =
      source.prefix { !"?#".contains($0) }.split(separator: "/").last.map(String.init) ?? "api"
    var stem = last.split(separator: ".").first.map(String.init) ?? "api"
    if stem.isEmpty || stem == "openapi" || InputFile.isStandardInput(source) { stem = "api" }
    return "apis/\(stem).lua"
  }

  private var shownPath: String { String(escaping: path) }

  private func run() -> Int32 {
    guard let files = target.open() else { return 3 }
    // A document from a URL needs the network, which needs an event loop. A document in a file can
    // refer only to other files.
    guard OpenAPICommand.isURL(source) else {
      return run(files) { () throws(DocumentProblem) in
        guard InputFile.isStandardInput(source) else {
          return try DocumentSet(file: Array(source.utf8)) { (_) throws(DocumentProblem) in
            throw DocumentProblem("a local document can only refer to local files")
          }
        }
        return try DocumentSet(bytes: try read(), name: StandardInput.name)
      }
    }
    return CallRun.run(folder: nil) { host in
      run(files) { () throws(DocumentProblem) in
        guard let url = ResourceURL(absolute: source) else {
          throw DocumentProblem("this is not a URL", file: source)
        }
        return try DocumentSet(url: url) { (url) throws(DocumentProblem) in
          try DocumentFetcher.fetch(url, by: host)
        }
      }
    }
  }

  private func read() throws(DocumentProblem) -> [UInt8] {
    do throws(InputFile.Unreadable) {
      return try InputFile.read(source, limit: DocumentSet.largest)
    } catch {
      throw DocumentProblem(error.message)
    }
  }

  static func isURL(_ text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  private func run(_ files: ImportedFiles, _ read: () throws(DocumentProblem) -> DocumentSet)
    -> Int32
  {
    let patterns =
      only.isEmpty ? files.base.map { ImportOrigin.only(in: $0) } ?? [] : only == ["*"] ? [] : only
    let result: OpenAPIImport.Result
    do throws(DocumentProblem) {
      var options = OpenAPIImport.Options(name: target.name)
      options.only = patterns.map { NamePattern($0) }
      options.baseURL = baseURL
      options.taken = CallPage.taken(hasPages: true)
      result = try OpenAPIImport.read(try read(), options)
    } catch {
      target.tell(error.description)
      return 3
    }
    var api = result.api
    guard !api.calls.isEmpty || !patterns.isEmpty else {
      let reason = api.leftOut.isEmpty ? ": the document has no operations" : ""
      Exit.complain(
        "lull: \(ControlCharacters.shownInLine(InputFile.shownName(source))): no call can be imported\(reason)\n"
      )
      target.tellNotes(of: api)
      return 3
    }
    guard !api.calls.isEmpty else {
      let shown = patterns.map { "'\($0)'" }.joined(separator: ", ")
      Exit.complain(
        "lull: \(ControlCharacters.shownInLine(shown)) matches no operationId, tag or path of the document\n"
      )
      return 2
    }
    let hasMock = wantsMock || files.base.map { ImportOrigin.hasMock(in: $0) } ?? false
    if hasMock { api.addMock() }
    api.origin = origin(patterns, hasMock: hasMock).lines
    if result.schemas != nil {
      let schemas = ImportedFiles.schemas(of: path)
      api.schemas = String(
        escaping: schemas.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? schemas)
    }
    let new = Array(APIFileWriter.text(of: api).utf8)
    let code = target.write(api, new, files, schemas: result.schemas)
    if code == 0, wantsMock { target.tellMock() }
    return code
  }

  private func origin(_ patterns: [String], hasMock: Bool) -> ImportOrigin {
    var words = ["openapi", OpenAPICommand.withoutCredentials(source), "-o", shownPath]
    if let baseURL { words += ["--base-url", baseURL] }
    if hasMock { words.append("--with-mock") }
    return ImportOrigin(words: words, only: patterns)
  }

  /// Removes the user name, password and query of a URL, which may contain credentials.
  static func withoutCredentials(_ source: String) -> String {
    guard isURL(source), let scheme = source.firstRange(of: "://") else { return source }
    let rest = source[scheme.upperBound...].prefix { !"?#".contains($0) }
    let authority = rest.prefix { $0 != "/" }
    let host =
      authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    return String(source[..<scheme.upperBound] + host + rest.dropFirst(authority.count))
  }
}

/// Fetches documents over Lull's network, within limits.
enum DocumentFetcher {
  private static let largest = 64 << 20

  static func fetch(
    _ url: ResourceURL, by host: LuaHost
  ) throws(DocumentProblem) -> (bytes: [UInt8], url: ResourceURL) {
    let api: APIFile
    do throws(APIFileProblem) {
      api = try host.part(APIFiles.self).api(atURL: url.text)
    } catch {
      throw DocumentProblem("this is not a URL", file: url.text)
    }
    api.service.configure(
      nil, requestMethods: nil, description: "lull import",
      source: SourcePlace(file: "lull import", line: 0)
    ) { settings in
      settings.pipeline.clear()
      settings.limits.maxBodySize = DocumentFetcher.largest
      settings.headers["Accept"] = "application/json, application/yaml, */*;q=0.8"
    }
    let resource = api.service.resource(absoluteURL: url.text)
    guard let response = host.loop.finish(resource.load()) else {
      throw DocumentProblem("the download was interrupted", file: url.text)
    }
    if let error = response.error { throw DocumentProblem(error.summary, file: url.text) }
    guard let entity = response.entity, case .bytes(let bytes) = entity.content else {
      throw DocumentProblem("the response is empty", file: url.text)
    }
    let final = entity.exchange?.url.flatMap { ResourceURL(absolute: $0) }
    return (bytes, final ?? url)
  }
}
