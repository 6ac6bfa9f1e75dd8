/// What a request makes of its answer before the pipeline sees it, and of an error.
extension NetworkRequest {
  /// After a successful unsafe request what is known of its URL is stale, and so is what is known of `Location` and
  /// `Content-Location` of the same origin. (AGE-07; RFC 9111, section 4.4) Of a load the answer is the data.
  func invalidateIfChanged(by response: Response) {
    guard let place = answeredPlace, response.isSuccess, let entity = response.entity
    else { return }
    if http.method == .head {
      let known = loader.record.state.latestData
      if let known, known.isOutdated(by: entity) { loader.expire(at: place, isLoad: false) }
      return
    }
    guard loader.resolvedConfiguration(for: http.method).writesInvalidate else { return }
    loader.expire(at: place, isLoad: load != nil)
    for other in otherURLs(of: entity) {
      loader.owner.resource(at: other).expire(at: place, isLoad: false)
    }
  }

  /// What the answer is about besides the resource: where redirects and mutations have led, and what it names.
  private func otherURLs(of entity: Entity) -> [ResourceURL] {
    let sent = ResourceURL(absolute: http.withoutCredentials(http.url)) ?? loader.url
    let final = entity.exchange?.url.flatMap { ResourceURL(absolute: $0) } ?? sent
    var found: [ResourceURL] = []
    for name in ["location", "content-location"] {
      guard let value = entity.headers.bytes(name) else { continue }
      if let url = value.withUnsafeBufferPointer({ final.relative(hrefBytes: $0) }) {
        found.append(url)
      }
    }
    let origin = sent.origin
    var urls: [ResourceURL] = []
    for url in [sent, final] + found {
      guard url.origin == origin, url != loader.url, !urls.contains(url) else { continue }
      urls.append(url)
    }
    // A resource is made for what caches may have; without caches only what is in memory can be stale.
    guard loader.resolvedConfiguration.caches.isEmpty else { return urls }
    return urls.filter { loader.owner.knows($0) }
  }

  /// Whether what was asked for as a whole is an event stream. (STR-25)
  func isEventStream(_ response: Response) -> Bool {
    guard http.method == .get, http.options?.sink == nil, let entity = response.entity,
      entity.exchange?.status == 200
    else { return false }
    return entity.headers.withFirstValue("content-type", ContentTypePattern.isEventStream) ?? false
  }

  func eventStreamFailure(_ response: Response, now: Double) -> RequestError {
    var error = RequestError(
      httpStatusCode: nil, entity: nil, cause: .transport(.eventStream), timestamp: now)
    error.exchange = response.entity?.exchange
    return error
  }

  /// Its content is where the file is; no stage of the pipeline sees it. (DWN-02)
  func entity(of download: Download, _ response: HTTPResponse, now: Double) -> Entity {
    var exchange = Exchange(response)
    exchange.url = exchange.url.map(http.withoutCredentials)
    exchange.forbidsStoring = forbidsStoring
    let path = download.path?.bytes ?? []
    let content = String(validating: path, as: UTF8.self).map { Content.text($0) } ?? .bytes(path)
    return Entity(content: content, headers: response.headers, timestamp: now, exchange: exchange)
  }

  /// Notes what of this request the answer depends on, for those who may keep it. (RFC 9111, section 4.1)
  func ofVariant(_ response: Response, isPart: Bool) -> Response {
    guard case .success(var entity) = response.outcome, entity.exchange != nil,
      let variant = Variant(of: entity.headers, to: http.headers, isPart: isPart)
    else { return response }
    entity.exchange?.variant = variant
    return Response(.success(entity), isNew: response.isNew)
  }

  /// What was put into the query is not a part of where an answer comes from.
  func withoutCredentials(_ response: Response) -> Response {
    guard http.secrets?.credentialNames.isEmpty == false else { return response }
    switch response.outcome {
    case .success(var entity):
      if let url = entity.exchange?.url { entity.exchange?.url = http.withoutCredentials(url) }
      return Response(.success(entity), isNew: response.isNew)
    case .failure(var error):
      if let url = error.exchange?.url { error.exchange?.url = http.withoutCredentials(url) }
      if let url = error.entity?.exchange?.url {
        error.entity?.exchange?.url = http.withoutCredentials(url)
      }
      return Response(.failure(error), isNew: response.isNew)
    }
  }

  /// Errors say what was asked.
  func labelled(_ response: Response) -> Response {
    guard case .failure(var error) = response.outcome, error.url == nil else { return response }
    error.method = http.method
    error.url = urlWithoutCredentials
    error.attempt = attempt
    error.attempts = attempts
    return Response(.failure(error), isNew: response.isNew)
  }
}
