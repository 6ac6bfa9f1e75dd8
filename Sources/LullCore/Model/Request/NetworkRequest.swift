/// A request that goes through the service's networking and the resource's pipeline.
///
/// Order of events: the request is built (headers, ad hoc mutation, configured mutations) and
/// started. When the response arrives, it is processed by the pipeline that is configured at that
/// moment (CFG-18), and the result completes the request. Each stage calls the next: condition →
/// turn → network → response → pipeline. With policies, the network stage is divided into the
/// stages of `PolicyExchange`.
public final class NetworkRequest: Request, NetworkReceiver {
  private enum Stage {
    /// The request has not started, is between two stages, or has ended.
    case idle
    /// The request waits until the caches have been read, or until the timer fires.
    case awaitingCondition(NetworkCompletion, any HostTimer)
    /// The request waits until it is its turn to load the cache entry, or until another user of the
    /// cache has loaded the same entry.
    case awaitingTurn(NetworkCompletion)
    /// The request is being sent. The transfer is nil while it is being started. It is also nil for
    /// a request that is rejected without being sent.
    case sending(NetworkCompletion, (any RequestNetworking)?)
    case processing(PipelineRun)
  }

  /// How the request was sent. `none`: it has not been sent yet.
  private enum Route {
    case none
    case direct
    case policies(PolicyExchange)
  }

  /// The values from which `repeated()` builds a new request.
  private struct Recipe {
    let method: RequestMethod
    /// Whether the request is made conditional on the data that the resource has when the request
    /// is built.
    let revalidates: Bool
    let adHoc: AdHocMutation?
  }

  let loader: Resource
  private let recipe: Recipe
  private(set) var http: HTTPRequest
  private let heldBody: HeldBytes?
  /// The download that the response body is written to; nil if the body is content.
  private let download: Download?
  private let policies: Policies?
  /// How the load is coordinated with other users of its caches.
  private let manner: FetchManner
  private var stage = Stage.idle
  private var route = Route.none
  /// Coordinates this load with loads of the same cache entry by other users, until the outcome of
  /// the load is delivered; nil if this load is not coordinated.
  private var shared: SharedFetch?
  var notes = AnswerNotes()
  /// The values that are reported to exchange observers at the end of the request; nil if there are
  /// no exchange observers.
  var exchangeNote: ExchangeNote?
  /// The estimate of the progress; nil until progress is first read.
  private var progressModel: ProgressModel?

  /// - Parameter http: The finished HTTP request. Mutations have already run, once, inside the call
  ///   that creates the request (MUT-08).
  init(
    resource: Resource, initialMethod: RequestMethod, revalidates: Bool, adHoc: AdHocMutation?,
    http: HTTPRequest, policies: Policies?, manner: FetchManner = .alone
  ) {
    loader = resource
    recipe = Recipe(method: initialMethod, revalidates: revalidates, adHoc: adHoc)
    self.policies = policies?.ofNewRequest
    self.manner = manner
    download = http.options?.download
    heldBody = http.body.flatMap { HeldBytes.ofBody($0.count) }
    self.http = http
    super.init(pump: resource.pump)
  }

  override public var resource: Resource? { loader }
  override public var method: RequestMethod? { http.method }
  override public var url: String? { http.url }

  override public var attempts: [RequestAttempt] { exchange?.attempts ?? super.attempts }
  override package var cancelledAttempts: [RequestAttempt] { exchange?.cancelledAttempts ?? [] }

  package var httpRequest: HTTPRequest { http }

  /// Whether the request reads the resource as loads do: by GET, or for a query by sending its
  /// content.
  package var isRead: Bool { loader.record.query == nil ? http.method == .get : http.sendsQuery }

  /// The transfer in progress; nil if there is none.
  package var transfer: (any RequestNetworking)? {
    if case .sending(_, let transfer) = stage { transfer } else { nil }
  }

