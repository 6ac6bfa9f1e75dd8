import LullCore
import LullHost

/// A value as it is written in a path, a query, a form, a cookie or a header, by its parameter's style.
/// (OpenAPI 3.1.1, "Style Values" and "Style Examples"; RFC 6570)
struct StyledValue {
  typealias Pair = (name: String, value: String)

  private let parameter: CallParameter
  private let value: CallValue
  /// As messages begin.
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

  /// Escaped; what would make another path is refused.
  func path() throws(APICall.Misfit) -> String {
    if value.isSecret { throw misfit("stands in the path and cannot be a secret") }
    let text = pathText
    // Nothing, or a dot segment, would be another path.
    for segment in parameter.keepsReserved ? text.split(separator: "/") : [text[...]]
    where [".", ".."].contains(segment) {
      throw misfit("stands in the path and cannot be '\(value.text)'")
    }
    guard !text.isEmpty else {
      throw misfit("stands in the path and cannot be \(emptyText)")
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

  /// The text of a single value, of each element, or of names and values: `name=value`, or one after the other.
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

  /// Escaped names and values of a query, a form or a cookie; none of an empty list.
  func pairs() throws(APICall.Misfit) -> [Pair] {
    let name = ParameterEscapes.strict.escaped(parameter.wireName)
    switch (value, parameter.style) {
    case (.json(let text), .deepObject): return try deepPairs(name, text)
    case (.list(let elements), .deepObject):
      // Not said by OpenAPI, but what PHP and Rails read, and APIs mean.
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
      throw misfit("is required: what is empty has no form in \(parameter.place.described)")
    }
    return pairs
  }

  /// What stands between parts that are one value. A separator that is an escape is no other than the same in a part.
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
        "cannot have \(called) in '\(text)': with style = \"\(parameter.style.rawValue)\" that "
          + "stands between its parts")
    }
    return separator
  }

  /// All that is said by a list or an object.
  private var texts: [String] {
    switch value {
    case .list(let elements): elements.map(\.text)
    case .object(let members): members.flatMap { [$0.name, $0.value.text] }
    default: []
    }
  }

  // MARK: Headers

  /// The value of a header; nil: none, of an empty list. Nothing is escaped: what cannot stand there is refused.
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
      throw misfit("stands in a header and \(problem)")
    }
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw misfit("stands in a header and must be ASCII, got '\(LogText.part(text, limit: 60))'")
    }
    return text
  }

  /// Whether the parts can be told apart again.
  private func checkParts() throws(APICall.Misfit) {
    for text in texts {
      guard !text.contains(",") else {
        throw misfit("cannot have ',' in '\(text)': in a header that stands between its parts")
      }
      guard Headers.valueProblem(text.utf8) == nil else {
        throw misfit(
          "cannot have '\(LogText.part(text, limit: 60))' as a part: in a header there is no space "
            + "at its ends, and no control character")
      }
    }
    guard parameter.explodes, case .object(let members) = value else { return }
    for member in members where member.name.contains("=") {
      throw misfit("cannot have the field '\(member.name)': in a header '=' ends its name")
    }
  }

  /// The same JSON in characters that headers have.
  private static func ascii(json bytes: [UInt8]) -> String {
    var result = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar.value {
      // In strings there are none.
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

/// How lists and objects, and the ends of single values, are written where a parameter stands.
/// (OpenAPI 3.1.1, "Style Values"; RFC 6570)
package enum ParameterStyle: String, CaseIterable {
  case simple
  case label
  case matrix
  case form
  case spaceDelimited
  case pipeDelimited
  case deepObject

  /// Those there are at a place, the usual one first; in a body only where that is a form.
  package static func styles(in place: CallParameter.Place) -> [ParameterStyle] {
    switch place {
    case .path: [.simple, .label, .matrix]
    case .query, .body: [.form, .spaceDelimited, .pipeDelimited, .deepObject]
    case .header: [.simple]
    case .cookie: [.form]
    }
  }

  /// Whether each element and member is written for itself unless the file says otherwise.
  package var explodes: Bool { self == .form || self == .deepObject }

  /// Whether single values have no such form.
  var needsParts: Bool { [.spaceDelimited, .pipeDelimited, .deepObject].contains(self) }
}

/// What stands for itself where a parameter is written, and what is an escape. (RFC 3986, section 2)
struct ParameterEscapes {
  /// Beside letters, digits and `-._~`.
  private let bare: Set<UInt8>
  /// Of those, what is escaped all the same.
  private let never: Set<UInt8>

  /// Nothing that is reserved.
  static let strict = ParameterEscapes(bare: [], never: [])

  private init(bare: Set<UInt8>, never: Set<UInt8>) {
    self.bare = bare
    self.never = never
  }

  /// - Parameters:
  ///   - place: where, if reserved characters may stand there: those that would end it are escaped all the same.
  ///   - separators: what means something between the parts of the value.
  init(reservedIn place: CallParameter.Place?, separators: String) {
    let bare =
      switch place {
      case .path: ":@!$&'()*+,;=/"
      case .query, .body: ":/?@!$'()*,;="
      // What may stand in one. (RFC 6265, 4.1.1)
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

/// The pairs by which nested lists and objects are written in a query or a form: `items[0][price]=p1`.
///
/// OpenAPI says what `deepObject` is of objects of single values alone. The rest is as PHP, Rails and `qs` read it, and
/// as APIs with such parameters mean it: elements that are lists or objects have their number, from 0, others `[]`;
/// null is empty, and what is empty has no pair.
struct DeepPairs {
  private(set) var pairs: [StyledValue.Pair] = []
  private let escapes: ParameterEscapes

  /// - Parameters:
  ///   - name: as it is written.
  ///   - value: whose numbers keep their digits.
  ///   - escapes: of values.
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
