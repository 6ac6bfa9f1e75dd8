import LullSystem

/// The content of a query resource. The loads of the resource send this content, and it
/// distinguishes the query from other queries of the same URL. (RFC 10008; QUERY-01 to QUERY-08)
///
/// The loads send the bytes that the first caller has given. Later callers with equal content get
/// the same resource. Immutable. Any thread. Lua: `resource.method`, `resource.body`,
/// `resource.content_type`.
public final class ResourceQuery: Sendable {
  /// The method of the query's loads: QUERY, or POST if the configuration or the first caller
  /// declares these requests safe.
  public var method: RequestMethod { identity.method }
  /// The media type of the content, as the first caller wrote it.
  public let contentType: String
  /// The bytes of the content, as the first caller wrote them. Secrets are masked.
  public let body: [UInt8]
  /// The body with its secrets; nil if the body contains no secrets.
  private let secretBody: SecretBody?
  /// The headers that the loads send in addition to the headers of the configuration, sorted by
  /// name.
  let headers: RequestHeaders
  package let identity: QueryIdentity

  /// Throws if the body is read while it is sent, because such a body can't identify a resource.
  ///
  /// - Parameters:
  ///   - body: The encoded content. A Content-Type among the headers is its content type.
  ///   - headers: The headers that the caller passes.
  ///   - configured: The headers of the configuration. The passed headers replace them.
  init(
    _ body: EncodedBody, headers: RequestHeaders, configured: RequestHeaders, method: RequestMethod
  ) throws(RequestBodyFailure) {
    guard method == .query || method == .post else {
      throw RequestBodyFailure(
        cause: .invalidSetting(
          name: "queryMethod", message: "the method of a query is QUERY or POST, not \(method)"))
    }
    switch body {
    case .bytes(let bytes, let type): (self.body, contentType, secretBody) = (bytes, type, nil)
    case .secret(let secret):
      (self.body, contentType, secretBody) = (secret.template.masked, secret.contentType, secret)
    case .file, .multipart:
      throw RequestBodyFailure(
        cause: .invalidSetting(
          name: "query",
          message: "a query cannot be a file or a multipart form: pass json, form, text or data"))
    }
    var others = headers
    others.remove("content-type")
    self.headers = others.sortedByName
    var sent = configured
    sent.take(all: others)
    identity = QueryIdentity(
      method: method, contentType: contentType, content: self.body,
      secrets: secretBody?.template.texts ?? [], headers: sent.lines)
  }

  /// The number of content bytes that this object stores.
  var size: Int { body.count + (identity.content == body ? 0 : identity.content.count) }

  /// Sets the body, the content type and the headers of a request.
  func put(into http: inout HTTPRequest) {
    http.headers["content-type"] = contentType
    http.body = body
    if let template = secretBody?.template {
      http.secrets = SecretUses(url: http.secrets?.url, body: template)
    }
    http.headers.take(all: headers)
  }

  /// The secrets in the body and the headers, and the headers that may distinguish one sender from
  /// another.
  var credentials: [(name: String, value: SecretText)] {
    let headers = headers.texts.filter { $0.isSecret || !Headers.saysNothingOfSender($0.name) }
    return headers.map { ($0.name, $0.text) } + identity.secrets.map { ("body", $0) }
  }

  /// The method and the beginning of the content, on one line, for lists. If the name of a member
  /// or field looks like the name of a credential, its value is masked.
  package var summary: String { "\(method) \(ResourceQuery.excerpt(of: body, limit: 32))" }

  /// Returns the beginning of a query's content, on one line. Credentials are masked in the same
  /// way as in `summary`. For content that is not text, returns its size.
  package static func excerpt(of body: [UInt8], limit: Int) -> String {
    var head = Array(body.prefix(4096))
    // A character that is cut off would make the whole text invalid.
    if head.count < body.count {
      while let byte = head.last, byte & 0xC0 == 0x80 { head.removeLast() }
      if let byte = head.last, byte >= 0xC0 { head.removeLast() }
    }
    guard String(validating: head, as: UTF8.self) != nil else { return ByteCount.exact(body.count) }
    let text = LogText.part(
      String(decoding: CredentialMask.body(head), as: UTF8.self), limit: limit)
    return ControlCharacters.shown(in: text)
  }

