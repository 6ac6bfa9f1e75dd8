/// A statement that was typed in this session.
struct TypedInput {
  let text: [UInt8]
  /// Whether it has run without an error.
  var hasSucceeded = false
  /// The number of what it gave; 0 if it gave nothing.
  var number = 0
}

/// What was typed in this session, the latest last.
struct TypedInputs {
  private static let kept = 10_000
  private var inputs: [TypedInput] = []

  mutating func add(_ input: TypedInput) {
    inputs.append(input)
    if inputs.count > 2 * TypedInputs.kept { inputs.removeFirst(inputs.count - TypedInputs.kept) }
  }

  var succeeded: [TypedInput] { inputs.filter(\.hasSucceeded) }

  /// By the number of what it gave, else the latest that begins so; of no name the last one.
  func named(_ name: [UInt8]) -> TypedInput? {
    guard !name.isEmpty else { return inputs.last }
    if let number = Int(String(decoding: name, as: UTF8.self)) {
      return inputs.last { $0.number == number && number > 0 }
    }
    return inputs.last { $0.text.starts(with: name) }
  }
}
