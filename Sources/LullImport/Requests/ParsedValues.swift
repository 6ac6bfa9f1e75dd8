import LullCassettes
import LullCore

/// The values of one parameter, in requests that differ only in their values.
struct ParsedValues {
  /// The name of the parameter in the request.
  let name: String
  let place: ImportedParameter.Place
  /// The values in each request. Empty for a request that lacks the parameter.
  var values: [[String]]
  /// Whether the values are credentials.
  var isSecret: Bool

  /// Returns whether a value can be stored as a default: it must not look like a credential.
  static func isHarmless(_ text: String) -> Bool {
    !Blank.isIn(text) && RandomText.words(in: text).isEmpty && CredentialMask.body(text) == text
  }

  /// Returns whether a value can be stored as a default, because it does not look like a
  /// credential. The name of the value shows whether hexadecimal digits are a key or a digest.
  static func isHarmless(_ text: String, called name: String) -> Bool {
    isHarmless(text) && !(mayNameKey(name) && hasHexadecimalKey(text))
  }

  private static let namesOfKeys = [
    "key", "appid", "token", "secret", "auth", "access", "master", "licen", "client", "pass", "sid",
  ]

  private static func mayNameKey(_ name: String) -> Bool {
    let plain = name.lowercased().filter(\.isLetter)
    return namesOfKeys.contains { plain.contains($0) }
  }

  /// Returns whether a path segment does not look like a credential. Hexadecimal digits do not look
  /// like one, because in a path they usually identify something.
  static func isHarmlessSegment(_ text: String) -> Bool {
    !Blank.isIn(text) && RandomText.words(in: text).isEmpty
  }

  /// Whether a text contains a hexadecimal key. A key has more digits than usual database IDs and
  /// is not a UUID.
  private static func hasHexadecimalKey(_ text: String) -> Bool {
    text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.contains { word in
      word.utf8.count >= 32 && word.allSatisfy(\.isHexDigit) && word.contains(where: \.isNumber)
        && word.contains(where: \.isLetter)
    }
  }

  static func kind(of texts: [String]) -> ImportedParameter.Kind {
    guard !texts.isEmpty, !texts.contains(where: { Blank.isIn($0) }) else { return .string }
    if texts.allSatisfy({ Int($0).map(String.init) == $0 || isLarge($0) }) { return .integer }
    if texts.allSatisfy({ $0 == "true" || $0 == "false" }) { return .boolean }
    if texts.allSatisfy({ text in
      Int(text).map(String.init) == text
        || Double(text).map { "\($0)" == text && $0.isFinite } ?? false
    }) {
      return .number
    }
    return .string
  }

  /// Whether a text is a JSON integer beyond 64 bits. (JSN-112)
  private static func isLarge(_ text: String) -> Bool {
    guard text.utf8.count > 18, text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 })
    else { return false }
    return (try? JSONDocument(parsing: Array(text.utf8)))?.root.digits == text
  }

  /// Makes these texts the default of a parameter. Only a list can have several.
  static func setStandard(of parameter: inout ImportedParameter, _ texts: [String]) {
    let elements = texts.map { value($0, parameter.kind) }
    parameter.standard = parameter.isList ? .array(elements) : elements.first
    guard parameter.kind == .integer, texts.contains(where: { isLarge($0) }) else { return }
    let text = texts.joined(separator: ",")
    parameter.standardText = parameter.isList ? "[\(text)]" : text
  }

  private static func value(_ text: String, _ kind: ImportedParameter.Kind) -> JSONValue {
    switch kind {
    case .integer: Int(text).map { .int($0) } ?? .string(text)
    case .number: Int(text).map { .int($0) } ?? Double(text).map { .double($0) } ?? .string(text)
    case .boolean: .bool(text == "true")
    default: .string(text)
    }
  }

  /// - Parameters:
  ///   - isRecorded: Whether the requests were recorded. Otherwise they were written by a user.
  ///   - makeSecret: Returns the environment variable for a credential.
  func parameter(
    key: String, isRecorded: Bool, notes: inout [String],
    secret makeSecret: (_ value: String) -> String
  ) -> ImportedParameter {
    var parameter = ImportedParameter(key: key, place: place)
    if key != name { parameter.name = name }
    let all = values.flatMap { $0 }
    parameter.isList = values.contains { $0.count > 1 }
    parameter.kind = ParsedValues.kind(of: all)
    let isAlways = values.allSatisfy { !$0.isEmpty }
    guard !isSecret else {
      parameter.kind = .string
      if parameter.isList {
        parameter.isRequired = isAlways
      } else {
        parameter.secret = makeSecret(all.first ?? "")
      }
      return parameter
    }
    guard isAlways, let first = values.first else { return parameter }
    let isSame = values.allSatisfy { $0 == first }
    guard isSame, first.allSatisfy({ ParsedValues.isHarmless($0, called: name) }) else {
      parameter.isRequired = true
      if isSame, !isRecorded, !first.contains(where: { Blank.isIn($0) }) {
        notes.append(
          "the value of '\(LogText.part(name, limit: 40))' looks like a token, so it must be "
            + "passed with the call")
      }
      return parameter
    }
    ParsedValues.setStandard(of: &parameter, first)
    return parameter
  }
}
