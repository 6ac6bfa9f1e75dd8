import LullCore

/// A statement that the user typed in the session, or a file that the session ran.
struct TypedInput {
  let text: [UInt8]
  /// Whether the input ran without an error.
  var hasSucceeded = false
  /// The name of the file that contains the input. `nil` if the user typed it.
  var file: String?
  /// Whether the input has a result. A nil is a result too.
  var hasValue = false
  /// Whether its first value is a request that the session awaited.
  var isAwaited = false
  /// Whether all requests that were in progress after the previous input had completed before this
  /// input ran.
  var waitsBefore = false
  /// The number of its first value in `Out`; 0 if it has no number.
  var number = 0
  /// The first value of the input.
  var result = TypedResult.nothing
  /// The first value, if it is a request that the session did not await.
  var request: Request?
  /// The number of recorded exchanges that had completed before the input ran, and after it.
  var endedBefore = 0
  var endedAfter = 0
}

/// The kind of result of a statement, with as much of the result as a test can expect.
enum TypedResult: Equatable {
  case nothing
  /// A number, string or boolean as a Lua literal.
  case literal(String)
  /// A table, or an object that can be read like one.
  case table
  /// A table for which a snapshot is not possible.
  case mixed
  /// Any other value, such as a function. A test has no expectation for it.
  case object
  /// A request that succeeded.
  case success
  /// A request that failed. The text is its status or kind of error, in the form that
  /// `to_fail_with` takes.
  case failure(String)
}

/// The input of a session, the latest last.
struct TypedInputs {
  private static let kept = 10_000
  private var inputs: [TypedInput] = []

  mutating func add(_ input: TypedInput) {
    count += 1
    inputs.append(input)
    if inputs.count > 2 * TypedInputs.kept { inputs.removeFirst(inputs.count - TypedInputs.kept) }
  }

  var all: [TypedInput] { inputs }

  /// The total number of inputs, including those that are no longer stored.
  private(set) var count = 0

  /// Returns the inputs that were added after the first `count`.
  func since(_ count: Int) -> [TypedInput] { Array(inputs.suffix(max(0, self.count - count))) }

  /// Returns whether the session has already run a file with this content.
  func hasRead(_ content: [UInt8]) -> Bool {
    inputs.contains { $0.file != nil && $0.text == content }
  }

  /// Finds an input that the user typed, by its number in `Out`, or else the latest one that begins
  /// with that text. If the name is empty, returns the last one.
  func named(_ name: [UInt8]) -> TypedInput? {
    let inputs = inputs.filter { $0.file == nil }
    guard !name.isEmpty else { return inputs.last }
    if let number = Int(String(decoding: name, as: UTF8.self)) {
      return inputs.last { $0.number == number && number > 0 }
    }
    return inputs.last { $0.text.starts(with: name) }
  }
}
