package import LullCore
import LullHost

extension APICall {
  /// Returns the request for the values of all parameters.
  package func request(
    of service: Service, _ values: [String: CallValue]
  ) throws(Misfit) -> CallRequest {
    var target = CallPath(path)
    // Query parameters that replace a parameter in the path's own query, or that are secret.
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
          let isSet = target.hasQuery(parameter.wireName)
          if isSet || value.isSecret { query.append((parameter.wireName, single)) }
          if !isSet { target.add(query: APICall.pair(parameter.wireName, single)) }
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
    configureResponseType(of: service)
    configureGraphQL(of: service)
    // The rest of the path's own query remains unchanged.
    let resource = service.resource(target).settingParams(query)
    var request = CallRequest(resource: resource, method: method)
    request.declared = declared
    request.cookies = cookies
    request.body = try CallBody(self, fields).body()
    request.isQuery = isQuery
    if isQuery {
      do throws(RequestError) {
        // Without a method of the file's own, the setting `query_method` decides.
        let isOpen = graphQL == nil ? method == .query : !choosesMethod
        try request.becomeQuery(method: isOpen ? nil : method)
      } catch {
        throw Misfit(message: "call '\(name)': \(error.userMessage)")
      }
    }
    return request
  }

  /// Makes the service parse the responses of this call as declared, starting with the first
  /// request.
  private func configureResponseType(of service: Service) {
    guard let responseType else { return }
    let description = "response_type of call '\(name)'"
    guard !service.hasConfiguration(describedAs: description) else { return }
    let routes = CallRoutes([CallRoutes.Call(self)], base: service.baseURL)
    let pattern = ConfigurationPattern.predicate(description) { [method] url in
      routes.call(method.rawValue, url.text) != nil
    }
    service.configure(pattern, requestMethods: [configuredMethod], description: description) {
      $0.setOptions { $0.responseType = responseType }
    }
  }

  /// Makes the service read the responses of this call's path as GraphQL, starting with the first
  /// request.
  private func configureGraphQL(of service: Service) {
    guard graphQL != nil else { return }
    let description = "graphql of calls at '\(path)'"
    guard !service.hasConfiguration(describedAs: description) else { return }
    let routes = CallRoutes([CallRoutes.Call(self)], base: service.baseURL)
    let pattern = ConfigurationPattern.predicate(description) { [method] url in
      routes.call(method.rawValue, url.text) != nil
    }
    service.configure(pattern, requestMethods: [.query, .post], description: description) {
      $0.graphQL = true
    }
  }

  /// Returns a query parameter whose value is a single text in the usual encoding. nil if the
  /// parameter needs another encoding.
  private static func parameterValue(
    _ value: CallValue, of parameter: CallParameter
  ) -> ParameterValue? {
    if case .secret(let text) = value { return .secret(text) }
    let text = value.text
    guard value.isSingle, !value.isNested(in: parameter), !parameter.keepsReserved, !text.isEmpty
    else { return nil }
    return .text(text)
  }

  /// Returns an escaped pair for a query, with a secret masked.
  private static func pair(_ name: String, _ value: ParameterValue) -> String {
    let escaped = SecretEscaping.parameter.escaped(name.utf8)
    let text =
      switch value {
      case .text(let text): SecretEscaping.parameter.escaped(text.utf8)
      case .secret(let text): SecretEscaping.parameter.masked(text)
      }
    return String(decoding: escaped + [UInt8(ascii: "=")] + text, as: UTF8.self)
  }

  private func set(
    _ value: CallValue, of parameter: CallParameter, in headers: inout RequestHeaders
  ) throws(Misfit) {
    if case .secret(let text) = value {
      headers.remove(parameter.wireName)
      headers.add(parameter.wireName, text)
    } else if let text = try StyledValue(parameter, value, of: self).header() {
      headers[parameter.wireName] = text
    }
  }

  /// Returns the cookies for a value. An exploded value is also only one cookie. (OpenAPI 3.1.1,
  /// style form)
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

  /// Checks that a value can be encoded in the parameter's location.
  private func check(_ value: CallValue, of parameter: CallParameter) throws(Misfit) {
    let subject = "the parameter '\(parameter.name)' of call '\(name)'"
    let isStyled = parameter.place != .body || bodyForm == .form
    if parameter.kind == .object, case .json = value, isStyled, !value.isNested(in: parameter) {
      throw Misfit(
        message: "\(subject) cannot have lists or tables as fields in "
          + parameter.place.described)
    }
    switch value {
    case .list(let elements) where elements.isEmpty && parameter.isRequired && isStyled:
      throw Misfit(
        message: "\(subject) is required: an empty list sends nothing in "
          + parameter.place.described)
    case .object(let members) where members.isEmpty && parameter.isRequired && isStyled:
      throw Misfit(
        message: "\(subject) is required: an empty table sends nothing in "
          + parameter.place.described)
    case .object(let members)
    where isStyled && parameter.explodes && parameter.style == .form
      && [.query, .cookie, .body].contains(parameter.place):
      // The fields of an exploded object are sent as ordinary parameters, so their names must not
      // collide.
      let others = parameters.filter {
        $0.place == parameter.place && $0.name != parameter.name
      }
      for member in members
      where others.contains(where: { $0.wireName == member.name && $0.kind != .object }) {
        throw Misfit(
          message: "\(subject) cannot have the field '\(member.name)': it would be sent as the "
            + "parameter of that name")
      }
    default: break
    }
  }
}
