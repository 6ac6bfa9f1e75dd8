import LullCore

/// A JSON body in which placeholders may be in place of values.
struct ParsedJSON {
  private let root: JSONElement
  /// The placeholders that are in place of a value, without quotes.
  private let bare: Set<String>

  /// Parses a body. The result is `nil` if the text is not JSON.
  init?(_ text: String) {
    if let document = try? JSONDocument(parsing: Array(text.utf8)) {
      root = document.root
      bare = []
      return
    }
    guard Blank.isIn(text) else { return nil }
    var quoted = ""
    var bare: Set<String> = []
    var isInside = false
    var rest = text[...]
    while let character = rest.popFirst() {
      switch character {
      case "\\" where isInside:
        quoted.append(character)
        if let next = rest.popFirst() { quoted.append(next) }
      case "\"":
        isInside.toggle()
        quoted.append(character)
      case Blank.open where !isInside:
        let name = rest.prefix { $0 != Blank.close }
        rest = rest[name.endIndex...].dropFirst()
        bare.insert(String(name))
        quoted += "\"\(Blank.text(name))\""
      default: quoted.append(character)
      }
    }
    guard let document = try? JSONDocument(parsing: Array(quoted.utf8)) else { return nil }
    root = document.root
    self.bare = bare
  }

  /// Whether the body is an object whose members can become parameters.
  var isPlainObject: Bool {
    root.kind == .object && !root.pairs.isEmpty && !root.pairs.contains { $0.key.isEmpty }
  }

  var members: [(name: String, value: JSONElement)] { root.pairs.map { ($0.key, $0.value) } }

  func member(_ name: String) -> Member? {
    root[name].map { value in
      Member(
        value: value,
        isBare: value.string.flatMap { Blank.name($0) }.map { bare.contains($0) } ?? false)
    }
  }

  struct Member {
    let value: JSONElement
    let isBare: Bool
  }

  var value: JSONValue { root.plainValue }

  /// Makes this value the default of a parameter, unless it must not be stored in the file.
  func setStandard(of parameter: inout ImportedParameter) {
    guard let value = ParsedJSON.standard(root, called: "") else { return }
    parameter.setStandard(value, of: root)
    parameter.isRequired = false
  }

  static func standard(_ element: JSONElement, called name: String) -> JSONValue? {
    switch element.kind {
    case .null: return nil
    case .bool, .int: return element.plainValue
    case .double:
      // The text of the default preserves the digits.
      if element.digits != nil { return element.plainValue }
      // A number that a double can't represent exactly would lose digits, so it has no default.
      guard let number = element.double, number.isFinite, number != number.rounded() else {
        return nil
      }
      return .double(number)
    case .string:
      let text = element.string ?? ""
      return ParsedValues.isHarmless(text, called: name) ? .string(text) : nil
    case .array:
      let elements = element.elements.map { standard($0, called: name) }
      guard !elements.isEmpty, !elements.contains(where: { $0 == nil }) else { return nil }
      return .array(elements.compactMap { $0 })
    case .object:
      let pairs = element.pairs.map {
        ($0.key, CredentialName.names($0.key) ? nil : standard($0.value, called: $0.key))
      }
      guard !pairs.isEmpty, !pairs.contains(where: { $0.1 == nil }) else { return nil }
      return .object(pairs.compactMap { pair in pair.1.map { JSONValue.Member(pair.0, $0) } })
    }
  }

  private static func kind(_ members: [Member]) -> ImportedParameter.Kind {
    if members.contains(where: \.isBare) { return .json }
    // An integer beyond 64 bits counts as an integer. (JSN-112)
    let kinds = Set(members.map { $0.value.integerDigits == nil ? $0.value.kind : .int })
    switch kinds {
    case [.string]: return .string
    case [.int]: return .integer
    case [.double], [.int, .double]: return .number
    case [.bool]: return .boolean
    default: return .json
    }
  }

  /// - Parameters:
  ///   - members: The member of each body. `nil` if a body lacks the member.
  ///   - isOptional: Whether some of the requests have no body.
  static func parameter(
    _ name: String, _ members: [Member?], key: String, isRecorded: Bool, isOptional: Bool,
    notes: inout [String], secret makeSecret: (_ value: String) -> String
  ) -> ImportedParameter {
    var parameter = ImportedParameter(key: key, place: .body)
    if key != name { parameter.name = name }
    let seen = members.compactMap { $0 }
    parameter.kind = kind(seen)
    let isAlways = seen.count == members.count && !isOptional
    if CredentialName.names(name), parameter.kind == .string {
      parameter.secret = makeSecret(seen.first?.value.string ?? "")
      return parameter
    }
    guard isAlways, let first = seen.first else { return parameter }
    parameter.isRequired = true
    let texts = Set(seen.map(\.value.text))
    guard texts.count == 1 else { return parameter }
    if let value = standard(first.value, called: name), !CredentialName.names(name),
      !isRecorded || isSimple(first.value)
    {
      parameter.setStandard(value, of: first.value)
      parameter.isRequired = false
    } else if !isRecorded, !first.isBare, !Blank.isIn(first.value.text) {
      notes.append(
        "the value of '\(LogText.part(name, limit: 40))' looks like a token or cannot be written "
          + "in Lua, so it must be passed with the call")
    }
    return parameter
  }

  private static func isSimple(_ element: JSONElement) -> Bool {
    element.kind != .array && element.kind != .object
  }
}
