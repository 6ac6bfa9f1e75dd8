import LullArguments
import LullClients
import LullCore
import LullHost
import LullImport
import LullSystem

/// `lull import curl`, `har` and `postman`: creates an API file from written or recorded requests,
/// or updates one.
struct RequestsCommand {
  enum Kind: String {
    case curl, har, postman
  }

  private let kind: Kind
  private let source: String
  private let only: [String]
  private let baseURL: String?
  private let output: String?
  private let wantsMock: Bool

  static func run(_ kind: Kind) -> @Sendable (ParsedArguments, Command) throws(CommandEnd) -> Int32
  {
    { parsed, command throws(CommandEnd) in try RequestsCommand(kind, parsed, command).run() }
  }

  private init(_ kind: Kind, _ parsed: ParsedArguments, _ command: Command) throws(CommandEnd) {
    self.kind = kind
    source = parsed.text("FILE") ?? ""
    guard !source.isEmpty else {
      throw .wrongUsage(
        kind == .curl ? "the curl command is empty" : "the name of the file is empty", command)
    }
    only = parsed.all("--only")
    if kind == .curl, !only.isEmpty {
      throw .wrongUsage(
        "--only cannot be used with curl, which imports one command", command)
    }
    wantsMock = parsed.has("--with-mock")
    if kind == .curl, wantsMock {
      throw .wrongUsage(
        "--with-mock cannot be used with curl, which adds calls to a file: write "
          + "'environments = { mock = { base_url = … } }' into the file", command)
    }
    baseURL = parsed.text("--base-url")
    guard baseURL == nil || kind == .postman else {
      throw .wrongUsage(
        "--base-url can only be used with openapi and postman", command)
    }
    output = parsed.text("--output")
  }

  // MARK: Reading

  private func run() -> Int32 {
    guard let bytes = read() else { return 3 }
    do throws(ImportProblem) {
      switch kind {
      case .curl: return try runCurl(bytes)
      case .har:
        return try runFile { name, only throws(ImportProblem) in
          try HARImport.api(bytes, only: only.filter { $0.contains("://") }, name: name)
        }
      case .postman:
        return try runFile { name, _ throws(ImportProblem) in
          try PostmanImport.api(bytes, baseURL: baseURL, name: name)
        }
      }
    } catch {
      complain("\(kind == .curl ? "" : "\(InputFile.shownName(source)): ")\(error)")
      return 3
    }
  }

  /// Reads the source. If that fails, reports the error and returns `nil`.
  private func read() -> [UInt8]? {
    if kind == .curl, !InputFile.isStandardInput(source) { return Array(source.utf8) }
    do throws(InputFile.Unreadable) {
      return try InputFile.read(source)
    } catch {
      complain(error.message)
      return nil
    }
  }

  // MARK: Importing

  /// Adds a curl command to the calls already in the file.
  private func runCurl(_ bytes: [UInt8]) throws(ImportProblem) -> Int32 {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ImportProblem("the command is not valid UTF-8")
    }
    var path = output
    if path == nil {
      let first = try CurlImport.api(text, name: nil)
      path = "apis/\(HostTitle.name(of: first.baseURL)).lua"
    }
    guard let path else { return 3 }
    let target = ImportTarget(path, of: kind.rawValue)
    guard let files = target.open() else { return 3 }
    // Calls added to a document are not part of it: the next import of the document must not remove
    // them.
    let isAddition = target.otherKind(of: files) != nil
    let known =
      isAddition
      ? (files.current ?? files.base).flatMap { KnownCalls($0, imported: files.base) }
      : files.base.flatMap { KnownCalls($0) }
    let unfit = ImportProblem(
      isAddition
        ? "\(path) no longer has the form in which it was imported: add the call by hand, or name another file with -o"
        : "the result of the last import is no longer an API file: \(path).imported")
    if files.base != nil, known == nil { throw unfit }
    var api = try CurlImport.api(text, name: target.name, known: known)
    api.avoid(options: CallPage.taken(hasPages: true))
    api.origin = ImportOrigin(words: ["curl", "-", "-o", path], only: []).lines
    guard let known else { return target.write(api, files) }
    if isAddition, let clash = known.clashes(with: api).first {
      complain(
        "\(path):\(clash.line): \(clash.request) already exists as call '\(clash.name)' and is left unchanged: "
          + "change the call in the file, or name another file with -o")
      return 3
    }
    guard let addition = try known.adding(api) else { throw unfit }
    if !addition.openCalls.isEmpty {
      api.notes.append(
        "calls without credentials, as in the command: "
          + addition.openCalls.joined(separator: ", "))
    }
    let new = addition.bytes
    return isAddition ? target.add(api, new, files) : target.write(api, new, files)
  }

  private func runFile(
    _ make: (_ name: String, _ only: [String]) throws(ImportProblem) -> ImportedAPI
  ) throws(ImportProblem) -> Int32 {
    let path = output ?? "apis/\(stem).lua"
    let target = ImportTarget(path, of: kind.rawValue)
    guard let files = target.open() else { return 3 }
    let known = files.base.map { ImportOrigin.only(in: $0) } ?? []
    let only = only.isEmpty ? known : self.only == ["*"] ? [] : self.only
    var api = try make(target.name, only)
    let patterns = only.filter { kind != .har || !$0.contains("://") }.map { NamePattern($0) }
    if !patterns.isEmpty {
      api.keepCalls { call in
        patterns.contains { pattern in
          ([call.name, call.path] + call.tags).contains(where: pattern.matches)
        }
      }
      guard !api.calls.isEmpty else {
        complain(
          "\(only.map { "'\($0)'" }.joined(separator: ", ")) matches no name, folder or path of a call"
        )
        return 2
      }
    }
    api.leaveOutOthers()
    var words = [kind.rawValue, source, "-o", path]
    if let baseURL { words += ["--base-url", baseURL] }
    let hasMock = wantsMock || files.base.map { ImportOrigin.hasMock(in: $0) } ?? false
    if hasMock {
      api.addMock()
      words.append("--with-mock")
    }
    api.avoid(options: CallPage.taken(hasPages: true))
    api.origin = ImportOrigin(words: words, only: only).lines
    let code = target.write(api, files)
    if code == 0, wantsMock { target.tellMock() }
    return code
  }

  /// The stem of the source's file name, in characters that need no quotes in a shell.
  private var stem: String {
    let last = source.split(separator: "/").last ?? "api"
    let first = last.split(separator: ".").first ?? "api"
    let plain = first.lowercased().map {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") ? $0 : "_"
    }
    return plain.contains { $0.isLetter } ? String(plain) : "api"
  }

  private func complain(_ text: String) {
    Exit.complain("lull: \(ControlCharacters.shownInLine(text))\n")
  }
}
