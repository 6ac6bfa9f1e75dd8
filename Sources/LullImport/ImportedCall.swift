package import LullCore

/// A call of an imported API.
package struct ImportedCall: Equatable, Sendable {
  package enum Body: String, Sendable {
    case json
    case form
    case multipart
    /// The body is a single parameter that is sent unchanged.
    case raw
  }

  /// How to find the next page of a response, as written in the `pages` setting of a call.
  package enum Pages: Equatable, Sendable {
    /// The `Link` header, or a field of the response that Lull knows, contains the next page's URL
    /// or cursor.
    case linked
    /// A field contains the URL of the next page.
    case next(field: String)
    /// A field contains the cursor of the next page. If `items` is set, the field belongs to the
    /// last element of that list, and it is used as long as the field `more` is true.
    case cursor(parameter: String, field: String, items: String? = nil, more: String? = nil)
    /// The next page is requested by its number. Page numbers start at `first` and increase by
    /// `step`.
    case counted(parameter: String, first: Int, step: Int, items: String?)
    /// The next page is requested by the number of rows before it.
    case offset(parameter: String, items: String?)
    /// The connection of a GraphQL operation. Without a path, it is the only one.
    case relay(path: String?)
  }

  package var name: String
  package var method: String
  package var path: String
  package var description: String?
  package var parameters: [ImportedParameter] = []
  /// The body type. `nil`: the default for the method.
  package var body: Body?
  package var contentType: String?
  /// Whether the call sends a body even if all fields are missing.
  package var requiresBody = false
  /// Whether a POST is declared to change nothing on the server.
  package var isSafe = false
  package var headers: [(name: String, value: ImportedText)] = []
  package var pages: Pages?
  /// Whether the response seems to be paged, but the document does not describe how to find the
  /// next page.
  package var lacksPages = false
  /// The body types that the document accepts, but that the call can't send.
  package var leftBodies: [String] = []
  /// The types of responses whose item schemas are left out.
  var leftItems: [String] = []
  /// Whether the document encodes parts of the body by their position.
  var leavesPositions = false
  /// The parameter that is the whole query.
  var wholeQuery: String?
  /// How the response is parsed. `nil`: by its Content-Type.
  package var responseType: String?
  /// The path of the rows in the response.
  package var rows: String?
  /// The columns of the rows in a table. Empty: all fields.
  package var columns: [String] = []
  /// The file with the GraphQL document of the call, relative to the folder of the API file.
  package var graphQLFile: String?
  /// The name of the operation, if the document has several.
  package var operation: String?
  /// The tags of the operation. A pattern of `--only` can match them.
  package var tags: [String] = []
  /// The credentials of the call. `nil`: the call uses the credentials of the API.
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
      && left.requiresBody == right.requiresBody && left.isSafe == right.isSafe
      && left.access == right.access && left.pages == right.pages && left.rows == right.rows
      && left.responseType == right.responseType && left.columns == right.columns
      && left.tags == right.tags && left.graphQLFile == right.graphQLFile
      && left.operation == right.operation
      && left.headers.elementsEqual(right.headers, by: ==)
  }
}

/// A parameter of an imported call.
package struct ImportedParameter: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case string, number, integer, boolean, json, object, file
    /// A string that is one of these words.
    case choice([String])
  }

  package enum Place: String, Sendable {
    case path, query, header, cookie, body
  }

  /// The name of the parameter in Lua and in the shell.
  package var key: String
  /// The name of the parameter in the request, if it differs from the key.
  package var name: String?
  package var kind = Kind.string
  package var isList = false
  /// The allowed values of an integer. Empty: any value.
  package var integers: [Int] = []
  package var place: Place
  /// Whether the file must state the parameter's location, because it is not the default.
  package var saysPlace = false
  /// The serialization style, if it is not the default for the location.
  package var style: String?
  package var explode: Bool?
  package var isReserved = false
  package var isRequired = false
  /// Whether the parameter is the whole body.
  package var isWhole = false
  /// Whether the parameter is a variable of a GraphQL operation, which declares its type.
  package var isVariable = false
  package var standard: JSONValue?
  /// The default as JSON text. It is set only if the default contains integers beyond 64 bits, for
  /// which Lua has no literal. (JSN-112)
  package var standardText: String?
  /// The environment variable that contains the default, if the parameter is a credential.
  package var secret: String?
  /// The name of the option for `lull call`, if it differs from the key.
  package var option: String?
  package var description: String?
  /// Whether the value is a date or time.
  var isTime = false
  /// The number of the first page, if the parameter is a page number.
  var firstPage: Int?
  /// Whether the elements of the value are lists or objects, which can't be serialized in the
  /// parameter's location.
  var lacksForm = false

  package init(key: String, place: Place) {
    self.key = key
    self.place = place
  }

  /// Sets the default to a value in a document.
  ///
  /// - Parameters:
  ///   - value: The value, converted to a plain value.
  ///   - element: The same value in the document.
  mutating func setStandard(_ value: JSONValue, of element: JSONElement) {
    standard = value
    standardText = element.hasLargeInteger ? element.text : nil
  }

  /// The only value that the parameter allows. `nil` if the parameter allows several values.
  var onlyValue: JSONValue? {
    if case .choice(let words) = kind { return words.count == 1 ? .string(words[0]) : nil }
    return kind == .integer && integers.count == 1 ? .int(integers[0]) : nil
  }

  /// Changes the parameter so that it accepts nested lists and objects, which are sent with keys in
  /// brackets after the name.
  mutating func setDeep() {
    kind = .json
    isList = false
    style = "deepObject"
    if key.hasSuffix("[]") {
      name = String((name ?? key).dropLast(2))
    }
  }

  package static func == (left: ImportedParameter, right: ImportedParameter) -> Bool {
    left.key == right.key && left.name == right.name && left.kind == right.kind
      && left.integers == right.integers
      && left.isList == right.isList && left.place == right.place
      && left.saysPlace == right.saysPlace && left.style == right.style
      && left.explode == right.explode && left.isReserved == right.isReserved
      && left.isRequired == right.isRequired && left.isWhole == right.isWhole
      && left.secret == right.secret && left.option == right.option
      && left.description == right.description && left.standardText == right.standardText
      && (try? left.standard?.encode()) == (try? right.standard?.encode())
  }
}

extension JSONElement {
  /// Whether the value is or contains an integer beyond 64 bits.
  fileprivate var hasLargeInteger: Bool {
    switch kind {
    case .double: digits != nil
    case .array: elements.contains(where: \.hasLargeInteger)
    case .object: pairs.contains { $0.value.hasLargeInteger }
    default: false
    }
  }

  /// The value as JSON text, with the digits of the source.
  var text: String {
    var bytes: [UInt8] = []
    encode(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
