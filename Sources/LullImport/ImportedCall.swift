/// A call of an API that is imported.
package struct ImportedCall: Equatable, Sendable {
  package enum Body: String, Sendable {
    case json
    case form
    case multipart
    /// A whole parameter, sent as it is.
    case raw
  }

  /// How its answer goes on in pages, as `pages` of a call has it.
  package enum Pages: Equatable, Sendable {
    /// By the `Link` header or a field of the answer.
    case linked
    /// By a field with the URL of the next page.
    case next(field: String)
    /// By a field, of the last element of `items` if there are any, as long as `more` says so.
    case cursor(parameter: String, field: String, items: String? = nil, more: String? = nil)
    /// By a number that is counted on by `step`.
    case counted(parameter: String, first: Int, step: Int, items: String?)
    /// By the number of rows before the page.
    case offset(parameter: String, items: String?)
  }

  package var name: String
  package var method: String
  package var path: String
  package var description: String?
  package var parameters: [ImportedParameter] = []
  /// nil: as calls have it.
  package var body: Body?
  package var contentType: String?
  /// Whether it has a body even without any of its fields.
  package var requiresBody = false
  package var headers: [(name: String, value: ImportedText)] = []
  package var pages: Pages?
  /// Whether it seems to come in pages, of which the document does not say how they go on.
  package var lacksPages = false
  /// Types of body that the document accepts and the call does not send.
  package var leftBodies: [String] = []
  /// Where the rows are in the answer.
  package var rows: String?
  /// By what a pattern of `--only` may find it.
  package var tags: [String] = []
  /// Who asks; nil: as the API says.
  package var access: ImportedAccess?

  package init(name: String, method: String, path: String) {
    self.name = name
    self.method = method
    self.path = path
  }

  package static func == (left: ImportedCall, right: ImportedCall) -> Bool {
    left.name == right.name && left.method == right.method && left.path == right.path
      && left.description == right.description && left.parameters == right.parameters
      && left.body == right.body && left.contentType == right.contentType
      && left.requiresBody == right.requiresBody
      && left.access == right.access && left.pages == right.pages && left.rows == right.rows
      && left.tags == right.tags
      && left.headers.elementsEqual(right.headers, by: ==)
  }
}
