import LullHost
import LullLuaSource

/// The content of an imported file to which another import adds calls. For example, curl commands
/// are imported one at a time.
package struct KnownCalls {
  struct Call {
    let name: String
    let method: String
    /// The path as written in the file.
    let path: String
  }

  /// An imported call that makes the same request as an existing call.
  package struct Clash {
    /// The method and path, such as `GET /orders`.
    package let request: String
    /// The name of the existing call.
    package let name: String
    package let line: Int
  }

  /// The result of adding calls to a file.
  package struct Addition {
    package let bytes: [UInt8]
    /// The names of the calls that are sent without the credentials of the other calls.
    package let openCalls: [String]
  }

  private let file: DeclaredFile
  private let text: String
  /// The base URLs of the current file and of the file as last imported, including the base URLs of
  /// environments.
  private let bases: [BaseURL]
  let calls: [Call]

  /// Reads a file. The result is `nil` if the file has no table of calls.
  ///
  /// - Parameter imported: The file as last imported. `nil` if it does not differ from the current
  ///   file.
  package init?(_ bytes: [UInt8], imported: [UInt8]? = nil) {
    guard let file = DeclaredFile(bytes) else { return nil }
    self.file = file
    text = String(decoding: bytes, as: UTF8.self)
    bases =
      BaseURL.named(in: file)
      + (imported.flatMap { DeclaredFile($0) }.map { BaseURL.named(in: $0) } ?? [])
    calls = file.calls.fields.compactMap { field in
      guard let name = field.key, let table = file.table(field) else { return nil }
      let path = table["path"].map { file.tokens[$0.value.lowerBound].text } ?? ""
      var method = table["method"].flatMap { file.tokens[$0.value.lowerBound].text } ?? "GET"
      // Calls of GraphQL operations share a path, and no request of another kind is the same.
      if table["graphql_file"] != nil || table["graphql"] != nil { method = "" }
      return Call(name: name, method: method, path: path)
    }
  }

  /// Returns the longest base URL that the URL of the request is below. `nil` if there is no such
  /// base URL.
  func base(of request: ParsedRequest) -> BaseURL? {
    bases.filter { $0.path(of: request) != nil }.max { $0.path.utf8.count < $1.path.utf8.count }
  }

  /// Returns whether the URL of a request is one of the base URLs itself.
  func isBase(_ request: ParsedRequest) -> Bool {
    bases.contains { $0.origin == request.origin && $0.path == request.path }
  }

  /// The base URLs as text for messages.
  var shownBases: String {
    var shown: [String] = []
    for base in bases where !shown.contains(base.text) { shown.append(base.text) }
    return shown.isEmpty ? "another host" : shown.joined(separator: " and ")
  }

  /// Returns the calls of another API that make the same request as an existing call, although
  /// their declarations differ.
  package func clashes(with api: ImportedAPI) -> [Clash] {
    guard let new = DeclaredFile(Array(APIFileWriter.text(of: api).utf8)) else { return [] }
    let all = Dictionary(
      calls.map { ("\($0.method) \(KnownCalls.shape($0.path))", $0.name) },
      uniquingKeysWith: { first, _ in first })
    let ours = Dictionary(file.calls.fields.map { ($0.key ?? "", $0) }) { first, _ in first }
    let theirs = Dictionary(new.calls.fields.map { ($0.key ?? "", $0) }) { first, _ in first }
    return api.calls.compactMap { call in
      let shape = KnownCalls.shape(LuaLiteral.quoted(call.path).dropFirst().dropLast())
      guard let known = all["\(call.method) \(shape)"], let field = ours[known] else { return nil }
      if known == call.name, let other = theirs[call.name],
        file.meaning(field.value) == new.meaning(other.value)
      {
        return nil
      }
      return Clash(
        request: "\(call.method) \(call.path.prefix { $0 != "?" })", name: known,
        line: file.line(field.tokens.lowerBound))
    }
  }

  /// Returns a path without the names of its placeholders.
  private static func shape(_ path: some StringProtocol) -> String {
    var result = ""
    var isInside = false
    for character in path.prefix(while: { $0 != "?" }) {
      if character == "}" { isInside = false }
      if !isInside { result.append(character) }
      if character == "{" { isInside = true }
    }
    return result
  }

  /// Adds the calls of another API to the file. A call of the same name is replaced.
  ///
  /// - Returns: The new file. `nil` if the file was not imported.
  package func adding(_ api: ImportedAPI) throws(ImportProblem) -> Addition? {
    var api = api
    var added = AccessWriter(api).statements
    var open: [String] = []
    if calls.isEmpty {
      if text.contains(added) { added = "" }
    } else {
      let known = KnownAccess(file)
      let exceptions = AccessExceptions.made(
        of: api.accessEntries, standard: standard(of: api, known))
      if known.isGeneral {
        open = api.calls.filter { $0.access == ImportedAccess() }.map(\.name)
      }
      api.access = ImportedAccess()
      api.exceptions = exceptions
      added = try statements(of: api)
    }
    guard let new = DeclaredFile(Array(APIFileWriter.text(of: api).utf8)) else { return nil }
    var head = Array(file.head.joined(separator: [10]))
    if !added.isEmpty {
      guard let end = head.ranges(of: Array("\n\nreturn {".utf8)).last else { return nil }
      head.insert(contentsOf: Array("\n\(added.trimmingNewlines)\n".utf8), at: end.lowerBound + 1)
    }
    var fields: [(key: String?, text: [UInt8])] = file.calls.fields.map {
      ($0.key, source($0, of: file))
    }
    let places = Dictionary(
      fields.enumerated().map { ($0.element.key, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    for field in new.calls.fields {
      let text = source(field, of: new)
      if let place = places[field.key] {
        fields[place].text = text
      } else {
        fields.append((field.key, text))
      }
    }
    var bytes = head + Array("{\n".utf8)
    for field in fields { bytes += Array("    ".utf8) + field.text + Array(",\n".utf8) }
    bytes += Array("  }".utf8) + Array(file.tail.joined(separator: [10]))
    return Addition(bytes: bytes, openCalls: open)
  }

  /// Returns the credentials of calls without a `configure` entry. `nil` if they are unknown.
  private func standard(of api: ImportedAPI, _ known: KnownAccess) -> ImportedAccess? {
    if api.calls.contains(where: { known.covers($0.path) }) { return nil }
    guard known.isGeneral else { return ImportedAccess() }
    var general = api
    general.exceptions = []
    let statement = AccessWriter(general).statements
    return !statement.isEmpty && text.contains(statement) ? api.access : nil
  }

  /// Returns the `configure` statements that the file lacks. Each is written separately, without
  /// shared credentials. Only a file that is written as a whole defines shared credentials.
  private func statements(of api: ImportedAPI) throws(ImportProblem) -> String {
    let names = Set(api.calls.map(\.name))
    var own = api
    var added = ""
    for exception in api.exceptions {
      own.exceptions = [exception]
      let statement = AccessWriter(own).statements
      if isLast(statement, about: exception) { continue }
      let hit = calls.first { call in
        !names.contains(call.name) && exception.methods.contains(call.method)
          && AccessExceptions.reaches(exception.pattern, AccessExceptions.pattern(of: call.path))
      }
      if let hit {
        throw ImportProblem(
          "the credentials would also be sent by '\(hit.name)', whose path \(exception.pattern) "
            + "covers: name another file with -o")
      }
      added += statement.drop { $0 == "\n" }
    }
    return added
  }

  /// Returns whether the file has a statement, and no later statement applies to the same requests.
  private func isLast(_ statement: String, about exception: ImportedException) -> Bool {
    guard let end = text.ranges(of: statement).last?.upperBound else { return false }
    return !text[end...].contains("api:configure(\(LuaLiteral.quoted(exception.pattern)),")
  }

  private func source(_ field: DeclaredTable.Field, of file: DeclaredFile) -> [UInt8] {
    Array(file.bytes[file.range(field.tokens)])
  }
}

extension String {
  fileprivate var trimmingNewlines: String {
    var text = self[...]
    while text.first == "\n" { text = text.dropFirst() }
    while text.last == "\n" { text = text.dropLast() }
    return String(text)
  }
}

/// The credentials that a file configures, as far as its source shows them.
struct KnownAccess {
  /// Whether the file configures credentials for all calls.
  private(set) var isGeneral = false
  /// The patterns of the `configure` entries that apply to some calls only.
  private(set) var patterns: [String] = []

  init(_ file: DeclaredFile) {
    let tokens = file.tokens[..<file.calls.tokens.lowerBound]
    for place in tokens.indices.dropLast()
    where tokens[place].kind == .name && ["configure", "service"].contains(tokens[place].text) {
      var next = place + 1
      var pattern: String?
      if tokens[next].isSymbol("(") { next += 1 }
      if next + 1 < tokens.endIndex, tokens[next].kind == .string, tokens[next + 1].isSymbol(",") {
        pattern = tokens[next].text
        next += 2
      }
      guard let table = DeclaredTable(at: next, in: file.tokens) else {
        // A `configure` entry with a function may set any credentials. `service` without a table is
        // only a name.
        guard tokens[place].text == "configure" else { continue }
        if let pattern { patterns.append(pattern) } else { isGeneral = true }
        continue
      }
      guard let auth = table["auth"] else { continue }
      if let pattern {
        patterns.append(pattern)
      } else if file.tokens[auth.value.lowerBound].text != "false" {
        isGeneral = true
      }
    }
  }

  /// Returns whether a `configure` entry may apply to the requests of a path.
  func covers(_ path: String) -> Bool {
    let own = AccessExceptions.pattern(of: path)
    return patterns.contains { $0.contains("**") || AccessExceptions.overlap($0, own) }
  }
}
