import LullHost

/// What a file that was imported has already, where one more import adds to it: command lines come one at a time.
package struct KnownCalls {
  struct Call {
    let name: String
    let method: String
    /// As it is written.
    let path: String
  }

  private let file: DeclaredFile
  private let text: String
  let calls: [Call]

  /// nil if there is no table of calls in it.
  package init?(_ bytes: [UInt8]) {
    guard let file = DeclaredFile(bytes) else { return nil }
    self.file = file
    text = String(decoding: bytes, as: UTF8.self)
    calls = file.calls.fields.compactMap { field in
      guard let name = field.key, let table = file.table(field), let path = table["path"] else {
        return nil
      }
      let method = table["method"].flatMap { file.tokens[$0.value.lowerBound].text }
      return Call(
        name: name, method: method ?? "GET", path: file.tokens[path.value.lowerBound].text)
    }
  }

  func has(baseURL: String) -> Bool { text.contains("base_url = \(LuaLiteral.quoted(baseURL))") }

  /// What it is with the calls of another: those of the same name take the place of what was there.
  ///
  /// - Returns: nil if what is there is no file that was imported.
  package func adding(_ api: ImportedAPI) -> [UInt8]? {
    var api = api
    let statements = AccessWriter(api).statements
    let isKnown = text.contains(statements)
    if !isKnown, text.contains("api:configure") {
      // Others have other credentials there.
      if api.access != ImportedAccess() {
        api.exceptions += api.calls.map { RequestImport.exception($0, api.access) }
        api.access = ImportedAccess()
      }
    }
    let added = isKnown ? "" : self.statements(of: api)
    guard let new = DeclaredFile(Array(APIFileWriter.text(of: api).utf8)) else { return nil }
    var head = file.head.joined(separator: "\n")
    if !added.isEmpty {
      guard let end = head.ranges(of: "\n\nreturn {").last else { return nil }
      head.insert(
        contentsOf: "\n\(added.trimmingNewlines)\n", at: head.index(after: end.lowerBound))
    }
    var fields: [(key: String?, text: String)] = file.calls.fields.map {
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
    let calls = fields.map { "    \($0.text),\n" }.joined()
    return Array("\(head){\n\(calls)  }\(file.tail.joined(separator: "\n"))".utf8)
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

  private func source(_ field: DeclaredTable.Field, of file: DeclaredFile) -> String {
    String(decoding: file.bytes[file.range(field.tokens)], as: UTF8.self)
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
