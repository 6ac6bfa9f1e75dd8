import LullCore
import LullHost

/// Encodes a value in a path, a query, a form, a cookie or a header, in the style of its parameter.
/// (OpenAPI 3.1.1, "Style Values" and "Style Examples"; RFC 6570)
struct StyledValue {
  typealias Pair = (name: String, value: String)

  private let parameter: CallParameter
  private let value: CallValue
  /// The subject with which error messages begin.
  private let subject: String

  init(_ parameter: CallParameter, _ value: CallValue, of call: APICall) {
    self.parameter = parameter
    self.value = value
    subject = "the parameter '\(parameter.name)' of call '\(call.name)'"
  }

  private func misfit(_ text: String) -> APICall.Misfit {
    APICall.Misfit(message: "\(subject) \(text)")
  }

  private func escapes(_ separators: String) -> ParameterEscapes {
    ParameterEscapes(
      reservedIn: parameter.keepsReserved ? parameter.place : nil, separators: separators)
  }

  // MARK: Paths

  /// Returns the value escaped for a path. A value that would change the path's structure is an
  /// error.
  func path() throws(APICall.Misfit) -> String {
    if value.isSecret { throw misfit("is in the path and cannot be a secret") }
    let text = pathText
    // An empty segment or one of dots would lead to another path.
    for segment in parameter.keepsReserved ? text.split(separator: "/") : [text[...]]
    where [".", ".."].contains(segment) {
      throw misfit("is in the path and cannot be '\(value.text)'")
    }
    guard !text.isEmpty else {
      throw misfit("is in the path and cannot be \(emptyText)")
    }
    return text
  }

  private var emptyText: String {
    switch value {
    case .list(let elements) where elements.isEmpty: "an empty list"
    case .object: "an empty table"
    default: "'\(value.text)'"
    }
  }

  private var pathText: String {
    let name = ParameterEscapes.strict.escaped(parameter.wireName)
    switch parameter.style {
    case .label:
      let isExploded = parameter.explodes && !value.isSingle
      let parts = self.parts(separators: isExploded ? ".,;=" : ",;=")
      return parts.isEmpty ? "" : "." + parts.joined(separator: isExploded ? "." : ",")
    case .matrix:
      let parts = self.parts(separators: ",;=")
      guard !parts.isEmpty else { return "" }
      guard parameter.explodes || value.isSingle else {
        return ";\(name)=\(parts.joined(separator: ","))"
      }
      if case .object = value { return parts.map { ";" + $0 }.joined() }
      return parts.map { ";" + name + ($0.isEmpty ? "" : "=" + $0) }.joined()
    default: return parts(separators: value.isSingle ? "" : ",=").joined(separator: ",")
    }
  }

  /// Returns the escaped parts of the value. A single value is one part, and each list element is a
  /// part. An object has a part `name=value` for each field if it is exploded. Otherwise names and
  /// values alternate.
  private func parts(separators: String) -> [String] {
    let escapes = escapes(separators)
    switch value {
    case .list(let elements): return elements.map { escapes.escaped($0.text) }
    case .object(let members):
      return members.flatMap { member in
        let parts = [escapes.escaped(member.name), escapes.escaped(member.value.text)]
        return parameter.explodes ? [parts.joined(separator: "=")] : parts
      }
    default: return [escapes.escaped(value.text)]
    }
  }

  // MARK: Pairs

  /// Returns the escaped names and values for a query, a form or a cookie. The result for an empty
  /// list is empty.
  func pairs() throws(APICall.Misfit) -> [Pair] {
    let name = ParameterEscapes.strict.escaped(parameter.wireName)
    switch (value, parameter.style) {
    case (.json(let text), .deepObject): return try deepPairs(name, text)
    case (.list(let elements), .deepObject):
      // OpenAPI does not define `deepObject` for lists. This is the form that PHP and Rails read,
      // and that APIs expect.
      return elements.map { (name + "%5B%5D", escapes("&").escaped($0.text)) }
    case (.object(let members), .deepObject):
      return members.map { member in
        (
          "\(name)%5B\(ParameterEscapes.strict.escaped(member.name))%5D",
          escapes("&").escaped(member.value.text)
        )
      }
    case (.list(let elements), _) where parameter.explodes:
      return elements.map { (name, escapes("&").escaped($0.text)) }
    case (.object(let members), _) where parameter.explodes:
      return members.map { member in
        (
          ParameterEscapes.strict.escaped(member.name),
          escapes("&").escaped(member.value.text)
        )
      }
    case (.list, _), (.object, _):
      let separator = try self.separator()
      let parts = parts(separators: ",&")
      return parts.isEmpty ? [] : [(name, parts.joined(separator: separator))]
    default: return [(name, escapes("").escaped(value.text))]
    }
  }

