package import LullCore

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

/// A parameter of a call that is imported.
package struct ImportedParameter: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case string, number, integer, boolean, json, object, file
    /// One of these words.
    case choice([String])
  }

  package enum Place: String, Sendable {
    case path, query, header, cookie, body
  }

  /// What it is called in Lua and by the shell.
  package var key: String
  /// What it is called on the wire, if not by its key.
  package var name: String?
  package var kind = Kind.string
  package var isList = false
  /// Of an integer: those that it may be; empty: any.
  package var integers: [Int] = []
  package var place: Place
  /// Whether the file says the place: where calls do not put such a parameter by themselves.
  package var saysPlace = false
  /// Where it is not the usual one of the place.
  package var style: String?
  package var explode: Bool?
  package var isReserved = false
  package var isRequired = false
  /// Whether it is the body itself.
  package var isWhole = false
  package var standard: JSONValue?
  /// The same as JSON text, if it has integers beyond 64 bits, for which Lua has no literal. (JSN-112)
  package var standardText: String?
  /// The variable with a credential that is its default.
  package var secret: String?
  /// What it is called by `lull call`, if not by its key.
  package var option: String?
  package var description: String?
  /// Whether its text is a time.
  var isTime = false
  /// Of a number of pages: that of the first.
  var firstPage: Int?
  /// Whether its elements are lists or objects, for which its place has no form.
  var lacksForm = false

  package init(key: String, place: Place) {
    self.key = key
    self.place = place
  }

  /// Sets the default to a value of a document.
  ///
  /// - Parameter value: the same as plain values.
  mutating func setStandard(_ value: JSONValue, of element: JSONElement) {
    standard = value
    standardText = element.hasLargeInteger ? element.text : nil
  }

  /// The one value that it may have; nil if there are several.
  var onlyValue: JSONValue? {
    if case .choice(let words) = kind { return words.count == 1 ? .string(words[0]) : nil }
    return kind == .integer && integers.count == 1 ? .int(integers[0]) : nil
  }

  /// Makes it one of lists and objects in brackets behind its name.
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
  /// Whether there is an integer beyond 64 bits in it.
  fileprivate var hasLargeInteger: Bool {
    switch kind {
    case .double: digits != nil
    case .array: elements.contains(where: \.hasLargeInteger)
    case .object: pairs.contains { $0.value.hasLargeInteger }
    default: false
    }
  }

  /// It as JSON, its numbers with their digits.
  var text: String {
    var bytes: [UInt8] = []
    encode(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
