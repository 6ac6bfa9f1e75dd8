import LullCore

/// A statement that was typed in this session.
struct TypedInput {
  let text: [UInt8]
  /// Whether it has run without an error.
  var hasSucceeded = false
  /// The name of the file it was read from; nil: it was typed.
  var file: String?
  /// Whether it gave anything, nil too.
  var hasValue = false
  /// Whether the first of that is a request that was waited for.
  var isAwaited = false
  /// Whether requests that were under way before it had ended when it began.
  var waitsBefore = false
  /// The number of what it gave; 0 if it gave nothing.
  var number = 0
  /// The first of what it gave.
  var result = TypedResult.nothing
  /// The same where that is a request for which nobody has waited.
  var request: Request?
  /// How many recorded exchanges had ended before it, and when it ended itself.
  var endedBefore = 0
  var endedAfter = 0
}

/// What a statement has given, as far as a test can expect it again.
enum TypedResult: Equatable {
  case nothing
  /// As Lua has it.
  case literal(String)
  /// A table, or what can be read like one.
  case table
  /// A table of which no snapshot can be made.
  case mixed
  /// Something else.
  case object
  /// A request that was waited for.
  case success
  /// The status, or the kind of error, as `to_fail_with` takes it.
  case failure(String)
}

/// What was typed in this session, the latest last.
struct TypedInputs {
  private static let kept = 10_000
  private var inputs: [TypedInput] = []

  mutating func add(_ input: TypedInput) {
    count += 1
    inputs.append(input)
    if inputs.count > 2 * TypedInputs.kept { inputs.removeFirst(inputs.count - TypedInputs.kept) }
  }

  var all: [TypedInput] { inputs }

  /// How many there were so far, those that are no longer kept as well.
  private(set) var count = 0

  /// Those that came after so many others.
  func since(_ count: Int) -> [TypedInput] { Array(inputs.suffix(max(0, self.count - count))) }

  /// Whether a file of this content has run already.
  func hasRead(_ content: [UInt8]) -> Bool {
    inputs.contains { $0.file != nil && $0.text == content }
  }

  /// By the number of what it gave, else the latest that begins so; of no name the last one.
  func named(_ name: [UInt8]) -> TypedInput? {
    let inputs = inputs.filter { $0.file == nil }
    guard !name.isEmpty else { return inputs.last }
    if let number = Int(String(decoding: name, as: UTF8.self)) {
      return inputs.last { $0.number == number && number > 0 }
    }
    return inputs.last { $0.text.starts(with: name) }
  }
}
