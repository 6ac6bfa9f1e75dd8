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
      && left.isList == right.isList && left.place == right.place
      && left.saysPlace == right.saysPlace && left.style == right.style
      && left.explode == right.explode && left.isReserved == right.isReserved
      && left.isRequired == right.isRequired && left.isWhole == right.isWhole
      && left.secret == right.secret && left.option == right.option
      && left.description == right.description
      && (try? left.standard?.encode()) == (try? right.standard?.encode())
  }
}
