import LullCore
import LullGraphQL
import LullHost

/// The GraphQL documents and the schema that an API file names.
///
/// Each file is read and parsed once, when the first call needs it. The schema is read only if a
/// variable has a type that the document does not explain. Home thread only.
final class GraphQLFiles {
  /// The folder of the API file with a trailing slash. Empty for the working folder.
  private let folder: String
  /// The path of the schema; nil if the API file names none.
  var schemaPath: String?
  private var documents: [String: Result<GraphQLDocument, GraphQLFileProblem>] = [:]
  private lazy var opened = schemaPath.map { path in
    Result { () throws(GraphQLFileProblem) in try GraphQLFiles.schema(path) }
  }
  /// The mistakes in the schema, of which the readable parts are used nevertheless. Empty before the
  /// schema is read.
  var schemaProblems: [GraphQLFileProblem] {
    guard case .success(let opened)? = opened else { return [] }
    return opened.problems
  }

  /// - Parameter path: The path of the API file.
  init(besides path: String) {
    folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// The largest schema that is read, in bytes. The schema of GitHub has 1.5 MB.
  static let largest = 64 << 20

  /// Returns the schema; nil if the API file names none.
  func schema() throws(GraphQLFileProblem) -> GraphQLSchema? { try opened?.get().schema }

  /// Returns the document in a file.
  ///
  /// - Parameter name: The path relative to the folder of the API file.
  func document(_ name: String) throws(GraphQLFileProblem) -> GraphQLDocument {
    if let known = documents[name] { return try known.get() }
    let path = folder + name
    let read = Result { () throws(GraphQLFileProblem) in
      let bytes = try GraphQLFiles.bytes(path)
      do throws(GraphQLProblem) {
        return try GraphQLDocument(bytes, name: path)
      } catch {
        throw GraphQLFileProblem(error, in: bytes, path)
      }
    }
    documents[name] = read
    return try read.get()
  }

  /// Returns the path of a file beside the API file; nil if the name leads elsewhere.
  func path(of name: String) -> String? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard !name.utf8.contains(0), !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
      return nil
    }
    return folder + name
  }

  private static func schema(_ path: String) throws(GraphQLFileProblem)
    -> (schema: GraphQLSchema, problems: [GraphQLFileProblem])
  {
    let bytes = try bytes(path)
    let document: GraphQLDocument
    do throws(GraphQLProblem) {
      document = try GraphQLDocument(bytes, name: path)
    } catch {
      throw GraphQLFileProblem(error, in: bytes, path)
    }
    // Published schemas of large services have mistakes.
    let (schema, problems) = GraphQLSchema.reading([document])
    return (schema, problems.map { GraphQLFileProblem($0, in: bytes, path) })
  }

  static func bytes(_ path: String) throws(GraphQLFileProblem) -> [UInt8] {
    switch TextFile.read(Array(path.utf8), limit: largest) {
    case .success(let bytes): return bytes
    case .failure(let problem):
      throw GraphQLFileProblem(
        place: SourcePlace(file: path, line: 0), text: String(escaping: problem.message))
    }
  }
}

/// A problem in a GraphQL file or document, with its place.
struct GraphQLFileProblem: Error {
  let place: SourcePlace
  let message: String
  /// The line of the document with a caret, after a line break. Empty if there is none.
  private let excerpt: String

  var text: String { message + excerpt }

  init(place: SourcePlace, text: String) {
    self.place = place
    message = text
    excerpt = ""
  }

  init(_ problem: GraphQLProblem, in source: [UInt8], _ path: String) {
    self.init(problem.message, problem.place, of: DocumentOrigin(source, file: path))
  }

  init(_ message: String, _ found: GraphQLPlace, of document: DocumentOrigin) {
    place = document.place(of: found)
    self.message = message
    excerpt = GraphQLFileProblem.excerpt(document.text, found, line: place.line)
  }

  /// The line of the document with a caret under the column, on two further lines.
  ///
  /// - Parameter line: The number of the line in its file.
  private static func excerpt(_ source: [UInt8], _ place: GraphQLPlace, line: Int) -> String {
    let lines = String(decoding: source, as: UTF8.self)
      .split(omittingEmptySubsequences: false) { $0.isNewline }
    guard lines.indices.contains(place.line - 1) else { return "" }
    let scalars = lines[place.line - 1].unicodeScalars
    let column = place.column - 1
    // The indentation is left out, and long lines are cut so that the caret stays in view.
    let indentation = scalars.prefix { $0.properties.isWhitespace }.count
    let start = max(min(indentation, column), column - 60)
    let shown = String(String.UnicodeScalarView(scalars.dropFirst(start).prefix(100)))
      .replacing("\t", with: " ")
    let blank = String(repeating: " ", count: column - start)
    let number = "\(line)"
    let margin = String(repeating: " ", count: number.count)
    return "\n  \(number) | \(LogText.part(shown, limit: 200))\n  \(margin) | \(blank)^"
  }
}

/// The text of a document, and where it is written.
struct DocumentOrigin: Sendable {
  let text: [UInt8]
  let file: String
  /// The line of the file in which the document begins; 0 if it is unknown.
  let line: Int
  /// Whether the lines of the document are lines of the file. False for a quoted string in Lua.
  let hasLines: Bool

  init(_ text: [UInt8], file: String, line: Int = 1, hasLines: Bool = true) {
    self.text = text
    self.file = file
    self.line = line
    self.hasLines = hasLines
  }

  /// The place where the document begins.
  var place: SourcePlace { SourcePlace(file: file, line: line) }

  func place(of place: GraphQLPlace) -> SourcePlace {
    SourcePlace(file: file, line: hasLines ? line - 1 + place.line : line)
  }
}
