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
