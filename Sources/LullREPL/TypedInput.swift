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
  /// Whether the first value of the input is a request that the session awaited.
  var isAwaited = false
  /// Whether all requests that were in progress after the previous input had completed before this
  /// input ran.
  var waitsBefore = false
  /// The index in `Out` of the first value of the input; 0 if the value is not in `Out`.
  var number = 0
  /// The first value of the input.
  var result = TypedResult.nothing
  /// The first value of the input, if it is a request that the session did not await.
  var request: Request?
  /// The number of recorded exchanges that had completed before the input ran, and after it.
  var endedBefore = 0
  var endedAfter = 0
}

/// The result of a statement, with only the information that a test can check.
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
  /// A request that failed. The text is its status or its kind of error, in the form that
  /// `to_fail_with` takes.
  case failure(String)
}

/// The inputs of a session, the latest last.
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

  /// Returns all inputs except the first `count` ones of the session.
  func since(_ count: Int) -> [TypedInput] { Array(inputs.suffix(max(0, self.count - count))) }

  /// Returns whether the session has already run a file with this content.
  func hasRead(_ content: [UInt8]) -> Bool {
    inputs.contains { $0.file != nil && $0.text == content }
  }

  /// Finds an input that the user typed. `name` is the index of its result in `Out`, or the text
  /// with which the input begins; of several such inputs, the latest is returned. If `name` is
  /// empty, returns the last input.
  func named(_ name: [UInt8]) -> TypedInput? {
    let inputs = inputs.filter { $0.file == nil }
    guard !name.isEmpty else { return inputs.last }
    if let number = Int(String(decoding: name, as: UTF8.self)) {
      return inputs.last { $0.number == number && number > 0 }
    }
    return inputs.last { $0.text.starts(with: name) }
  }
}
