import LullClients
import LullCore

/// Reads the parameters of a call from a request, checked against the API file's declarations.
struct ParameterReading {
  private let call: APICall
  private let request: MockRequest
  private let places: [String: String]

  /// - Parameter places: The values in the path, keyed by placeholder and still escaped.
  init(_ call: APICall, _ request: MockRequest, places: [String: String]) {
    self.call = call
    self.request = request
    self.places = places
  }

  /// Returns all declared parameters, with defaults for missing ones. Undeclared parameters are
  /// ignored.
  func values() throws(Problem) -> [String: CallValue] {
    var values: [String: CallValue] = [:]
    let hasBody = call.parameters.contains { $0.place == .body }
    let content = hasBody ? try RequestContent(request, call) : .none
    for parameter in call.parameters {
      if let value = try value(of: parameter, content) ?? parameter.standard {
        values[parameter.name] = value
      } else if parameter.isRequired {
        throw problem(parameter, "is missing: it must be \(parameter.expectation)")
      }
    }
    return values
  }

  private func value(
    of parameter: CallParameter, _ content: RequestContent
  ) throws(Problem) -> CallValue? {
    switch parameter.place {
    case .path:
      guard let text = places[parameter.placeholder] else { return nil }
      let styled = StyledText(parameter: parameter, decode: PercentText.decoded)
      guard let parts = styled.path(text) else {
        throw problem(
          parameter, "must be \(parameter.expectation), got '\(ClientText.shown(text))'")
      }
      return try value(of: parts, parameter)
    case .query: return try value(in: request.pairs, parameter, EscapedPair.decoded)
    case .header:
      guard let text = request.header(parameter.wireName.lowercased()) else { return nil }
      let styled = StyledText(parameter: parameter, decode: { $0 })
      return try styled.header(text).map { parts throws(Problem) in
        try value(of: parts, parameter)
      }
    case .cookie: return try value(in: cookies, parameter, PercentText.decoded)
    case .body: return try bodyValue(parameter, content)
    }
  }

  private func problem(_ parameter: CallParameter, _ text: String) -> Problem {
    var problem = Problem(400, "the parameter '\(parameter.name)' of call '\(call.name)' \(text)")
    problem.parameter = parameter.name
    return problem
  }

  private func read(_ text: String, _ parameter: CallParameter) throws(Problem) -> CallValue {
    guard let value = parameter.value(ofText: text) else {
      throw problem(
        parameter, "must be \(parameter.expectationOfOne), got '\(ClientText.shown(text))'")
    }
    return value
  }

  private func value(
    of parts: StyledText.Parts, _ parameter: CallParameter
  ) throws(Problem) -> CallValue {
    switch parts {
    case .single(let text): return try read(text, parameter)
    case .list(let texts):
      var values: [CallValue] = []
      for text in texts { values.append(try read(text, parameter)) }
      return .list(values)
    case .object(let fields):
      return .object(sorting: fields.map { .init($0.name, .string($0.value)) })
    case .nested(let text): return .json(text)
    }
  }

  // MARK: Pairs

  private func value(
    in pairs: [EscapedPair], _ parameter: CallParameter, _ decode: @escaping (String) -> String
  ) throws(Problem) -> CallValue? {
    let others = call.parameters.filter {
      $0.place == parameter.place && $0.name != parameter.name
    }
    let fixed = call.path.firstIndex(of: "?").map {
      EscapedPair.all(in: call.path[$0...].dropFirst())
    }
    let found = StyledText(parameter: parameter, decode: decode)
      .pairs(pairs, others: Set(others.map(\.wireName) + (fixed ?? []).map(\.name)))
    guard found.count <= 1 else { throw problem(parameter, "is given \(found.count) times") }
    guard let first = found.first else { return nil }
    guard let parts = first else { throw problem(parameter, "must be \(parameter.expectation)") }
    return try value(of: parts, parameter)
  }

  /// The pairs in the cookies. One cookie may contain several pairs. (OpenAPI 3.1.1, style form)
  private var cookies: [EscapedPair] {
    (request.header("cookie") ?? "").split(separator: ";").flatMap { cookie -> [EscapedPair] in
      let text = cookie.trimmingBlanks
      let name = text.prefix { $0 != "=" }
      let isOne = call.parameters.contains { parameter in
        parameter.place == .cookie && parameter.wireName == name
          && !(parameter.isRepeated && parameter.explodes)
      }
      if isOne {
        return [
          EscapedPair(name: String(name), value: String(text[name.endIndex...].dropFirst()))
        ]
      }
      return text.split(separator: "&").map { pair in
        let name = pair.prefix { $0 != "=" }
        return EscapedPair(
          name: PercentText.decoded(name), value: String(pair[name.endIndex...].dropFirst()))
      }
    }
  }