  /// The exchange that applies the policies to this request. nil before the request is sent, and
  /// for a request without policies.
  private var exchange: PolicyExchange? {
    if case .policies(let exchange) = route { exchange } else { nil }
  }

  /// Whether the request was sent to the network directly, without policies.
  var wasSentDirectly: Bool { if case .direct = route { true } else { false } }

  override package var sending: RequestSending? {
    sentPlace == 0 ? nil : RequestSending(sent: sentPlace, answered: notes.answeredPlace)
  }

  /// Returns a new, unstarted request for the same operation. Its headers are set and its mutations
  /// run now, with the current configuration (REP-05 to REP-08).
  override public func repeated() -> Request {
    let request = loader.makeRequest(
      recipe.method, revalidation: recipe.revalidates ? .sending(loader.condition) : .none,
      adHoc: recipe.adHoc)
    request.attempt = attempt + 1
    return request
  }

  /// The load in progress to which this request belongs: this request itself, or a chain that
  /// includes it. nil if this request does not belong to a load.
  var load: Request? {
    loader.record.loads.first { $0.request.includes(self) }?.request
  }

  override package func begin() {
    noteBegin()
    // The channel retains the request while it is in flight, even if no other object does.
    awaitCondition(pump.completion(self))
  }

  // MARK: Condition

  /// If the caches are being read, waits a short time until the data from the caches is in the
  /// resource, because the request may then be conditional. (CACHE-39)
  private func awaitCondition(_ channel: NetworkCompletion) {
    guard http.headers.awaitsCondition, let lookup = loader.record.lookup else {
      return takeTurn(channel)
    }
    let timer = pump.clock.schedule(after: NetworkRequest.patienceWithDisks) { [weak self] in
      self?.stopAwaitingCondition()
    }
    stage = .awaitingCondition(channel, timer)
    lookup.onCompletion { [weak self] _ in self?.stopAwaitingCondition() }
  }

  /// The maximum time that a request waits for caches on disk, in seconds.
  private static let patienceWithDisks = 0.05

  private func stopAwaitingCondition() {
    guard case .awaitingCondition(let channel, let timer) = stage else { return }
    timer.cancel()
    takeTurn(channel)
  }

  // MARK: Turn

  /// If the load shares a cache with other users, waits until it may send its request, or until
  /// another user has loaded an entity that can be used instead. (SCA-20)
  private func takeTurn(_ channel: NetworkCompletion) {
    guard manner != .alone, load != nil, isRead, download == nil,
      !loader.service.isOffline,
      let shared = SharedFetch(of: loader, isHeldUp: { [weak self] in self?.isHeldUp ?? false })
    else { return send(channel) }
    self.shared = shared
    guard manner == .byTurns else {
      shared.announce()
      return send(channel)
    }
    stage = .awaitingTurn(channel)
    let condition = loader.condition
    shared.begin(within: http.limits.timeout) { [weak self] answer in
      guard let self, case .awaitingTurn(let channel) = stage else { return }
      switch answer {
      case .fetch:
        replace(condition)
        send(channel)
      case .found(let entity, let isNew):
        pump.log(.cache, "\(displayName): another process has loaded it")
        stage = .idle
        pump.discard(channel)
        notes.found = entity
        notes.isInCaches = true
        complete(with: .success(entity, isNew: isNew))
      }
    }
  }

  /// If the resource has got new data, replaces the condition of the request by the condition for
  /// the new data. A condition that a mutation has changed is kept. If the new data has no
  /// validator, the condition is removed, because a 304 would refer to data that is gone.
  private func replace(_ condition: ResourceState.Condition?) {
    let newer = loader.condition
    guard let condition, newer != condition,
      http.headers.bytes(condition.name).map({ ByteString($0) }) == condition.value
    else { return }
    http.headers.remove(condition.name)
    if let newer { http.headers.set(newer.name, bytes: newer.value.bytes) }
  }

