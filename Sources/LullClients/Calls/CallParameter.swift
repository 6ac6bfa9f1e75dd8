import LullArguments
package import LullCore
import LullHost

/// One parameter of a call as an API file declares it.
package struct CallParameter {
  package enum Kind: Equatable {
    case string
    case number
    case integer
    case boolean
    /// One of these words.
    case choice([String])
    /// Any value, for the body of a request.
    case json

    /// As messages and help name it.
    package var name: String {
      switch self {
      case .string: "string"
      case .number: "number"
      case .integer: "integer"
      case .boolean: "boolean"
      case .choice(let words): WordList.text(words)
      case .json: "JSON"
      }
    }
  }

  package enum Place {
    case path
    case query
    case body
  }

  package var name: String
  package var kind = Kind.string
  package var isRequired = false
  package var standard: CallValue?
  package var description: String?
  /// What it is called on the command line, if not by its name.
  var optionName: String?
  package var place = Place.query
}

/// What is given for a parameter.
package enum CallValue: Equatable {
  case string(String)
  case number(Double)
  case integer(Int)
  case boolean(Bool)
  /// JSON text.
  case json([UInt8])
  case secret(SecretText)

  /// As it stands in a path, a query or a form.
  package var text: String {
    switch self {
    case .string(let text): text
    case .number(let number): String(number)
    case .integer(let number): String(number)
    case .boolean(let bool): bool ? "true" : "false"
    case .json(let bytes): String(escaping: bytes)
    case .secret(let text): text.masked
    }
  }

  /// As it stands where secrets may.
  var secretText: SecretText {
    if case .secret(let text) = self { text } else { SecretText(text) }
  }

  var isSecret: Bool {
    if case .secret = self { true } else { false }
  }

  /// As it stands in a JSON body.
  func write(to output: inout [UInt8]) {
    var writer = JSONWriter()
    switch self {
    case .string(let text): writer.write(text)
    case .number(let number): writer.write(number)
    case .integer(let number): writer.write(number)
    case .boolean(let bool): writer.write(bool)
    case .secret(let text): writer.write(text.masked)
    case .json(let bytes): writer.write(raw: bytes)
    }
    output += writer.output
  }
}

extension CallParameter {
  /// The value a text of the command line stands for; nil if it does not fit.
  package func value(ofText text: String) -> CallValue? {
    switch kind {
    case .string: return .string(text)
    case .integer: return Int(text).map { .integer($0) }
    case .number:
      if let whole = Int(text) { return .integer(whole) }
      return ArgumentText.number(text).map { .number($0) }
    case .boolean: return ArgumentText.boolean(text).map { .boolean($0) }
    case .choice(let words): return words.contains(text) ? .string(text) : nil
    case .json:
      let bytes = Array(text.utf8)
      return (try? JSONDocument(parsing: bytes)) == nil ? nil : .json(bytes)
    }
  }

  /// As the option of the command line, if nothing else is called so: `--per-page` for `per_page`, and
  /// `--_size` for `_size`, since three dashes begin nothing.
  package var option: String { "--" + (optionName ?? CallParameter.dashed(name)) }

  /// With `-` for `_`, but at the beginning.
  private static func dashed(_ name: String) -> String {
    let start = name.prefix { $0 == "_" }
    return String(start) + name.dropFirst(start.count).replacing("_", with: "-")
  }
}