  // MARK: Bodies

  private func bodyValue(
    _ parameter: CallParameter, _ content: RequestContent
  ) throws(Problem) -> CallValue? {
    switch content {
    case .none: return nil
    case .form(let pairs): return try value(in: pairs, parameter, EscapedPair.decoded)
    case .raw(let bytes): return try read(content: bytes, parameter)
    case .multipart(let parts):
      let contents = parts.filter { $0.name == parameter.wireName }.map(\.content)
      guard let first = contents.first else { return nil }
      guard parameter.isList else {
        guard contents.count == 1 else {
          throw problem(parameter, "is given \(contents.count) times")
        }
        return try read(content: first, parameter)
      }
      var values: [CallValue] = []
      for content in contents { values.append(try read(content: content, parameter)) }
      return .list(values)
    case .json(let root):
      if parameter.isWhole { return try value(of: root, parameter) }
      guard let element = root.pairs.last(where: { $0.key == parameter.wireName })?.value else {
        return nil
      }
      if element.isNull, parameter.kind != .json { return nil }
      return try value(of: element, parameter)
    }
  }

  private func read(content bytes: [UInt8], _ parameter: CallParameter) throws(Problem) -> CallValue
  {
    if parameter.kind == .file { return .content(bytes) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw problem(
        parameter, "must be \(parameter.expectationOfOne), got bytes that are not UTF-8")
    }
    guard parameter.kind == .object else { return try read(text, parameter) }
    guard let document = try? JSONDocument(parsing: bytes) else {
      throw problem(parameter, "must be a JSON object, got '\(ClientText.shown(text))'")
    }
    return try value(of: document.root, parameter)
  }

  private func value(
    of element: JSONElement, _ parameter: CallParameter
  ) throws(Problem) -> CallValue {
    guard parameter.isList else {
      if let value = single(element, parameter.kind), parameter.allows(value) { return value }
      throw misfit(element, parameter, parameter.expectation)
    }
    guard element.kind == .array else { throw misfit(element, parameter, parameter.expectation) }
    var values: [CallValue] = []
    for one in element.elements {
      guard let value = single(one, parameter.kind), parameter.allows(value) else {
        throw misfit(one, parameter, parameter.expectationOfOne)
      }
      values.append(value)
    }
    return .list(values)
  }

  private func misfit(
    _ element: JSONElement, _ parameter: CallParameter, _ expectation: String
  ) -> Problem {
    let given = String(escaping: ParameterReading.text(of: element))
    return problem(parameter, "must be \(expectation), got \(ClientText.shown(given))")
  }

  /// Returns an element as a value of the given type. nil if the element does not fit.
  private func single(_ element: JSONElement, _ kind: CallParameter.Kind) -> CallValue? {
    switch kind {
    // In GraphQL, an ID may be written as an integer.
    case .string:
      element.string.map { .string($0) }
        ?? (call.graphQL == nil ? nil : element.integerDigits ?? element.int.map { String($0) })
        .map { .string($0) }
    case .choice(let words): element.string.flatMap { words.contains($0) ? .string($0) : nil }
    case .boolean: element.bool.map { .boolean($0) }
    case .integer: ParameterReading.whole(element)
    case .number: ParameterReading.number(element)
    case .json: .json(ParameterReading.text(of: element))
    case .object: element.kind == .object ? ParameterReading.object(element) : nil
    case .file: nil
    }
  }

  /// Returns an integer of any size, with its digits. (JSN-111)
  private static func whole(_ element: JSONElement) -> CallValue? {
    if let digits = element.integerDigits { return .digits(digits) }
    return (element.int ?? element.double.flatMap { Int(exactly: $0) }).map { .integer($0) }
  }

  private static func number(_ element: JSONElement) -> CallValue? {
    whole(element) ?? element.digits.map { .digits($0) } ?? element.double.map { .number($0) }
  }

  /// Returns an object. If one of its fields is not a single value, the object is returned as JSON.
  private static func object(_ element: JSONElement) -> CallValue {
    var members: [CallValue.Member] = []
    for (name, field) in element.pairs {
      let value: CallValue? =
        field.string.map { .string($0) } ?? field.bool.map { .boolean($0) }
        ?? number(field)
      guard let value else { return .json(text(of: element)) }
      members.append(.init(name, value))
    }
    return .object(sorting: members)
  }

  private static func text(of element: JSONElement) -> [UInt8] {
    var bytes: [UInt8] = []
    element.encode(into: &bytes)
    return bytes
  }
}
