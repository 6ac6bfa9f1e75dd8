package import LullCore
import LullHost

/// The value of a parameter.
package enum CallValue: Equatable {
  /// A field of an object.
  package struct Member: Equatable {
    package var name: String
    package var value: CallValue

    package init(_ name: String, _ value: CallValue) {
      self.name = name
      self.value = value
    }
  }

  case string(String)
  case number(Double)
  case integer(Int)
  /// An integer that does not fit into 64 bits, as digits. (JSN-33)
  case digits(String)
  case boolean(Bool)
  /// JSON text.
  case json([UInt8])
  case secret(SecretText)
  /// A list of single values, none of which is a secret.
  case list([CallValue])
  /// An object whose fields are sorted by name. Their values are single and not secret.
  case object([Member])
  case file(UploadFile)
  /// The contents of a file as received by a server.
  case content([UInt8])

  /// The value as text before escaping, for a path, a query or a form. Lists and objects are
  /// formatted for display.
  package var text: String {
    switch self {
    case .string(let text): text
    case .number(let number): String(number)
    case .integer(let number): String(number)
    case .digits(let digits): digits
    case .boolean(let bool): bool ? "true" : "false"
    case .json(let bytes): String(escaping: bytes)
    case .secret(let text): text.masked
    case .list(let elements): elements.map(\.text).joined(separator: ",")
    case .object(let members):
      members.map { "\($0.name)=\($0.value.text)" }.joined(separator: ",")
    case .file(let file): file.path.description
    case .content(let bytes): String(escaping: bytes)
    }
  }

  /// The text of each element of a list, or of the value.
  package var texts: [String] {
    if case .list(let elements) = self { elements.map(\.text) } else { [text] }
  }

  /// The value as a text in which secrets are allowed.
  var secretText: SecretText {
    if case .secret(let text) = self { text } else { SecretText(text) }
  }

  var isSecret: Bool {
    if case .secret = self { true } else { false }
  }

  /// Returns whether the lists and objects nested in the value are written as several pairs in a
  /// query or a form.
  func isNested(in parameter: CallParameter) -> Bool {
    if case .json = self { parameter.style == .deepObject } else { false }
  }

  /// Whether the value is a single text. Most locations allow only that.
  var isSingle: Bool {
    switch self {
    case .list, .object: false
    default: true
    }
  }

  /// The value as JSON, for a body.
  package var jsonText: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  /// Appends the value as JSON.
  func write(to output: inout [UInt8]) {
    var writer = JSONWriter()
    switch self {
    case .string(let text): writer.write(text)
    case .number(let number): writer.write(number)
    case .integer(let number): writer.write(number)
    case .digits(let digits): writer.write(raw: Array(digits.utf8))
    case .boolean(let bool): writer.write(bool)
    case .secret(let text): writer.write(text.masked)
    case .json(let bytes): writer.write(raw: bytes)
    case .list(let elements):
      output.append(UInt8(ascii: "["))
      for (position, element) in elements.enumerated() {
        if position > 0 { output.append(UInt8(ascii: ",")) }
        element.write(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let members):
      CallValue.write(members, to: &output)
    case .file, .content: writer.write(text)
    }
    output += writer.output
  }

  /// Appends an object with its members in order.
  static func write(_ members: [Member], to output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    for (position, member) in members.enumerated() {
      if position > 0 { output.append(UInt8(ascii: ",")) }
      CallValue.string(member.name).write(to: &output)
      output.append(UInt8(ascii: ":"))
      member.value.write(to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }

  /// Returns an object with members sorted by name.
  package static func object(sorting members: [Member]) -> CallValue {
    .object(members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
  }
}