  /// Whether the request waits for limits, credentials or its next attempt. During that time, other
  /// users of the cache need not wait for the load. (SCA-30)
  private var isHeldUp: Bool { exchange?.isWaiting ?? false }

  // MARK: Network

  private func send(_ channel: NetworkCompletion) {
    stage = .sending(channel, nil)
    if http.headers.awaitsCondition {
      http.headers.settle(loader.condition.map { ($0.name, $0.value) })
    }
    pump.log(.networkDetails, "\(displayName), request:\(LogText.dump(http))")
    guard !loader.service.isOffline else {
      return channel(NetworkResult(error: .offline("Offline: \(displayName) was not sent")))
    }
    if let environment = loader.service.environment,
      environment.needsConfirmation(isSafe: http.isSafe)
    {
      return channel(NetworkResult(error: environment.refusal(http.method, http.url)))
    }
    guard policies == nil, download == nil, http.persistedQueries == nil else {
      return sendByPolicies(channel)
    }
    sentPlace = pump.nextPlace()
    route = .direct
    let transfer = loader.service.networking.startRequest(http, completion: channel)
    // The networking may be a script that has cancelled this request inside the call.
    guard case .sending = stage else { return transfer.cancel() }
    stage = .sending(channel, transfer)
  }

  private func sendByPolicies(_ channel: NetworkCompletion) {
    let exchange = PolicyExchange(
      http, policies: policies,
      queue: policies.flatMap { loader.service.limitQueue($0.rules, for: loader) },
      networking: loader.service.networking, pump: pump, owner: loader.service)
    exchange.onPersistedQueriesRefused = { [unowned service = loader.service] in
      service.refusesPersistedQueries = true
    }
    route = .policies(exchange)
    stage = .sending(channel, exchange)
    exchange.begin(completion: channel)
  }

  // MARK: Response

  package func receive(_ report: ArrivedResult) {
    let report = report.read(by: http.options)
    guard case .sending(_, let transfer) = stage else { return }
    stage = .idle
    // The transfer holds the script values in the response until the request does, so it must not
    // be released before.
    defer { withExtendedLifetime(transfer) {} }
    note(report)
    if let body = report.body { pump.host?.bodyArrived(byteCount: body.count) }
    if let place = exchange?.sentPlace, place > 0 { sentPlace = place }
    if http.method == .head || !http.isSafe { notes.answeredPlace = pump.nextPlace() }
    let now = pump.clock.now
    notes.forbidsStoring =
      CacheControl.forbidsStoring(http.headers.lines)
      || CacheControl.forbidsStoring(report.response?.headers ?? Headers())
    defer { download?.close() }
    if let download, download.isFinished, let response = report.response {
      let answer = Response.success(entity(of: download, response, now: now))
      invalidateIfChanged(by: answer)
      return complete(with: answer)
    }
    // A 304 confirms only the answer to the query that was sent. (QUERY-12)
    let isAboutData = download == nil && (loader.record.query == nil || isRead)
    let existing = isAboutData ? loader.record.state.latestData : nil
    let interpretation = ResponseInterpretation(
      report, existing: existing, isConditional: sentCondition != nil,
      now: now, forbidsStoring: notes.forbidsStoring)
    switch interpretation {
    case .notModified(let entity): complete(with: notModified(entity, report.response))
    case .response(let answer): take(advised(withoutCredentials(answer)), now: now)
    }
  }

  private func take(_ response: Response, now: Double) {
    if !response.isSuccess { pump.host?.hold(response, for: self) }
    log(response)
    invalidateIfChanged(by: response)
    if isEventStream(response) {
      complete(with: labelled(.failure(eventStreamFailure(response, now: now))))
    } else if http.options?.sink?.isRaw ?? false, response.isSuccess {
      complete(with: response)
    } else {
      process(labelled(response), now: now)
    }
  }

  // MARK: Pipeline

