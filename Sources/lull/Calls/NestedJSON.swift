import LullCore
import LullHost

/// JSON that is built from keys and values in the order given. A value keeps its source text until
/// a key sets something inside it.
final class NestedJSON {
  private enum Kind {
    /// The value is still JSON source text.
    case spelled
    case object
    case list

    var noun: String {
      switch self {
      case .spelled: "value"
      case .object: "an object"
      case .list: "a list"
      }
    }
  }

  private var kind: Kind
  /// The source text of a value.
  private var bytes: [UInt8]
  private var names: [[UInt8]] = []
  private var children: [NestedJSON] = []
  /// For an object: the index in `children` of the last value for each name.
  private var places: [[UInt8]: Int] = [:]

  /// The maximum length of a list. A larger index is a mistake, or an attempt to exhaust memory.
  private static let longest = 100_000

  /// - Parameter bytes: JSON that has been validated.
  init(spelled bytes: [UInt8]) {
    kind = .spelled
    self.bytes = bytes
  }

  /// Creates the root of a body from its first key.
  convenience init(for key: NestedKey) {
    self.init(spelled: Array("null".utf8))
    open(for: key.pieces[0].step)
  }

  /// Sets the value at a key. Creates the objects and lists that the key passes through and that do
  /// not exist yet.
  func set(_ key: NestedKey, _ value: NestedJSON) throws(NestedKey.Problem) {
    var node = self
    for (number, piece) in key.pieces.enumerated() {
      node.open(for: piece.step)
      if let found = node.mismatch(with: piece.step) {
        throw NestedJSON.problem(key, number, found)
      }
      let isLast = number + 1 == key.pieces.count
      switch piece.step {
      case .name(let name):
        let name = Array(name.utf8)
        if let place = node.places[name] {
          if isLast { node.children[place] = value }
        } else {
          node.add(name, isLast ? value : NestedJSON.hole)
        }
        if let place = node.places[name] { node = node.children[place] }
      case .index(let index):
        guard index >= 0 else {
          throw NestedKey.Problem(
            message: "the index of a list cannot be negative",
            range: piece.range.map { $0.lowerBound + 1..<$0.upperBound - 1 })
        }
        guard index < NestedJSON.longest else {
          throw NestedKey.Problem(
            message: "a list can have at most \(NestedJSON.longest) elements",
            range: piece.range)
        }
        while node.children.count <= index { node.children.append(NestedJSON.hole) }
        if isLast { node.children[index] = value }
        node = node.children[index]
      case .append:
        node.children.append(isLast ? value : NestedJSON.hole)
        node = node.children[node.children.count - 1]
      }
    }
  }

  func write(to output: inout [UInt8]) {
    switch kind {
    case .spelled: output += bytes
    case .object:
      output.append(UInt8(ascii: "{"))
      for (number, (name, child)) in zip(names, children).enumerated() {
        if number > 0 { output.append(UInt8(ascii: ",")) }
        output += NestedJSON.quoted(String(decoding: name, as: UTF8.self))
        output.append(UInt8(ascii: ":"))
        child.write(to: &output)
      }
      output.append(UInt8(ascii: "}"))
    case .list:
      output.append(UInt8(ascii: "["))
      for (number, child) in children.enumerated() {
        if number > 0 { output.append(UInt8(ascii: ",")) }
        child.write(to: &output)
      }
      output.append(UInt8(ascii: "]"))
    }
  }

  static func quoted(_ text: String) -> [UInt8] {
    // A string can always be encoded as JSON.
    (try? JSONValue.string(text).encode()) ?? []
  }

  private static var hole: NestedJSON { NestedJSON(spelled: Array("null".utf8)) }

  private func add(_ name: [UInt8], _ value: NestedJSON) {
    places[name] = children.count
    names.append(name)
    children.append(value)
  }

  /// Parses source text into an object or list. Null becomes an object or a list, whichever the
  /// step needs.
  private func open(for step: NestedKey.Step) {
    guard kind == .spelled else { return }
    let text = JSONText(valid: bytes)
    switch text.kind {
    case .object:
      kind = .object
      for (name, value) in text.members {
        add(Array(name.utf8), NestedJSON(spelled: Array(value.bytes[value.range])))
      }
    case .array:
      kind = .list
      children = text.lines.map { NestedJSON(spelled: Array($0.bytes[$0.range])) }
    default:
      guard text.isNull else { return }
      if case .name = step { kind = .object } else { kind = .list }
    }
    bytes = []
  }

  /// The reason why the step can't be applied to this value, for an error message. An example is an
  /// index applied to an object. `nil` if the step can be applied.
  private func mismatch(with step: NestedKey.Step) -> String? {
    switch (step, kind) {
    case (.name, .object), (.index, .list), (.append, .list): return nil
    case (_, .spelled):
      switch JSONText(valid: bytes).kind {
      case .string: return "a string"
      case .number: return "a number"
      default: return String(decoding: bytes, as: UTF8.self)
      }
    default: return kind.noun
    }
  }

  private static func problem(_ key: NestedKey, _ number: Int, _ found: String)
    -> NestedKey.Problem
  {
    let piece = key.pieces[number]
    let needed = if case .name = piece.step { "an object" } else { "a list" }
    // The key up to here, as typed.
    let before = key.pieces[..<number].last?.range.map { range in
      String(String.UnicodeScalarView(key.text.unicodeScalars.prefix(range.upperBound)))
    }
    let what = number == 0 ? "the body" : "'\(before ?? "")'"
    return NestedKey.Problem(
      message: "\(what) is already \(found), but this key needs \(needed)", range: piece.range)
  }
}
