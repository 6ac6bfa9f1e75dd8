import LullClients
import LullCore
import LullGraphQL
import LullHost
import LullLuaSource
import LullSystem

/// The GraphQL documents of the calls in an API file, as written. The file does not run.
struct GraphQLOperations {
  /// A document and the calls that use it.
  struct Document {
    /// The place of a document in a file.
    struct Start {
      let path: String
      /// The lines of the file before the document.
      var lines = 0
      /// The columns before the document on its first line.
      var columns = 0

      func shown(_ place: GraphQLPlace) -> String {
        "\(path):\(place.line + lines):\(place.column + (place.line == 1 ? columns : 0))"
      }
    }

    struct Call {
      let name: String
      /// The name of the operation. `nil`: the document has only one.
      let operation: String?
    }

    let start: Start
    let document: GraphQLDocument
    var calls: [Call]

    /// The names of the calls to whose operations a place belongs. A place outside of them belongs
    /// to all calls.
    func calls(at place: GraphQLPlace) -> [String] {
      let operations = document.operations().filter { $0.contains(place) }
      let found = calls.filter { call in
        operations.contains { $0.name == call.operation || call.operation == nil }
      }
      return (found.isEmpty ? calls : found).map(\.name)
    }

    /// A place with the line in the file.
    func shown(_ place: GraphQLPlace) -> String { start.shown(place) }
  }

  private(set) var documents: [Document] = []
  /// The schema that the API file names. `nil` if it names none or it cannot be read.
  private(set) var schema: GraphQLSchema?
  /// The documents that cannot be compared, each with the reason.
  private(set) var problems: [String] = []
  private let path: String

  init(ofFile path: String) throws(CommandFailure) {
    self.path = path
    let bytes: [UInt8]
    switch TextFile.read(Array(path.utf8)) {
    case .success(let content): bytes = content
    case .failure(let problem):
      throw CommandFailure(code: 3, message: "lull: \(String(escaping: problem.message))\n")
    }
    guard let file = DeclaredFile(bytes) else {
      throw CommandFailure(
        code: 1,
        message: "lull: \(path): the file does not end with 'return { …, calls = { … } }', so its "
          + "operations cannot be found\n")
    }
    readSchema(file)
    for field in file.calls.fields {
      guard let name = field.key, let table = file.table(field) else { continue }
      let operation = table["operation"].flatMap { file.text($0) }
      let call = Document.Call(name: name, operation: operation)
      if let written = table["graphql_file"] {
        guard let name = file.text(written) else {
          report(call, "its 'graphql_file' is not a plain string", file, written)
          continue
        }
        add(documentFile: sibling(name), call)
      } else if let written = table["graphql"] {
        guard let text = file.text(written) else {
          report(call, "its 'graphql' is not a plain string: use [[…]]", file, written)
          continue
        }
        add(Array(text.utf8), at: start(of: text, in: file, written), call)
      }
    }
  }

  /// The place of a document that is written as a string.
  private func start(of text: String, in file: DeclaredFile, _ field: DeclaredTable.Field)
    -> Document.Start
  {
    let range = file.tokens[field.value.lowerBound].range
    // The quotes or brackets at both ends have the same length.
    let first = range.lowerBound + (range.count - text.utf8.count) / 2
    let line = file.bytes[..<first].lastIndex(of: 10).map { $0 + 1 } ?? 0
    let before = String(decoding: file.bytes[line..<first], as: UTF8.self)
    return Document.Start(
      path: path, lines: file.line(field.value.lowerBound) - 1,
      columns: before.unicodeScalars.count)
  }

  private mutating func report(
    _ call: Document.Call, _ reason: String, _ file: DeclaredFile, _ field: DeclaredTable.Field
  ) {
    let line = file.line(field.value.lowerBound)
    problems.append("\(path):\(line): '\(call.name)' is not compared: \(reason)")
  }

  /// The path of a file in the folder of the API file.
  private func sibling(_ name: String) -> String {
    name.hasPrefix("/") || !path.contains("/") ? name : "\(FileName.folder(of: path))/\(name)"
  }

  private mutating func readSchema(_ file: DeclaredFile) {
    guard let name = file.result["graphql"].flatMap({ file.text($0) }) else { return }
    let schemaPath = sibling(name)
    guard case .success(let bytes) = TextFile.read(Array(schemaPath.utf8), limit: 64 << 20),
      let document = try? GraphQLDocument(bytes, name: schemaPath)
    else {
      problems.append("\(schemaPath) cannot be read, so only errors and deprecations are found")
      return
    }
    schema = GraphQLSchema.reading([document]).schema
  }

  private mutating func add(documentFile path: String, _ call: Document.Call) {
    if let known = documents.firstIndex(where: { $0.start.path == path }) {
      documents[known].calls.append(call)
      return
    }
    switch TextFile.read(Array(path.utf8)) {
    case .success(let bytes): add(bytes, at: Document.Start(path: path), call)
    case .failure(let problem):
      problems.append("'\(call.name)' is not compared: \(String(escaping: problem.message))")
    }
  }

  private mutating func add(
    _ bytes: [UInt8], at start: Document.Start, _ call: Document.Call
  ) {
    do throws(GraphQLProblem) {
      let document = try GraphQLDocument(bytes, name: start.path)
      documents.append(Document(start: start, document: document, calls: [call]))
    } catch {
      problems.append(
        "'\(call.name)' is not compared: \(start.shown(error.place)): \(error.message)")
    }
  }
}