  private func process(_ response: Response, now: Double) {
    // The pipeline is that of the configuration at the time when the response arrives (CFG-18). If
    // a configuration block has failed, the pipeline is incomplete and must not be used.
    let configuration = loader.resolvedConfiguration(for: http.configuredMethod)
    if let failure = configuration.failure {
      return complete(with: labelled(.failure(failure.dated(now))))
    }
    // Responses to other methods are never cached. (CACHE-29)
    let caches = isRead ? configuration.caches : []
    let isPart = response.entity?.exchange?.status == 206
    let response =
      !caches.isEmpty || configuration.expirationTime == .http || isPart
      ? ofVariant(response, isPart: isPart) : response
    guard !configuration.steps.isEmpty || !caches.isEmpty else { return complete(with: response) }
    let run = PipelineRun(
      configuration.steps, marks: caches.map(\.stepCount), response: response, request: self,
      method: http.method, now: now
    ) { [unowned(unsafe) self] response in
      // An `unsafe` reference is sufficient, because the run retains its request.
      if case .processing(let run) = stage {
        notes.isInCaches = loader.writeCaches(caches, of: run, response)
      }
      stage = .idle
      complete(with: labelled(response))
    }
    stage = .processing(run)
    run.begin()
  }

  // MARK: End

  override package func stopWork() {
    shared?.end(.cancelled)
    let stage = stage
    self.stage = .idle
    switch stage {
    case .idle: break
    case .awaitingCondition(let channel, let timer):
      timer.cancel()
      pump.discard(channel)
    case .awaitingTurn(let channel): pump.discard(channel)
    case .sending(let channel, let transfer):
      pump.discard(channel)
      transfer?.cancel()
    case .processing(let run): run.abandon()
    }
    download?.close()
  }

  /// Reports the exchange to observers. If the load shares a cache with other users, also ends the
  /// turn of the load: other users can now read the data that the load has written, or that a 304
  /// has refreshed.
  override package func didDeliver() {
    reportExchange()
    guard let shared else { return }
    self.shared = nil
    let isNew = response.map { $0.isSuccess && $0.isNew } ?? false
    // After a 304, the caches are updated at the end of the load. The load may be another request,
    // if a decorator has wrapped this one.
    guard !isNew, response?.isSuccess ?? false, let load, load !== self else {
      return shared.end(isNew ? .succeeded : .failed)
    }
    load.onCompletion { _ in shared.end(.failed) }
  }

  // MARK: Progress

  override package var progressReportingInterval: Double {
    loader.resolvedConfiguration(for: http.configuredMethod).settings.progressReportingInterval
  }

  override package var currentProgress: Double {
    // The response has arrived and is passing the pipeline (PRG-27).
    if case .processing = stage { return 1 }
    guard let transfer else { return 0 }
    // There is no progress while the request waits to be sent.
    if let exchange, exchange.attempts.isEmpty { return 0 }
    let model = progressModel ?? ProgressModel()
    progressModel = model
    return model.progress.poll(
      transfer.transferMetrics, isGet: isRead, now: pump.clock.now)
  }

  /// The estimate of a request's progress. It is a separate object, created when it is needed,
  /// because the progress of most requests is never read.
  private final class ProgressModel {
    var progress = RequestProgress()
  }
}

/// Information that a request records about its response, in addition to the response itself, for
/// caches and for the state of the resource.
struct AnswerNotes {
  /// The data that another user of a cache has loaded and that is used as the response; nil if the
  /// request was sent.
  var found: Entity?
  /// Whether the request or its response, even a 304, has `Cache-Control: no-store`.
  var forbidsStoring = false
  /// The changes that the headers of a 304 make to the data; nil if the headers are not used.
  var refreshment: Refreshment?
  /// Whether the response has been written to the caches that accept the response, but is not yet
  /// the data of the resource.
  var isInCaches = false
  /// The position at which the response arrived, in the common order of sent requests and received
  /// responses. nil unless the request is unsafe or HEAD.
  var answeredPlace: UInt64?
}

