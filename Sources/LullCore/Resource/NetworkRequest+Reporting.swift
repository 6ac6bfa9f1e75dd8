/// What is reported of a request that has ended.
extension NetworkRequest {
  /// What only the answer tells, kept until the request ends; nil while nobody listens. (HOME-161)
  struct ExchangeNote {
    /// By the clock's `uptime`.
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
        service: loader.owner.name, method: http.method,
        url: LogText.url(http.url), status: note?.status,
        attempts: sent > 0 ? sent : wasSent ? 1 : 0, source: found == nil ? .network : .cache,
        requestBytes: http.payload?.byteCount, responseBytes: note?.responseBytes ?? 0,
        timestamp: pump.clock.now,
        elapsed: note.flatMap { $0.began.isNaN ? nil : pump.clock.uptime - $0.began },
        timings: note?.timings, errorKind: response.error.map { $0.cause?.kind ?? "status" }))
  }
}

extension Pump {
  /// Data of a resource has come from a cache, and nothing was sent.
  func reportCacheHit(_ resource: Resource, _ entity: Entity) {
    guard !exchangeObservers.isEmpty else { return }
    tell(
      ExchangeEvent(
        service: resource.owner.name, method: .get,
        url: LogText.url(resource.url.text), status: entity.exchange?.status, attempts: 0,
        source: .cache, requestBytes: nil, responseBytes: entity.size, timestamp: clock.now,
        elapsed: nil, timings: nil, errorKind: nil))
  }
}
