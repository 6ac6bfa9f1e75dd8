package import LullCore

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