/// Functions that process a response before the pipeline, and add method, URL and attempts to
/// errors.
extension NetworkRequest {
  /// The condition that was sent, set by Lull or by a mutation; nil if the request was
  /// unconditional.
  var sentCondition: ResourceState.Condition? {
    for name in ["if-none-match", "if-modified-since"] {
      if let value = http.headers.bytes(name) {
        return ResourceState.Condition(name, ByteString(value))
      }
    }
    return nil
  }

  /// Returns the response for a 304: the existing data, updated with the headers of the 304 if the
  /// configuration uses them.
  func notModified(_ entity: Entity, _ response: HTTPResponse?) -> Response {
    var entity = entity
    // Freshness headers of responses are used only if the expiration time is `.http`.
    if let headers = response?.headers, loader.resolvedConfiguration.expirationTime == .http {
      let refreshment = Refreshment(headers, to: http.headers.lines)
      entity.refresh(by: refreshment)
      if notes.forbidsStoring { entity.exchange?.forbidsStoring = true }
      notes.refreshment = refreshment
    }
    return .success(entity, isNew: false)
  }

  func log(_ response: Response) {
    guard !pump.log.isSilent else { return }
    switch response.outcome {
    case .success(let entity):
      pump.log(.networkDetails, "\(displayName), response:\(LogText.dump(entity))")
    case .failure(let error):
      pump.log(.networkDetails, "\(displayName), error:\(LogText.dump(error))")
    }
  }

  /// After a successful unsafe request, marks these URLs and their queries as stale: the URL of the
  /// request, and the URLs in `Location` and `Content-Location` if they have the same origin.
  /// (AGE-07, QUERY-20; RFC 9111, section 4.4) If the request is a load, its response is the data.
  func invalidateIfChanged(by response: Response) {
    guard let place = notes.answeredPlace, response.isSuccess, let entity = response.entity
    else { return }
    if http.method == .head {
      // The answer to a query is not that to HEAD.
      guard loader.record.query == nil else { return }
      let known = loader.record.state.latestData
      if let known, known.isOutdated(by: entity) { loader.expire(at: place, isLoad: false) }
      return
    }
    guard loader.resolvedConfiguration(for: http.method).writesInvalidate else { return }
    loader.expire(at: place, isLoad: load != nil)
    if loader.record.query == nil { loader.expireQueries(at: place) }
    for url in otherURLs(of: entity) {
      let other = loader.service.resource(at: url)
      other.expire(at: place, isLoad: false)
      other.expireQueries(at: place, except: loader.record)
    }
  }

