import CSimdjson
import LullCore

/// Validates one content against a schema.
struct SchemaRun {
  let schema: SchemaValidator
  let document: JSONDocument
  // The view points into the document, which is held above.
  let view: csj_view
  let limit: Int
  private let stackEnd = csj_stack_end()
  private var stepsLeft: Int
  private var found: [SchemaViolation] = []
  /// Whether violations are not recorded. Set if only the result, valid or invalid, is needed.
  var isSilent = false
  /// The keys and indices from the root value to the current value. They form the JSON Pointer of
  /// the current value.
  var way: [Step] = []
  /// The resources of all schemas between the root schema and the current schema. Used for dynamic
  /// references.
  private var scope: [Int] = []

  enum Step {
    /// A member of an object. The value is the tape position of the member's key.
    case member(Int)
    case element(Int)
  }

  init(_ schema: SchemaValidator, _ document: JSONDocument, limit: Int) {
    self.schema = schema
    self.document = document
    view = document.view
    self.limit = limit
    stepsLeft = 2_000_000 + 50 * view.tape_length
  }

  mutating func violations(of index: Int, isSilent: Bool = false) throws(SchemaProblem)
    -> [SchemaViolation]
  {
    self.isSilent = isSilent
    var evaluated = Evaluated(isWanted: false)
    let fits = try evaluate(schema.root, index, 0, &evaluated)
    // The view points into the document, so the document must not be released earlier.
    return withExtendedLifetime(document) {
      if isSilent, !fits {
        return [SchemaViolation(pointer: "", keyword: "", message: "", place: 0)]
      }
      var seen: Set<SchemaViolation> = []
      return found.filter { seen.insert($0).inserted }.sorted {
        ($0.place, $0.keyword, $0.message) < ($1.place, $1.keyword, $1.message)
      }
    }
  }

  // MARK: Evaluation

  /// The largest number of schemas applied to the same value within each other. If it is exceeded,
  /// the references form a circle.
  private static let longestChain = 400
  /// The stack that is needed to evaluate one schema, in bytes. Includes room to return an error.
  private static let stackNeeded = 128 << 10

  /// Returns whether a value is valid according to a schema.
  ///
  /// - Parameters:
  ///   - place: The index of the schema's node.
  ///   - index: The tape position of the value.
  ///   - chain: The number of enclosing schemas that apply to the same value.
  ///   - evaluated: Collects the members or elements that are evaluated.
  mutating func evaluate(
    _ place: Int, _ index: Int, _ chain: Int, _ evaluated: inout Evaluated
  ) throws(SchemaProblem) -> Bool {
    try spend(1)
    guard chain < SchemaRun.longestChain else {
      throw SchemaProblem("the schema refers to itself endlessly", pointer: pointer)
    }
    guard csj_stack_has(stackEnd, SchemaRun.stackNeeded) != 0 else {
      throw SchemaProblem("content and schema are nested too deeply", pointer: pointer)
    }
    let node = schema.nodes[place]
    let isEntering = schema.isDynamic && scope.last != node.resource
    if isEntering { scope.append(node.resource) }
    defer { if isEntering { scope.removeLast() } }
    guard let last = node.keywords.last else { return true }
    // If this schema asks which members are evaluated, members that other schemas have evaluated
    // must not be included.
    guard last.asksWhatIsEvaluated else {
      return try evaluate(node.keywords, index, chain, &evaluated)
    }
    var own = Evaluated(isWanted: true)
    let fits = try evaluate(node.keywords, index, chain, &own)
    if fits { evaluated.add(own) }
    return fits
  }

  private mutating func evaluate(
    _ keywords: [SchemaKeyword], _ index: Int, _ chain: Int, _ evaluated: inout Evaluated
  ) throws(SchemaProblem) -> Bool {
    var fits = true
    for keyword in keywords {
      // After a violation, it is not known which members would be evaluated, so skip keywords that
      // need them.
      if !fits, isSilent || found.count >= limit || keyword.asksWhatIsEvaluated { break }
      if try !check(keyword, index, chain, &evaluated) { fits = false }
    }
    return fits
  }

