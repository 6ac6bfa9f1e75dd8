import LullCore

/// A statement typed in this session.
struct TypedInput {
  let text: [UInt8]
  /// Whether it ran without an error.
  var hasSucceeded = false
  /// The name of the file it was read from. `nil`: it was typed.
  var file: String?
  /// Whether it has a result, including nil.
  var hasValue = false
  /// Whether its first value is an awaited request.
  var isAwaited = false
  /// Whether requests in progress after the previous input had completed before this one.
  var waitsBefore = false
  /// Its result number. 0 without a result.
  var number = 0
  /// Its first value.
  var result = TypedResult.nothing
  /// Its first value if that is a request that was not awaited.
  var request: Request?
  /// The number of recorded exchanges that had completed before it and after it.
  var endedBefore = 0
  var endedAfter = 0
}

/// The result of a statement, as far as a test can expect it.
enum TypedResult: Equatable {
  case nothing
  /// A Lua literal.
  case literal(String)
  /// A table, or an object that can be read like one.
  case table
  /// A table that has no snapshot form.
  case mixed
  /// Any other value.
  case object
  /// An awaited request that succeeded.
  case success
  /// The status or kind of error, in the form that `to_fail_with` takes.
  case failure(String)
}

/// The input of this session, the latest last.
struct TypedInputs {
  private static let kept = 10_000
  private var inputs: [TypedInput] = []

  mutating func add(_ input: TypedInput) {
    count += 1
    inputs.append(input)
    if inputs.count > 2 * TypedInputs.kept { inputs.removeFirst(inputs.count - TypedInputs.kept) }
  }

  var all: [TypedInput] { inputs }

  /// The total number of inputs, including those no longer kept.
  private(set) var count = 0

  /// The inputs after the first `count`.
  func since(_ count: Int) -> [TypedInput] { Array(inputs.suffix(max(0, self.count - count))) }

  /// Whether a file with this content has already run.
  func hasRead(_ content: [UInt8]) -> Bool {
    inputs.contains { $0.file != nil && $0.text == content }
  }

  /// Finds an input by result number, or else the latest one with that prefix. Without a name, the
  /// last one.
  func named(_ name: [UInt8]) -> TypedInput? {
    let inputs = inputs.filter { $0.file == nil }
    guard !name.isEmpty else { return inputs.last }
    if let number = Int(String(decoding: name, as: UTF8.self)) {
      return inputs.last { $0.number == number && number > 0 }
    }
    return inputs.last { $0.text.starts(with: name) }
  }
}
