import LullClients
import LullCore

/// The parameters of a call as a request has them, checked by what the API file declares.
struct ParameterReading {
  private let call: APICall
  private let request: MockRequest
  private let places: [String: String]

  /// - Parameter places: what stands in the places of the path.
  init(_ call: APICall, _ request: MockRequest, places: [String: String]) {
    self.call = call
    self.request = request
    self.places = places
  }

  /// All of them, with defaults for what is not given; what is not declared is not looked at.
  func values() throws(Problem) -> [String: CallValue] {
    var values: [String: CallValue] = [:]
    let hasBody = call.parameters.contains { $0.place == .body }
    let body = hasBody ? try Body(request, call.bodyForm) : nil
    for parameter in call.parameters {
      let value: CallValue?
      switch parameter.place {
      case .path:
        value = try places[parameter.name].map { text throws(Problem) in
          try read(text, parameter)
        }
      case .query: value = try single(request.parameters, parameter)
      case .body:
        switch body {
        case .form(let pairs): value = try single(pairs, parameter)
        case .json(let members): value = try member(members, parameter)
        case nil: value = nil
        }
      }
      if let value = value ?? parameter.standard {
        values[parameter.name] = value
      } else if parameter.isRequired {
        throw problem(parameter, "is missing: it must be \(parameter.expectation)")
      }
    }
    return values
  }

  private func problem(_ parameter: CallParameter, _ text: String) -> Problem {
    var problem = Problem(400, "the parameter '\(parameter.name)' of call '\(call.name)' \(text)")
    problem.parameter = parameter.name
    return problem
  }

  private func read(_ text: String, _ parameter: CallParameter) throws(Problem) -> CallValue {
    guard let value = parameter.value(ofText: text) else {
      throw problem(
        parameter, "must be \(parameter.expectation), got '\(ClientText.shown(text))'")
    }
    return value
  }

  private func single(
    _ pairs: [(name: String, value: String)], _ parameter: CallParameter
  ) throws(Problem) -> CallValue? {
    let values = pairs.filter { $0.name == parameter.name }.map(\.value)
    guard values.count <= 1 else { throw problem(parameter, "is given \(values.count) times") }
    guard let text = values.first else { return nil }
    return try read(text, parameter)
  }

  private func member(
    _ members: [String: JSONElement], _ parameter: CallParameter
  ) throws(Problem) -> CallValue? {
    guard let element = members[parameter.name] else { return nil }
    if element.isNull, parameter.kind != .json { return nil }
    let value: CallValue? =
      switch parameter.kind {
      case .string: element.string.map { .string($0) }
      case .choice(let words): element.string.flatMap { words.contains($0) ? .string($0) : nil }
      case .boolean: element.bool.map { .boolean($0) }
      case .integer: element.double.flatMap { Int(exactly: $0) }.map { .integer($0) }
      case .number:
        element.double.map { number in
          Int(exactly: number).map { .integer($0) } ?? .number(number)
        }
      case .json: .json(ParameterReading.text(of: element))
      }
    guard let value else {
      let given = String(escaping: ParameterReading.text(of: element))
      throw problem(
        parameter, "must be \(parameter.expectation), got \(ClientText.shown(given))")
    }
    return value
  }

  private static func text(of element: JSONElement) -> [UInt8] {
    var bytes: [UInt8] = []
    element.encode(into: &bytes)
    return bytes
  }

  private enum Body {
    case json([String: JSONElement])
    case form([(name: String, value: String)])

    init(_ request: MockRequest, _ form: APICall.BodyForm) throws(Problem) {
      if request.body.isEmpty {
        self = .json([:])
      } else if form == .form {
        let type = request.header("content-type")?.lowercased() ?? ""
        guard type.isEmpty || type.hasPrefix("application/x-www-form-urlencoded"),
          let text = String(validating: request.body, as: UTF8.self)
        else {
          throw Problem(
            415, "the call takes a form, application/x-www-form-urlencoded, as its body")
        }
        self = .form(
          text.split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            return (
              CredentialMask.decoded(name),
              CredentialMask.decoded(pair[name.endIndex...].dropFirst())
            )
          })
      } else {
        let document: JSONDocument
        do throws(JSONError) {
          document = try JSONDocument(parsing: request.body)
        } catch {
          throw Problem(400, "the body is no JSON: \(error)")
        }
        guard document.root.kind == .object else {
          throw Problem(400, "the body must be a JSON object with the parameters of the call")
        }
        self = .json(
          Dictionary(document.root.pairs.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }))
      }
    }
  }
}
