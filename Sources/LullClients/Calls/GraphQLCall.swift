package import LullGraphQL
package import LullCore
import LullHost

/// The GraphQL operation that a call sends. (GQL-40 to GQL-48)
package struct GraphQLCall: Sendable {
  package let operation: GraphQLOperation
  /// The operation with its fragments.
  package let text: String
  let document: GraphQLDocument
  let origin: DocumentOrigin

  init(_ operation: GraphQLOperation, of document: GraphQLDocument, _ origin: DocumentOrigin) {
    self.operation = operation
    self.document = document
    text = operation.text
    self.origin = origin
  }

  /// Whether the operation only reads.
  package var isSafe: Bool { operation.kind != .mutation }

  /// The name of the operation; nil for an operation without a name.
  package var name: String? { operation.name }

  /// `query`, `mutation` or `subscription`.
  package var kind: String { operation.kind.rawValue }

  package var isSubscription: Bool { operation.kind == .subscription }

  /// The beginning of the request body, up to the variables. (GraphQL over HTTP, section "Request")
  var head: [UInt8] {
    var bytes = Array("{\"query\":".utf8) + CallValue.string(text).jsonText
    if let name = operation.name {
      bytes += Array(",\"operationName\":".utf8) + CallValue.string(name).jsonText
    }
    return bytes
  }
}

/// The parameter for a variable of an operation. (GQL-42)
extension CallParameter {
  init(_ variable: GraphQLOperation.Variable) {
    self.init(name: variable.name)
    place = .body
    isRequired = variable.isRequired
    setKind(of: variable)
    let standard = variable.defaultValue.map { "default \($0)" }
    let texts = [variable.description, standard].compactMap(\.self)
    description = texts.isEmpty ? nil : texts.joined(separator: "; ")
  }

  mutating func setKind(of variable: GraphQLOperation.Variable) {
    kind = CallParameter.kind(variable.type, variable.kind)
    guard case .list(let element) = variable.type.nullable else { return }
    guard !element.isList, kind != .json else { return kind = .json }
    isList = true
  }

  /// Custom scalars are strings, as nearly all are. Types that the schema does not explain, and input
  /// objects, are JSON.
  private static func kind(
    _ type: GraphQLType, _ kind: GraphQLOperation.Variable.Kind
  ) -> CallParameter.Kind {
    switch type.name {
    case "String", "ID": return .string
    case "Int": return .integer
    case "Float": return .number
    case "Boolean": return .boolean
    default: break
    }
    switch kind {
    case .scalar: return .string
    case .enum(let words) where !words.isEmpty: return .choice(words)
    case .enum, .inputObject, .unknown: return .json
    }
  }
}

/// The operation of a request, which distinguishes requests to the URL of a GraphQL service.
package struct GraphQLRequestKey: Equatable, Sendable {
  /// The name of the operation; nil for an operation without a name.
  package let name: String?
  /// The text of the document, which identifies operations without a name.
  let text: String?

  package init(_ call: GraphQLCall) {
    name = call.operation.name
    text = call.text
  }

  /// Reads the body of a request. nil if the body is not that of a GraphQL request.
  package init?(body: [UInt8]) {
    guard let document = try? JSONDocument(parsing: body) else { return nil }
    self.init(document.root)
  }

  package init?(_ root: JSONElement) {
    guard root.kind == .object else { return nil }
    let query = root["query"]?.string
    text = query
    // A document with one operation needs no name.
    name =
      root["operationName"]?.string
      ?? query.flatMap { query in
        let operations = (try? GraphQLDocument(query))?.operations() ?? []
        return operations.count == 1 ? operations[0].name : nil
      }
    if name == nil, text == nil { return nil }
  }

  /// Returns whether the body of a request has the hash of a document, but not the document.
  package static func isOnlyHash(_ body: [UInt8]) -> Bool {
    guard let root = (try? JSONDocument(parsing: body))?.root else { return false }
    return root["query"] == nil && root["extensions"]?["persistedQuery"] != nil
  }

  /// Returns whether a request with this key has the document of a call.
  package func isSame(as call: GraphQLRequestKey) -> Bool {
    name == call.name && text != nil && text == call.text
  }

  /// Returns whether a request with this key belongs to a call with another key.
  package func fits(_ call: GraphQLRequestKey) -> Bool {
    if let name, let other = call.name { return name == other }
    return text != nil && text == call.text
  }
}
