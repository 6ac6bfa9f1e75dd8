import LullClients
import LullCore

/// Parses a value that is serialized in the style of its parameter. (OpenAPI 3.1.1, "Style Values")
struct StyledText {
  /// The parsed value of a parameter, with decoded escapes.
  enum Parts {
    case single(String)
    case list([String])
    case object([(name: String, value: String)])
    /// JSON in which all single values are strings.
    case nested([UInt8])
  }

  let parameter: CallParameter
  /// Decodes the escapes in a text. In headers nothing is escaped.
  let decode: (String) -> String

  private var isObject: Bool { parameter.kind == .object }
  private var isSingle: Bool { !parameter.isList && !isObject }

  // MARK: Single texts

  /// Parses a value in a path. nil if the value does not have the parameter's style.
  func path(_ text: String) -> Parts? {
    switch parameter.style {
    case .label:
      guard text.hasPrefix(".") else { return nil }
      let isExploded = parameter.explodes && !isSingle
      return parts(of: text.dropFirst(), separator: isExploded ? "." : ",")
    case .matrix: return matrix(text)
    default: return parts(of: text, separator: ",")
    }
  }

  private func matrix(_ text: String) -> Parts? {
    guard text.hasPrefix(";") else { return nil }
    let pairs = text.dropFirst().split(separator: ";", omittingEmptySubsequences: false).map {
      pair(of: $0)
    }
    if isObject, parameter.explodes {
      return .object(pairs.map { ($0.name, decode($0.value)) })
    }
    guard pairs.allSatisfy({ $0.name == parameter.wireName }) else { return nil }
    if parameter.isList, parameter.explodes { return .list(pairs.map { decode($0.value) }) }
    return pairs.count == 1 ? parts(of: pairs[0].value, separator: ",") : nil
  }

  /// Parses a value in a header. Space around its parts is ignored.
  func header(_ text: String) -> Parts? {
    if isSingle { return .single(text) }
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      String(part.trimmingBlanks)
    }
    return parts.isEmpty ? nil : self.parts(parts)
  }

  /// - Parameter separator: The text between the parts of the value.
  private func parts(of text: some StringProtocol, separator: String) -> Parts? {
    if isSingle { return .single(decode(String(text))) }
    return parts(split(String(text), by: separator))
  }

  private func parts(_ parts: [String]) -> Parts? {
    guard isObject else { return .list(parts.map(decode)) }
    if parameter.explodes {
      let pairs = parts.map { pair(of: $0[...]) }
      return .object(pairs.map { ($0.name, decode($0.value)) })
    }
    guard parts.count.isMultiple(of: 2) else { return nil }
    return .object(
      stride(from: 0, to: parts.count, by: 2).map { (decode(parts[$0]), decode(parts[$0 + 1])) })
  }

  private func split(_ text: String, by separator: String) -> [String] {
    text.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
  }

  private func pair(of text: Substring) -> (name: String, value: String) {
    let name = text.prefix { $0 != "=" }
    return (decode(String(name)), String(text[name.endIndex...].dropFirst()))
  }

  // MARK: Pairs

  /// Parses the values in a query, a form or the cookies. A missing value is nil.
  ///
  /// - Parameter others: The names of the other parameters.
  func pairs(_ pairs: [EscapedPair], others: Set<String>) -> [Parts?] {
    let name = parameter.wireName
    switch parameter.style {
    case .deepObject where parameter.isList:
      return all(pairs.filter { $0.name == name + "[]" }.map(\.value))
    case .deepObject:
      let fields = pairs.filter { $0.name.hasPrefix(name + "[") && $0.name.hasSuffix("]") }
      if parameter.kind == .json {
        // A value without brackets is a string.
        let single = pairs.filter { $0.name == name }.map { pair in
          (try? JSONValue.string(decode(pair.value)).encode()).map { Parts.nested($0) }
        }
        guard !fields.isEmpty else { return single }
        let text = DeepText.json(
          fields.map { (String($0.name.dropFirst(name.count)), decode($0.value)) })
        return [text.map { .nested($0) }]
      }
      return fields.isEmpty
        ? []
        : [
          .object(
            fields.map { field in
              (String(field.name.dropFirst(name.count + 1).dropLast()), decode(field.value))
            })
        ]
    case .form where isObject && parameter.explodes:
      let fields = pairs.filter { !others.contains(baseName($0.name)) }
      return fields.isEmpty ? [] : [.object(fields.map { ($0.name, decode($0.value)) })]
    default:
      let values = pairs.filter { $0.name == name }.map(\.value)
      if parameter.isList, parameter.explodes { return all(values) }
      return values.map { value in
        var value = value
        var separator = ","
        if parameter.style == .spaceDelimited {
          separator = "%20"
          value = value.replacing("+", with: separator)
        } else if parameter.style == .pipeDelimited {
          separator = "%7C"
          value = value.replacing("|", with: separator).replacing("%7c", with: separator)
        }
        return parts(of: value, separator: separator)
      }
    }
  }

  private func all(_ values: [String]) -> [Parts?] {
    values.isEmpty ? [] : [.list(values.map(decode))]
  }

  /// Returns the name without `[…]`.
  private func baseName(_ name: String) -> String {
    guard name.hasSuffix("]"), let open = name.firstIndex(of: "[") else { return name }
    return String(name[..<open])
  }
}
