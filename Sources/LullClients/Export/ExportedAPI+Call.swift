package import LullCore

extension ExportedAPI.Call {
  /// Adds the access methods that the call's own headers and parameters contain, and the headers of
  /// the settings. A credential becomes an access method. Its value is never exported.
  ///
  /// - Parameters:
  ///   - headers: The headers of the settings. A header of the call takes precedence.
  package mutating func take(headers: RequestHeaders) {
    var texts = call.headers.texts
    let own = Set(texts.map { $0.name.lowercased() })
    texts += headers.texts.filter { !own.contains($0.name.lowercased()) }
    for (name, text, isSecret) in texts.sorted(by: { $0.name.lowercased() < $1.name.lowercased() })
    {
      if isSecret {
        add(ExportedAccess(header: name, text))
      } else if CredentialMask.header(name, text.masked) != text.masked {
        add(ExportedAccess(writtenHeader: name, text.masked))
      } else {
        self.headers.append((name, text.masked))
      }
    }
    for name in ExportedPath(call.path).credentials {
      add(ExportedAccess(.key(place: .query, name: name, prefix: "")))
    }
    for parameter in call.parameters where ExportedAPI.Call.isAccess(parameter) {
      guard case .secret(let text)? = parameter.standard else { continue }
      if parameter.place == .header {
        add(ExportedAccess(header: parameter.wireName, text))
      } else {
        add(
          ExportedAccess(
            .key(place: parameter.place, name: parameter.wireName, prefix: ""),
            secret: text.secrets.first))
      }
    }
  }

  package mutating func add(_ access: ExportedAccess) {
    if !self.access.contains(access) { self.access.append(access) }
  }

  /// Adds an access method from the settings, unless the call always sends a query parameter that
  /// replaces it.
  package mutating func add(ofSettings access: ExportedAccess) {
    if case .key(.query, let name, _) = access.way, alwaysHas(parameter: name) { return }
    add(access)
  }

  private func alwaysHas(parameter name: String) -> Bool {
    let isFixed = ExportedPath(call.path).query.contains { pair in
      switch pair {
      case .fixed(let own, _), .parameter(let own, _): own == name
      case .whole: false
      }
    }
    return isFixed
      || call.parameters.contains {
        $0.place == .query && $0.wireName == name && ($0.isRequired || $0.standard != nil)
      }
  }

  /// Returns whether a parameter is a credential that is sent by default.
  static func isAccess(_ parameter: CallParameter) -> Bool {
    guard case .secret? = parameter.standard else { return false }
    return [.query, .header, .cookie].contains(parameter.place)
  }

  /// The JSON type, or the type of events or rows, in the call's Accept header, if it names exactly
  /// one.
  private var acceptedType: String? {
    let accepted = headers.first { $0.name.lowercased() == "accept" }?.value ?? ""
    let isOne = !accepted.contains { ",;* ".contains($0) }
    let isKnown = accepted.contains("json") || StreamTypes.areIn(accept: accepted)
    return isOne && isKnown && accepted.contains("/") ? accepted : nil
  }

  /// Whether the response is a stream of events, which a schema of the content does not describe.
  var hasEvents: Bool { acceptedType == "text/event-stream" }

  /// Whether the response is a sequence of rows. OpenAPI 3.2 describes the rows, not the list.
  var hasRows: Bool {
    acceptedType.map { !hasEvents && StreamTypes.areIn(accept: $0) } ?? false
  }

  var namesAnswerType: Bool { acceptedType != nil }

  /// The content type of the response. The default is `application/json`.
  var answerType: String { acceptedType ?? "application/json" }
}
