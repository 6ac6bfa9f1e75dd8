/// A call as its types are written.
package struct TypedCall: Sendable {
  package struct Parameter: Sendable {
    package var name: String
    /// As LuaCATS writes it; nil: as the schemas say.
    package var type: String?
    package var isRequired: Bool
    /// Whether it is the body, rather than a part of the request.
    package var isWhole = false
    package var description: String?

    package init(name: String, type: String?, isRequired: Bool, description: String? = nil) {
      self.name = name
      self.type = type
      self.isRequired = isRequired
      self.description = description
    }

    /// The type of one of some words; `string` if one cannot be written.
    package static func type(ofWords words: [String]) -> String {
      let quoted = words.compactMap { AnnotationText.quoted($0) }
      return quoted.count == words.count && !words.isEmpty
        ? quoted.joined(separator: "|") : "string"
    }
  }

  package var name: String
  package var method: String
  package var path: String
  package var description: String?
  package var parameters: [Parameter]

  package init(
    name: String, method: String, path: String, description: String? = nil,
    parameters: [Parameter] = []
  ) {
    self.name = name
    self.method = method
    self.path = path
    self.description = description
    self.parameters = parameters
  }
}