  private func deepPairs(_ name: String, _ text: [UInt8]) throws(APICall.Misfit) -> [Pair] {
    guard (try? JSONDocument(parsing: text)) != nil else {
      return [(name, escapes("&").escaped(value.text))]
    }
    let pairs = DeepPairs(name, JSONText(valid: text), escapes("&")).pairs
    guard !pairs.isEmpty || !parameter.isRequired else {
      throw misfit("is required: an empty value sends nothing in \(parameter.place.described)")
    }
    return pairs
  }

  /// Returns the separator between parts of one value. An escaped separator can't be distinguished
  /// from the same character inside a part.
  private func separator() throws(APICall.Misfit) -> String {
    let (separator, character, called): (String, Character, String) =
      switch parameter.style {
      case .spaceDelimited: ("%20", " ", "a space")
      case .pipeDelimited: ("%7C", "|", "'|'")
      default: (",", ",", "','")
      }
    guard separator != "," else { return separator }
    for text in texts where text.contains(character) {
      throw misfit(
        "cannot have \(called) in '\(text)': with style = \"\(parameter.style.rawValue)\", "
          + "\(called) separates the parts of a value")
    }
    return separator
  }

  /// All texts in a list or an object.
  private var texts: [String] {
    switch value {
    case .list(let elements): elements.map(\.text)
    case .object(let members): members.flatMap { [$0.name, $0.value.text] }
    default: []
    }
  }

  // MARK: Headers

