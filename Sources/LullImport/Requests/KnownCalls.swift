import LullHost

/// What a file that was imported has already, where one more import adds to it: command lines come one at a time.
package struct KnownCalls {
  struct Call {
    let name: String
    let method: String
    /// As it is written.
    let path: String
  }

  /// A call that asks for what is asked for already.
  package struct Clash {
    /// `GET /orders`.
    package let request: String
    /// The name of the call that is there.
    package let name: String
    package let line: Int
  }

  private let file: DeclaredFile
  private let text: String
  /// Where it is, also in environments, as it is and as it was imported.
  private let bases: [BaseURL]
  let calls: [Call]

  /// nil if there is no table of calls in it.
  ///
  /// - Parameter imported: as it was imported the last time; nil: so.
  package init?(_ bytes: [UInt8], imported: [UInt8]? = nil) {
    guard let file = DeclaredFile(bytes) else { return nil }
    self.file = file
    text = String(decoding: bytes, as: UTF8.self)
    bases =
      BaseURL.named(in: file)
      + (imported.flatMap { DeclaredFile($0) }.map { BaseURL.named(in: $0) } ?? [])
    calls = file.calls.fields.compactMap { field in
      guard let name = field.key, let table = file.table(field), let path = table["path"] else {
        return nil
      }
      let method = table["method"].flatMap { file.tokens[$0.value.lowerBound].text }
      return Call(
        name: name, method: method ?? "GET", path: file.tokens[path.value.lowerBound].text)
    }
  }

  /// The base URL that a request is below, the longest of them; nil where it is about something else.
  func base(of request: SeenRequest) -> BaseURL? {
    bases.filter { $0.path(of: request) != nil }.max { $0.path.utf8.count < $1.path.utf8.count }
  }

  /// What it is about, for messages.
  var shownBases: String {
    var shown: [String] = []
    for base in bases where !shown.contains(base.text) { shown.append(base.text) }
    return shown.isEmpty ? "another host" : shown.joined(separator: " and ")
  }

  /// Calls of another that ask for what is asked for here, in other words.
  package func clashes(with api: ImportedAPI) -> [Clash] {
    guard let new = DeclaredFile(Array(APIFileWriter.text(of: api).utf8)) else { return [] }
    return api.calls.compactMap { call in
      let shape = KnownCalls.shape(LuaLiteral.quoted(call.path).dropFirst().dropLast())
      guard
        let known = calls.first(where: {
          $0.method == call.method && KnownCalls.shape($0.path) == shape
        }),
        let field = file.calls[known.name]
      else { return nil }
      if known.name == call.name, let other = new.calls[call.name],
        file.meaning(field.value) == new.meaning(other.value)
      {
        return nil
      }
      return Clash(
        request: "\(call.method) \(call.path.prefix { $0 != "?" })", name: known.name,
        line: file.line(field.tokens.lowerBound))
    }
  }

  /// What a path is but for the names in it.
  private static func shape(_ path: some StringProtocol) -> String {
    String(path.prefix { $0 != "?" }).replacing(/\{[^{}]*\}/, with: "{}")
  }

  /// What it is with the calls of another: those of the same name take the place of what was there.
  ///
  /// - Returns: nil if what is there is no file that was imported.
  package func adding(_ api: ImportedAPI) -> [UInt8]? {
    var api = api
    let statements = AccessWriter(api).statements
    let isKnown = text.contains(statements)
    // Others have other credentials there, or none.
    if !isKnown, !calls.isEmpty, api.access != ImportedAccess() {
      api.exceptions += api.calls.map { RequestImport.exception($0, api.access) }
      api.access = ImportedAccess()
    }
    let added = isKnown ? "" : self.statements(of: api)
    guard let new = DeclaredFile(Array(APIFileWriter.text(of: api).utf8)) else { return nil }
    var head = Array(file.head.joined(separator: [10]))
    if !added.isEmpty {
      guard let end = head.ranges(of: Array("\n\nreturn {".utf8)).last else { return nil }
      head.insert(contentsOf: Array("\n\(added.trimmingNewlines)\n".utf8), at: end.lowerBound + 1)
    }
    var fields: [(key: String?, text: [UInt8])] = file.calls.fields.map {
      ($0.key, source($0, of: file))
    }
    for field in new.calls.fields {
      let text = source(field, of: new)
      if let place = fields.firstIndex(where: { $0.key == field.key }) {
        fields[place].text = text
      } else {
        fields.append((field.key, text))
      }
    }
    var bytes = head + Array("{\n".utf8)
    for field in fields { bytes += Array("    ".utf8) + field.text + Array(",\n".utf8) }
    return bytes + Array("  }".utf8) + Array(file.tail.joined(separator: [10]))
  }

  /// Each by itself: what several have in common has a name in files that are written as a whole.
  private func statements(of api: ImportedAPI) -> String {
    var own = api
    own.exceptions = []
    var added = AccessWriter(own).statements
    for exception in api.exceptions {
      own.access = ImportedAccess()
      own.exceptions = [exception]
      let statement = AccessWriter(own).statements
      if !text.contains(statement) { added += statement.drop { $0 == "\n" } }
    }
    return added
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