  /// The method, the size of the content and a hash of the content. Used in logs, which don't show
  /// bodies.
  var label: String {
    // FNV-1a, so that equal content has the same hash in every process.
    let hash = identity.content.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
    }
    return "\(method) \(body.count) B #\(String(hash >> 32, radix: 16))"
  }
}

extension Service {
  /// Returns the resource of a query that was recently made with the same values; nil if there is
  /// none. (QUERY-02)
  fileprivate func recent(_ question: RecentQueries.Question) -> Resource? {
    guard let record = table.recentRecord(for: question), record.secretURL == nil else {
      return nil
    }
    return resource(of: record)
  }

  fileprivate func note(_ resource: Resource, for question: RecentQueries.Question) {
    // A block of the configuration may have registered another one meanwhile.
    guard configurationVersion == question.version, resource.record.secretURL == nil else { return }
    table.note(resource.record, for: question)
  }

  /// - Parameter url: The base URL for a relative reference, used if the entity has no URL.
  package func equivalent(of entity: Entity, at url: ResourceURL? = nil) -> Resource? {
    guard let reference = entity.headers.bytes("content-location"),
      let base = entity.exchange?.url.flatMap({ ResourceURL(absolute: $0) }) ?? url ?? baseURL
    else { return nil }
    return reference.withUnsafeBufferPointer { base.relative(hrefBytes: $0) }
      .map { resource(at: $0) }
  }

  /// Returns the resource of a query. Equal content gives the same resource while this resource is
  /// held.
  ///
  /// - Throws: An error if the resource is held with other headers. (QUERY-06)
  func resource(at record: ResourceRecord, _ query: ResourceQuery) throws(RequestError) -> Resource
  {
    guard record.invalidSource == nil else { return resource(of: record) }
    var found = self.record(for: record, query)
    if found.query?.headers != query.headers, !found.isInUse, found.allRequests.isEmpty {
      table.forgetUnused(found)
      found = self.record(for: record, query)
    }
    guard found.query?.headers == query.headers else {
      let message =
        "this query of \(LogText.url(record.url.text)) is in use with other headers: pass the same "
        + "headers, or set them in the configuration"
      throw RequestError(
        userMessage: message, cause: .invalidSetting(name: "headers", message: message),
        timestamp: pump.clock.now)
    }
    return resource(of: found)
  }
}

/// The values that identify a resource within its service: its URL, and for a query also the
/// query's identity.
package struct ResourceAddress: Hashable, Sendable {
  package let url: ResourceURL
  package let query: QueryIdentity?
}

extension Resource {
  package var address: ResourceAddress { ResourceAddress(url: url, query: query?.identity) }

  /// The method and the URL of the resource's loads, for messages.
  package var readName: String { "\(readMethod) \(LogText.url(url.text))" }

  /// The headers of the resource's loads without a condition: the headers of the configuration and,
  /// for a query, the headers of the query.
  package var readHeaders: RequestHeaders {
    var headers = resolvedConfiguration.settings.headers
    if let query = record.query { headers.take(all: query.headers) }
    if resolvedConfiguration.settings.graphQL { headers.acceptGraphQL() }
    return headers
  }

  /// The content that the loads of this resource send; nil if the loads are GET requests.
  /// (QUERY-01)
  public var query: ResourceQuery? { record.query }

  /// Returns the GET resource that is equivalent to an entity of this resource, according to the
  /// server: the resource that the entity's `Content-Location` header names. (QUERY-14; RFC 9110,
  /// section 8.7; RFC 10008, section 2.3)
  ///
  /// Returns nil without that header, or if the header is not a URL. The resource is never loaded
  /// automatically. Home thread only. Lua: `entity.equivalent`.
  public func equivalent(of entity: Entity) -> Resource? {
    service.equivalent(of: entity, at: url)
  }

