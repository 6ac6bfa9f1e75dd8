package import LullCore
import LullHost

/// What is given for a parameter.
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
  /// An integer beyond 64 bits, by its digits. (JSN-33)
  case digits(String)
  case boolean(Bool)
  /// JSON text.
  case json([UInt8])
  case secret(SecretText)
  /// None of which is a list, an object or a secret.
  case list([CallValue])
  /// In the order of their names; none of them is a list, an object or a secret.
  case object([Member])
  case file(UploadFile)
  /// What a server has got of a file.
  case content([UInt8])

  /// As it stands in a path, a query or a form, before anything is escaped; of lists and objects as people read it.
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

  /// That of each element of a list, else its own.
  package var texts: [String] {
    if case .list(let elements) = self { elements.map(\.text) } else { [text] }
  }

  /// As it stands where secrets may.
  var secretText: SecretText {
    if case .secret(let text) = self { text } else { SecretText(text) }
  }

  var isSecret: Bool {
    if case .secret = self { true } else { false }
  }

  /// Whether its lists and objects are written by many pairs, in a query or a form.
  func isNested(in parameter: CallParameter) -> Bool {
    if case .json = self { parameter.style == .deepObject } else { false }
  }

  /// Whether it is one text, which is all that most places have room for.
  var isSingle: Bool {
    switch self {
    case .list, .object: false
    default: true
    }
  }

  /// As it stands in a JSON body.
  package var jsonText: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }

  /// Adds it as it stands there.
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

  /// An object, its members in their order.
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

  /// An object of these, in the order of their names.
  package static func object(sorting members: [Member]) -> CallValue {
    .object(members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
  }
}
