/// An error in a GraphQL response. (GraphQL specification, section 7.1.2) Lua: an element of
/// `err.cause.errors`.
public struct GraphQLError: Sendable, CustomStringConvertible {
  /// The message of the server.
  public let message: String
  /// The response path of the field that could not be resolved, such as `repository.issues[3].title`;
  /// empty if the error does not belong to a field.
  public let path: String
  /// The machine-readable code: `extensions.code`, or `type` of servers that use this name. nil if
  /// there is neither.
  public let code: String?
  /// The first place in the document that the error belongs to, counted from 1; nil if it is
  /// unknown.
  public let line: Int?
  public let column: Int?
  /// Further information of the server; nil if there is none.
  public let extensions: JSONDocument?

  /// The message, with the path in parentheses.
  public var description: String { path.isEmpty ? message : "\(message) (\(path))" }

  /// Returns the elements of `errors`; at most 100, so that a response with millions of errors does
  /// not exhaust memory. Elements that are not errors are described.
  static func list(_ response: JSONElement) -> [GraphQLError] {
    guard let errors = response["errors"], !errors.isNull else { return [] }
    // A single error instead of a list is not allowed, but must not be ignored.
    guard errors.kind == .array else { return [GraphQLError(errors)] }
    return errors.elements.prefix(limit).map { GraphQLError($0) }
  }

  /// The largest number of errors that are kept.
  static let limit = 100

  private init(_ element: JSONElement) {
    message =
      element["message"]?.string ?? element.string ?? "the server sent an error without a message"
    path = GraphQLError.path(element["path"])
    code = element["extensions"]?["code"]?.string ?? element["type"]?.string
    let location = element["locations"]?.elements.first { _ in true }
    line = location?["line"]?.int
    column = location?["column"]?.int
    extensions = element["extensions"].flatMap { try? $0.copied() }
  }

  private static func path(_ element: JSONElement?) -> String {
    guard let element, element.kind == .array else { return "" }
    var text = ""
    for part in element.elements {
      if let index = part.int {
        text += "[\(index)]"
      } else if let name = part.string {
        text += text.isEmpty ? name : ".\(name)"
      }
    }
    return text
  }
}

extension JSONElement {
  /// Returns a document with a copy of the value.
  func copied() throws(JSONError) -> JSONDocument {
    var bytes: [UInt8] = []
    encode(into: &bytes)
    return try JSONDocument(parsing: bytes)
  }
}
