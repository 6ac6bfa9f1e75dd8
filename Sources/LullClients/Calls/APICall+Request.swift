package import LullCore
import LullHost

extension APICall {
  /// The request for these values, which are complete.
  package func request(
    of service: Service, _ values: [String: CallValue]
  ) throws(Misfit) -> CallRequest {
    var target = CallPath(path)
    var query: [(name: String, value: ParameterValue)] = []
    var fields: [CallBody.Field] = []
    var cookies: [(name: String, value: SecretText)] = []
    var declared = headers
    for parameter in parameters {
      let given = values[parameter.name]
      if parameter.place == .path {
        let value = given ?? .string("")
        target.fill(
          parameter.placeholder, escaped: try StyledValue(parameter, value, of: self).path())
        continue
      }
      guard let value = given else { continue }
      try check(value, of: parameter)
      switch parameter.place {
      case .path: break
      case .query:
        if let single = APICall.parameterValue(value, of: parameter) {
          query.append((parameter.wireName, single))
        } else {
          for (name, text) in try StyledValue(parameter, value, of: self).pairs() {
            target.add(query: "\(name)=\(text)")
          }
        }
      case .header: try set(value, of: parameter, in: &declared)
      case .cookie: cookies += try self.cookies(value, of: parameter)
      case .body: fields.append((parameter, value))
      }
    }
    var resource = service.resource(target)
    if resource.url.query == nil {
      if !query.isEmpty { resource = resource.withParams(query.map { ($0.name, $0.value) }) }
    } else {
      // What the call's path says beside them stays as it is written.
      for (name, value) in query { resource = resource.settingParam(name, value) }
    }
    var request = CallRequest(resource: resource, method: method)
    request.declared = declared
    request.cookies = cookies
    request.body = try CallBody(self, fields).body()
    return request
  }

  /// What a parameter of a query is if that has one text, written as all queries are; nil: it has a form of its own.
  private static func parameterValue(
    _ value: CallValue, of parameter: CallParameter
  ) -> ParameterValue? {
    if case .secret(let text) = value { return .secret(text) }
    let text = value.text
    guard value.isSingle, !value.isNested(in: parameter), !parameter.keepsReserved, !text.isEmpty
    else { return nil }
    return .text(text)
  }

  private func set(
    _ value: CallValue, of parameter: CallParameter, in headers: inout Headers
  ) throws(Misfit) {
    if case .secret(let text) = value {
      headers.remove(parameter.wireName)
      headers.add(parameter.wireName, text)
    } else if let text = try StyledValue(parameter, value, of: self).header() {
      headers[parameter.wireName] = text
    }
  }

  /// One cookie, whatever is in its value. (OpenAPI 3.1.1, style form)
  private func cookies(
    _ value: CallValue, of parameter: CallParameter
  ) throws(Misfit) -> [(name: String, value: SecretText)] {
    if case .secret(let text) = value {
      return [
        (parameter.wireName, parameter.keepsReserved ? text : SecretText(escaping: text))
      ]
    }
    let pairs = try StyledValue(parameter, value, of: self).pairs()
    guard let first = pairs.first else { return [] }
    let rest = pairs.dropFirst().map { "&\($0.name)=\($0.value)" }.joined()
    return [(first.name, SecretText(first.value + rest))]
  }

  /// Whether a value can be written at its place.
  private func check(_ value: CallValue, of parameter: CallParameter) throws(Misfit) {
    let subject = "the parameter '\(parameter.name)' of call '\(name)'"
    let isStyled = parameter.place != .body || bodyForm == .form
    if parameter.kind == .object, case .json = value, isStyled, !value.isNested(in: parameter) {
      throw Misfit(
        message: "\(subject) has fields that are lists or tables, for which there is no form in "
          + parameter.place.described)
    }
    switch value {
    case .list(let elements) where elements.isEmpty && parameter.isRequired && isStyled:
      throw Misfit(
        message: "\(subject) is required: an empty list in \(parameter.place.described) is none")
    case .object(let members) where members.isEmpty && parameter.isRequired && isStyled:
      throw Misfit(
        message: "\(subject) is required: an empty table in \(parameter.place.described) is none")
    case .object(let members)
    where isStyled && parameter.explodes && parameter.style == .form
      && [.query, .cookie, .body].contains(parameter.place):
      // Its fields are parameters like the others.
      let others = parameters.filter {
        $0.place == parameter.place && $0.name != parameter.name
      }
      for member in members
      where others.contains(where: { $0.wireName == member.name && $0.kind != .object }) {
        throw Misfit(
          message: "\(subject) cannot have the field '\(member.name)': there it would be the "
            + "parameter of that name")
      }
    default: break
    }
  }
}
