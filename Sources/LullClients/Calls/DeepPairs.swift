import LullHost

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