  /// Returns the URLs, other than the URL of the resource, to which the response applies: the URL
  /// after mutations, the URL after redirects, and the URLs in the headers `Location` and
  /// `Content-Location`.
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
      guard url.origin == origin, !urls.contains(url) else { continue }
      // An unsafe request of a query changes its URL too.
      guard url != loader.url || loader.record.query != nil else { continue }
      urls.append(url)
    }
    // With caches, all URLs are returned, because the caches may have entries for resources that
    // are not in memory. Without caches, only resources in memory can become stale.
    guard loader.resolvedConfiguration.caches.isEmpty else { return urls }
    return urls.filter { loader.service.knows($0) }
  }

  /// Returns whether the response to an ordinary request is an event stream, which an ordinary
  /// request can't read. (STR-25)
  func isEventStream(_ response: Response) -> Bool {
    guard isRead, http.options?.sink == nil, let entity = response.entity,
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

  /// Returns the entity of a finished download. Its content is the path of the file. The pipeline
  /// does not process it. (DWN-02)
  func entity(of download: Download, _ response: HTTPResponse, now: Double) -> Entity {
    var exchange = Exchange(response)
    exchange.url = exchange.url.map(http.withoutCredentials)
    exchange.forbidsStoring = notes.forbidsStoring
    let path = download.path?.bytes ?? []
    let content = String(validating: path, as: UTF8.self).map { Content.text($0) } ?? .bytes(path)
    return Entity(content: content, headers: response.headers, timestamp: now, exchange: exchange)
  }

  /// Returns the response together with a record of the request headers that the response depends
  /// on. Caches need this record. (RFC 9111, section 4.1)
  func ofVariant(_ response: Response, isPart: Bool) -> Response {
    guard case .success(var entity) = response.outcome, entity.exchange != nil,
      let variant = Variant(of: entity.headers, to: http.headers.lines, isPart: isPart)
    else { return response }
    entity.exchange?.variant = variant
    return Response(.success(entity), isNew: response.isNew)
  }

  /// Returns the response with URLs from which the credentials in the query were removed.
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

  /// If the response shows that the server does not support QUERY or the content type of the query,
  /// adds an advice to the message. (QUERY-07, QUERY-72)
  private func advised(_ response: Response) -> Response {
    guard http.method == .query, case .failure(var error) = response.outcome,
      let advice = error.adviceForQuery
    else { return response }
    error.userMessage += ": \(advice)"
    return Response(.failure(error), isNew: response.isNew)
  }

  /// If the response is a failure without a URL, returns it with the method, URL and attempts of
  /// this request.
  func labelled(_ response: Response) -> Response {
    guard case .failure(var error) = response.outcome, error.url == nil else { return response }
    error.method = http.method
    error.url = urlWithoutCredentials
    error.isSafe = http.isDeclaredSafe
    error.attempt = attempt
    error.attempts = attempts
    return Response(.failure(error), isNew: response.isNew)
  }
}

/// Reports to exchange observers about a request that has ended.
extension NetworkRequest {
  /// Values for exchange observers. They are recorded when the request starts and when the response
  /// arrives, and are reported when the request ends. (HOME-161)
  struct ExchangeNote {
    /// The time of the start, by the clock's `uptime`; NaN if it was not recorded.
    let began: Double
    var status: Int?
    var responseBytes = 0
    var timings: TransferTimings?
  }

  func noteBegin() {
    guard !pump.exchangeObservers.isEmpty else { return }
    exchangeNote = ExchangeNote(began: pump.clock.uptime)
  }

  func note(_ report: ArrivedResult) {
    guard !pump.exchangeObservers.isEmpty else { return }
    var note = exchangeNote ?? ExchangeNote(began: .nan)
    note.status = report.response?.status
    note.responseBytes = report.body?.count ?? 0
    note.timings = report.response?.timings
    exchangeNote = note
  }

  func reportExchange() {
    guard !pump.exchangeObservers.isEmpty, let response else { return }
    let note = exchangeNote
    exchangeNote = nil
    let sent = attempts.count
    pump.tell(
      ExchangeEvent(
        service: loader.service.name, method: http.method,
        url: LogText.url(http.url), status: note?.status,
        attempts: sent > 0 ? sent : wasSentDirectly ? 1 : 0,
        source: notes.found == nil ? .network : .cache,
        requestBytes: http.payload?.byteCount, responseBytes: note?.responseBytes ?? 0,
        timestamp: pump.clock.now,
        elapsed: note.flatMap { $0.began.isNaN ? nil : pump.clock.uptime - $0.began },
        timings: note?.timings, errorKind: response.error.map { $0.cause?.kind ?? "status" }))
  }
}

extension Pump {
  /// Reports to exchange observers that a resource got its data from a cache, without a request.
  func reportCacheHit(_ resource: Resource, _ entity: Entity) {
    guard !exchangeObservers.isEmpty else { return }
    tell(
      ExchangeEvent(
        service: resource.service.name, method: resource.readMethod,
        url: LogText.url(resource.url.text), status: entity.exchange?.status, attempts: 0,
        source: .cache, requestBytes: nil, responseBytes: entity.size, timestamp: clock.now,
        elapsed: nil, timings: nil, errorKind: nil))
  }
}
