extension Resource {
  /// Returns the resource at this URL with changed query parameters. A value may be text or a
  /// secret; nil removes the parameter. (PATH-20 to PATH-27)
  ///
  /// In the URL of the returned resource, secrets are replaced by their masks. The masked URL
  /// identifies the resource. Resources that `child` returns keep the query with its secrets.
  /// Resources that `relative` returns keep neither the query nor its secrets, unless `href` is
  /// empty or only a fragment. Lua: `resource:with_params{ key = lull.secret{…} }`.
  package func withParams(_ changes: [(String, ParameterValue?)]) -> Resource {
    guard record.invalidSource == nil else { return self }
    var secrets = record.secretURL?.values ?? [:]
    var texts: [(String, String?)] = []
    for (name, value) in changes {
      secrets[name] = nil
      switch value {
      case .text(let text)?: texts.append((name, text))
      case .secret(let text)?:
        secrets[name] = text
        texts.append((name, text.masked))
      case nil: texts.append((name, nil))
      }
    }
    let escaped = (record.secretURL?.escaped ?? url).withParams(texts)
    return service.resource(escaped: escaped, secrets: secrets)
  }

  /// Returns the resource at this URL with one query parameter changed. The parameter keeps its
  /// position in the query. A new parameter is appended. The rest of the query is unchanged.
  package func settingParam(_ name: String, _ value: ParameterValue) -> Resource {
    settingParams([(name, value)])
  }

  /// Returns the resource at this URL with several query parameters changed, one after the other. A
  /// parameter keeps its position in the query. A new parameter is appended.
  package func settingParams(_ changes: [(name: String, value: ParameterValue)]) -> Resource {
    guard !changes.isEmpty, record.invalidSource == nil else { return self }
    var secrets = record.secretURL?.values ?? [:]
    var escaped = record.secretURL?.escaped ?? url
    for (name, value) in changes {
      secrets[name] = nil
      let text: String
      switch value {
      case .text(let plain): text = plain
      case .secret(let secret):
        secrets[name] = secret
        text = secret.masked
      }
      escaped = escaped.settingParam(name, text)
    }
    return service.resource(escaped: escaped, secrets: secrets)
  }

  /// Returns the resource at the URL that `change` returns. This URL must have the same query; the
  /// resource has the same secrets.
  func derived(_ secretURL: SecretURL, _ change: (ResourceURL) -> ResourceURL) -> Resource {
    service.resource(escaped: change(secretURL.escaped), secrets: secretURL.values)
  }

  /// Returns the resource of a link to the next page. If the link contains a query credential that
  /// is configured for both pages, the credential is removed from the link. It is added again when
  /// the request is sent. A parameter that the URL of this page sets in place of the credential is
  /// kept. (QRY-06)
  package func linkedPage(_ target: ResourceURL) -> Resource {
    if target.query != nil, target.origin == url.origin,
      let credential = configuration.auth?.query
    {
      let bare = target.removingParams(credential.missingNames(in: urlTemplate))
      if bare != target {
        let resource = linked(bare)
        if resource.configuration.auth?.query == credential { return resource }
      }
    }
    return linked(target)
  }

  /// Returns the resource of a URL that the server of this resource has returned, for example in a
  /// link. If the value of a query parameter is a secret in the URL of this resource, the value of
  /// the parameter with the same name in `target` is treated as the same secret.
  package func linked(_ target: ResourceURL) -> Resource {
    guard let known = record.secretURL?.values, target.origin == url.origin,
      let query = target.query
    else { return service.resource(at: target) }
    let names = query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
      Array(pair.prefix { $0 != UInt8(ascii: "=") })
    }
    let secrets = known.filter { names.contains(SecretEscaping.parameter.escaped($0.key.utf8)) }
    let masked = secrets.reduce(target) { $0.settingParam($1.key, $1.value.masked) }
    return service.resource(escaped: masked, secrets: secrets)
  }

  /// The URL that is sent, without the credentials that the configuration adds.
  var urlTemplate: SecretTemplate {
    record.secretURL?.template ?? SecretTemplate(url.percentEncoded.utf8)
  }

  /// All values that may distinguish one sender of GET requests from another:
  /// - the configured headers, except headers that don't identify the sender
  /// - `auth`
  /// - the paths of a client certificate and its key
  /// - the Unix socket
  /// - secret query parameters
  /// - the environment of the service
  package var credentials: [(name: String, value: SecretText)] {
    senderCredentials + (record.query?.credentials ?? [])
  }

  /// The same values as `credentials`, without the headers and secrets of a query. The headers and
  /// secrets of a query do not affect the limits of its sender.
  var senderCredentials: [(name: String, value: SecretText)] {
    let settings = configuration
    var credentials: [(name: String, value: SecretText)] = []
    // Sorted by name, because headers from a script's table are in no particular order.
    let headers = settings.headers.texts.enumerated()
      .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
    for (name, text, isSecret) in headers
    where isSecret || !Headers.saysNothingOfSender(name) {
      credentials.append((name, text))
    }
    if let auth = settings.auth { credentials.append((auth.place, auth.identity)) }
    if let connection = settings.options?.connection {
      let files = [
        ("client_cert", connection.clientCertificate), ("client_key", connection.clientKey),
        // The same URL leads to different servers through different sockets.
        ("unix_socket", connection.unixSocket),
      ]
      for case (let name, let file?) in files { credentials.append((name, SecretText(file))) }
    }
    let params = record.secretURL?.values ?? [:]
    for (name, value) in params.sorted(by: { $0.key < $1.key }) {
      credentials.append((name, value))
    }
    // A name that no header can have. (ENV-07)
    if let environment = service.environment {
      credentials.append(("@", SecretText(environment.name)))
    }
    return credentials
  }

  /// Adds the credentials of `auth` to a request that has been built, and attaches its secrets.
  /// Throws if a secret would be sent to an origin to which it is not bound.
  func seal(_ http: inout HTTPRequest, auth: Auth?) throws(RequestError) {
    auth?.put(on: &http)
    let body = http.secrets?.body
    let url = http.secrets?.url
    guard
      http.headers.hasSecrets || url != nil || body != nil || auth?.stage != nil
        || http.hasSecretsInBody
    else { return }
    http.secrets = SecretUses(
      origin: service.baseURL?.origin, url: url, body: body,
      credentialNames: http.secrets?.credentialNames ?? [])
    guard let problem = http.secretOriginProblem else { return }
    throw RequestError(
      httpStatusCode: nil, entity: nil, cause: .transport(problem), timestamp: pump.clock.now)
  }
}

extension Service {
  /// Returns the resource at an escaped URL that contains masks in place of the given secrets.
  func resource(escaped: ResourceURL, secrets: [String: SecretText]) -> Resource {
    guard let secretURL = SecretURL(escaped: escaped, values: secrets) else {
      return resource(at: escaped)
    }
    let record = self.record(for: secretURL.masked)
    if record.secretURL == nil { record.secretURL = secretURL }
    guard record.secretURL == secretURL else {
      // Different secrets of the same name have the same mask. Because the record of this URL has
      // other secrets, the resource gets a separate record.
      let record = ResourceRecord(url: secretURL.masked, changes: pump.changes)
      record.secretURL = secretURL
      return resource(of: record)
    }
    return resource(of: record)
  }
}
