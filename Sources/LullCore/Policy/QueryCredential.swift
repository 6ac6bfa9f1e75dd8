/// Query parameters that authenticate a request. (QRY-01 to QRY-04)
package struct QueryCredential: Sendable, Equatable {
  private struct Parameter: Sendable, Equatable {
    let name: String
    let value: SecretText
  }

  private let parameters: [Parameter]

  /// Makes a credential.
  ///
  /// - Parameter parameters: The names and values of the query parameters. If a name is repeated,
  ///   its first value is used. Literals are treated as secrets.
  init(_ parameters: [(name: String, value: SecretText)]) {
    var kept: [Parameter] = []
    for (name, value) in parameters where !kept.contains(where: { $0.name == name }) {
      let isLiteral = value.secrets.isEmpty
      kept.append(
        Parameter(
          name: name, value: isLiteral ? SecretText(Secret(.literal(value.masked))) : value))
    }
    self.parameters = kept
  }

  package var names: [String] { parameters.map(\.name) }

  /// The names and values of the parameters.
  package var all: [(name: String, value: SecretText)] { parameters.map { ($0.name, $0.value) } }

  var identity: SecretText {
    parameters.reduce(SecretText([])) { $0 + SecretText("&\($1.name)=") + $1.value }
  }

  /// The parameters as shown to the user.
  var masked: String {
    "?" + parameters.map { "\($0.name)=\($0.value.masked)" }.joined(separator: "&")
  }

  /// Appends those of the credential's parameters that the query of the request lacks. A fragment
  /// stays at the end.
  func put(on http: inout HTTPRequest) {
    let url = http.secretURL ?? SecretTemplate(http.url.utf8)
    let added = missing(in: url)
    let template = QueryCredential.put(added, on: url)
    http.url = template.maskedText
    http.secrets = SecretUses(
      origin: http.secrets?.origin, url: template, body: http.secrets?.body,
      signature: http.secrets?.signature, credentialNames: added.map(\.name))
  }

  /// Returns the URL with the credential's parameters appended that it lacks.
  func put(on url: SecretTemplate) -> SecretTemplate {
    QueryCredential.put(missing(in: url), on: url)
  }

  /// The names of the credential's parameters that a URL lacks.
  func missingNames(in url: SecretTemplate) -> [String] { missing(in: url).map(\.name) }

  private static func put(_ parameters: [Parameter], on url: SecretTemplate) -> SecretTemplate {
    let (front, fragment) = url.split(before: UInt8(ascii: "#"))
    var result = front
    var hasQuery = front.literals.contains(UInt8(ascii: "?"))
    for parameter in parameters {
      if !hasQuery {
        result.append("?".utf8)
        hasQuery = true
      } else if let last = result.masked.last, !"?&".utf8.contains(last) {
        result.append("&".utf8)
      }
      result.append(SecretEscaping.parameter.escaped(parameter.name.utf8))
      result.append("=".utf8)
      result.append(parameter.value, .parameter)
    }
    result.append(fragment)
    return result
  }

  /// The credential's parameters that the query of a URL lacks.
  private func missing(in url: SecretTemplate) -> [Parameter] {
    let query = url.split(before: UInt8(ascii: "#")).0.split(before: UInt8(ascii: "?")).1
    return query.literals.withUnsafeBufferPointer { query in
      let given = query.dropFirst().split(separator: UInt8(ascii: "&")).map { pair in
        pair.prefix { $0 != UInt8(ascii: "=") }
      }
      return parameters.filter { parameter in
        !given.contains { ResourceURL.Escaping.decodes($0, to: parameter.name.utf8) }
      }
    }
  }
}