  /// Returns a header value, or nil for an empty list. Nothing is escaped: an invalid value is an
  /// error.
  func header() throws(APICall.Misfit) -> String? {
    let text: String
    switch value {
    case .json(let bytes): text = StyledValue.ascii(json: bytes)
    case .list(let elements):
      guard !elements.isEmpty else { return nil }
      text = elements.map(\.text).joined(separator: ",")
    case .object(let members):
      guard !members.isEmpty else { return nil }
      let mark = parameter.explodes ? "=" : ","
      text = members.map { $0.name + mark + $0.value.text }.joined(separator: ",")
    default: text = value.text
    }
    try checkParts()
    if let problem = Headers.valueProblem(text.utf8) {
      throw misfit("is in a header and \(problem)")
    }
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw misfit("is in a header and must be ASCII, got '\(LogText.part(text, limit: 60))'")
    }
    return text
  }

  /// Throws if a receiver could not separate the parts again.
  private func checkParts() throws(APICall.Misfit) {
    for text in texts {
      guard !text.contains(",") else {
        throw misfit("cannot have ',' in '\(text)': in a header, a comma separates parts")
      }
      guard Headers.valueProblem(text.utf8) == nil else {
        throw misfit(
          "cannot have '\(LogText.part(text, limit: 60))' as a part: in a header, a part cannot "
            + "begin or end with a space, or have control characters")
      }
    }
    guard parameter.explodes, case .object(let members) = value else { return }
    for member in members where member.name.contains("=") {
      throw misfit("cannot have the field '\(member.name)': in a header, '=' ends a field's name")
    }
  }

  /// Returns the same JSON with only ASCII characters, for headers.
  private static func ascii(json bytes: [UInt8]) -> String {
    var result = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar.value {
      // Control characters occur only between tokens, because they are escaped in strings.
      case 0..<0x20: result += " "
      case 0x20..<0x7F: result.unicodeScalars.append(scalar)
      default:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return String(result.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

/// The style of a parameter: how lists and objects are written, and how a value begins. (OpenAPI
/// 3.1.1, "Style Values"; RFC 6570)
package enum ParameterStyle: String, CaseIterable {
  case simple
  case label
  case matrix
  case form
  case spaceDelimited
  case pipeDelimited
  case deepObject

  /// Returns the styles that are valid for a location, the default first. In a body, styles apply
  /// only to forms.
  package static func styles(in place: CallParameter.Place) -> [ParameterStyle] {
    switch place {
    case .path: [.simple, .label, .matrix]
    case .query, .body: [.form, .spaceDelimited, .pipeDelimited, .deepObject]
    case .header: [.simple]
    case .cookie: [.form]
    }
  }

  /// Whether, by default, each list element and object member is written as a separate pair.
  package var explodes: Bool { self == .form || self == .deepObject }

  /// Whether the style is only for lists and objects.
  var needsParts: Bool { [.spaceDelimited, .pipeDelimited, .deepObject].contains(self) }
}

/// Decides which characters of a parameter value are escaped. (RFC 3986, section 2)
struct ParameterEscapes {
  /// The characters left unescaped in addition to letters, digits and `-._~`.
  private let bare: Set<UInt8>
  /// The characters in `bare` that are escaped nevertheless.
  private let never: Set<UInt8>

  /// Escapes all reserved characters.
  static let strict = ParameterEscapes(bare: [], never: [])

  private init(bare: Set<UInt8>, never: Set<UInt8>) {
    self.bare = bare
    self.never = never
  }

  /// - Parameters:
  ///   - place: The parameter's location if reserved characters are left unescaped, otherwise nil.
  ///     Characters that would end the value in that location are still escaped.
  ///   - separators: Characters that separate the parts of the value. They are escaped inside a
  ///     part.
  init(reservedIn place: CallParameter.Place?, separators: String) {
    let bare =
      switch place {
      case .path: ":@!$&'()*+,;=/"
      case .query, .body: ":/?@!$'()*,;="
      // The characters allowed in a cookie. (RFC 6265, 4.1.1)
      case .cookie: ":/?#[]@!$&'()*+="
      case .header, nil: ""
      }
    self.init(bare: Set(bare.utf8), never: Set(separators.utf8))
  }

  func escaped(_ text: String) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      if isBare(byte) {
        result.append(byte)
      } else {
        let digits = Array("0123456789ABCDEF".utf8)
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      !never.contains(byte)
    default: bare.contains(byte) && !never.contains(byte)
    }
  }
}

/// The pairs for nested lists and objects in a query or a form: `items[0][price]=p1`.
///
/// OpenAPI defines `deepObject` only for objects with single values. The rest follows PHP, Rails
/// and `qs`, which APIs with such parameters expect: elements that are lists or objects are
/// numbered from 0, others are `[]`. Null is an empty value, and an empty list or object has no
/// pair.
struct DeepPairs {
  private(set) var pairs: [StyledValue.Pair] = []
  private let escapes: ParameterEscapes

  /// - Parameters:
  ///   - name: The parameter name, already escaped.
  ///   - value: The value. Its numbers keep their digits.
  ///   - escapes: The escapes for values.
  init(_ name: String, _ value: JSONText, _ escapes: ParameterEscapes) {
    self.escapes = escapes
    add(name, value)
  }

  private mutating func add(_ name: String, _ value: JSONText) {
    switch value.kind {
    case .object:
      for (key, member) in value.members {
        add("\(name)%5B\(ParameterEscapes.strict.escaped(key))%5D", member)
      }
    case .array:
      let elements = value.lines
      let isNested = elements.contains { $0.kind == .object || $0.kind == .array }
      for (number, element) in elements.enumerated() {
        add("\(name)%5B\(isNested ? String(number) : "")%5D", element)
      }
    case .string: pairs.append((name, escapes.escaped(value.string ?? "")))
    case .atom, .number:
      let text = String(decoding: value.bytes[value.range], as: UTF8.self)
      pairs.append((name, text == "null" ? "" : escapes.escaped(text)))
    }
  }
}