  /// Returns the resource that is loaded by sending `body` to this URL with the method QUERY.
  /// (QUERY-01 to QUERY-08; RFC 10008)
  ///
  /// The returned resource is identified by its URL, method and content: while the resource is
  /// held, equal content gives the same resource. JSON content is compared by value; order of
  /// members, spacing and number format don't matter. Other content is compared byte by byte. The
  /// resource has all features of other resources: state, observers, caches, pages, streams. Its
  /// settings are the settings of GET and the settings of configuration blocks that name QUERY.
  /// This function sends nothing. If the URL is invalid, the result is an invalid resource.
  ///
  ///     let search = try api.resource("/search").query(.json(["term": "tea"]))
  ///     search.loadIfNeeded()
  ///
  /// If this resource is a query, the result is a query of the same URL. Home thread only. Lua:
  /// `resource:query{ json = … }`.
  ///
  /// - Parameters:
  ///   - body: The content. A file or a multipart form is not possible.
  ///   - headers: Headers of the loads. They are not part of the identity.
  ///   - method: QUERY or POST; with nil, the setting `queryMethod` decides. With POST, the request
  ///     is declared safe: it is retried, redirected and cached like QUERY, and does not invalidate
  ///     resources.
  /// - Throws: An error if the content can't be encoded, if `method` is neither QUERY nor POST, or
  ///   if the query is held with other headers.
  public func query(
    _ body: RequestBody, headers: RequestHeaders = RequestHeaders(), method: RequestMethod? = nil
  ) throws(RequestError) -> Resource {
    pump.checkThread()
    let query: ResourceQuery
    var question: RecentQueries.Question?
    do throws(RequestBodyFailure) {
      let content = try body.typed(headers["content-type"]).encoded()
      // Secrets are compared too, which the recent queries don't do.
      if case .bytes(let bytes, let contentType) = content, record.secretURL == nil,
        record.invalidSource == nil
      {
        let asked = RecentQueries.Question(
          url: record.url, method: method, contentType: contentType, body: bytes, headers: headers,
          version: service.configurationVersion)
        if let found = service.recent(asked) { return found }
        question = asked
      }
      let configuration = resolvedConfiguration(for: .query)
      query = try ResourceQuery(
        content, headers: headers, configured: configuration.settings.headers,
        method: method ?? configuration.settings.queryMethod)
    } catch {
      throw RequestError(
        httpStatusCode: nil, entity: nil, cause: error.cause, timestamp: pump.clock.now)
    }
    let resource = try service.resource(at: record, query)
    if let question { service.note(resource, for: question) }
    return resource
  }
}

/// Functions that return a query, one for each type of content. In all other respects they are like
/// `query(_:headers:method:)`.
extension Resource {
  /// Returns the query of this URL with a JSON value as its content.
  ///
  ///     let search = try api.resource("/search").query(json: ["term": "tea", "page": 1])
  ///
  /// - Throws: The errors of `query(_:headers:method:)`, and an error if the value contains a
  ///   number that JSON can't represent, such as NaN.
  public func query(
    json value: JSONValue, headers: RequestHeaders = RequestHeaders(), method: RequestMethod? = nil
  ) throws(RequestError) -> Resource {
    let bytes: [UInt8]
    do throws(JSONError) {
      bytes = try value.encode()
    } catch {
      throw RequestError(
        httpStatusCode: nil, entity: nil, cause: .invalidJSONObject(path: error.description),
        timestamp: pump.clock.now)
    }
    return try query(.json(bytes), headers: headers, method: method)
  }

  /// Returns the query of this URL whose content is a value of a type of your program, encoded as
  /// JSON.
  ///
  /// - Throws: The errors of `query(_:headers:method:)`, and the error of an `encode(to:)`, with
  ///   the coding path.
  @_disfavoredOverload
  public func query(
    json value: some Encodable, headers: RequestHeaders = RequestHeaders(),
    method: RequestMethod? = nil
  ) throws(RequestError) -> Resource {
    let body: RequestBody
    do {
      body = try .json(encoding: value)
    } catch {
      throw RequestError(
        userMessage: "Cannot encode the content of a query",
        cause: RequestError.Cause(encoding: error), timestamp: pump.clock.now)
    }
    return try query(body, headers: headers, method: method)
  }

  /// Returns the query of this URL with a form as its content.
  public func query(
    form params: [String: String], headers: RequestHeaders = RequestHeaders(),
    method: RequestMethod? = nil
  ) throws(RequestError) -> Resource {
    try query(
      .form(params.map { (name: $0.key, value: $0.value) }), headers: headers, method: method)
  }
}