  mutating func spend(_ steps: Int) throws(SchemaProblem) {
    stepsLeft -= steps
    guard stepsLeft >= 0 else {
      throw SchemaProblem("validating the content takes too many steps")
    }
  }

  /// Returns the index of the node to which a dynamic reference refers: the anchor `name` in the
  /// outermost resource in scope that has this anchor. If no resource has it, returns `standard`.
  func dynamicTarget(_ name: String, _ standard: Int) -> Int {
    for resource in scope {
      if let node = schema.dynamicAnchors[resource]?[name] { return node }
    }
    return standard
  }

  /// Evaluates a schema for a member or an element of the current value.
  mutating func descend(
    _ step: Step, _ node: Int, _ index: Int
  ) throws(SchemaProblem) -> Bool {
    way.append(step)
    defer { way.removeLast() }
    var evaluated = Evaluated(isWanted: false)
    return try evaluate(node, index, 0, &evaluated)
  }

  /// Evaluates a schema without recording violations.
  mutating func silently(
    _ node: Int, _ index: Int, _ chain: Int, _ evaluated: inout Evaluated
  ) throws(SchemaProblem) -> Bool {
    let before = isSilent
    isSilent = true
    defer { isSilent = before }
    return try evaluate(node, index, chain + 1, &evaluated)
  }

  /// Returns the violations of one schema. Violations found earlier are not included.
  mutating func gathered(_ node: Int, _ index: Int, _ chain: Int) throws(SchemaProblem)
    -> [SchemaViolation]
  {
    let before = found
    found = []
    defer { found = before }
    var evaluated = Evaluated(isWanted: false)
    _ = try evaluate(node, index, chain + 1, &evaluated)
    return found
  }

  // MARK: Violations

  /// Records a violation, optionally with the value that was found. Always returns false.
  mutating func violation(
    _ keyword: String, _ index: Int, _ message: @autoclosure () -> String,
    got showsValue: Bool = false
  ) -> Bool {
    guard !isSilent, found.count < limit else { return false }
    let text = message() + (showsValue ? ", got \(got(index))" : "")
    found.append(SchemaViolation(pointer: pointer, keyword: keyword, message: text, place: index))
    return false
  }

  mutating func add(_ violations: [SchemaViolation]) {
    found += violations.prefix(max(0, limit - found.count))
  }

  /// Whether the maximum number of violations has been found.
  var isFull: Bool { found.count >= limit }

  /// The JSON Pointer of the current value.
  var pointer: String {
    way.reduce(into: "") { text, step in
      switch step {
      case .element(let place): text += "/\(place)"
      case .member(let key):
        let name = String(decoding: SchemaRun.bytes(of: key, in: view), as: UTF8.self)
        text += "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
      }
    }
  }

  /// Returns the value at a tape position as text for messages. If the value may be a credential,
  /// returns only its type.
  func got(_ index: Int) -> String {
    if case .member(let key)? = way.last,
      CredentialName.names(String(decoding: SchemaRun.bytes(of: key, in: view), as: UTF8.self))
    {
      return ViolationText.kind(JSONElement(document: document, index: index))
    }
    return ViolationText.value(JSONElement(document: document, index: index))
  }

  // MARK: The tape

  /// Returns the bytes of a string in the document. They are valid as long as the document exists.
  static func bytes(of index: Int, in view: csj_view) -> UnsafeBufferPointer<UInt8> {
    var length = 0
    let start = UnsafeRawPointer(csj_string_at(view, index, &length))
    // The C function guarantees that the pointer refers to `length` bytes, and they are never
    // changed.
    return UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: length)
  }

  /// Returns the members of an object. If a key is repeated, it is returned once.
  static func pairs(of object: Int, in view: csj_view) -> [csj_pair] {
    Array(unsafeUninitializedCapacity: csj_count(view, object)) { buffer, count in
      // `csj_count` includes repeated keys, so the buffer is large enough.
      count = csj_pairs(view, object, buffer.baseAddress)
    }
  }
}

extension SchemaKeyword {
  var asksWhatIsEvaluated: Bool {
    switch self {
    case .unevaluatedItems, .unevaluatedProperties: true
    default: false
    }
  }
}
