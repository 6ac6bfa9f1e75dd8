import LullCore

/// The rules of a resource's state once more, as plainly as they can be said: one resource, at most one
/// cache that answers at once, one observer at most. What the real one does is held against this.
///
/// Written from the rules, not from the code.
final class ResourceModel {
  let hasCache: Bool
  let isObserved: Bool
  private(set) var now: Double
  private(set) var data: Data?
  private(set) var error: Failure?
  private(set) var isInvalidated = false
  private(set) var cached: Data?
  /// As of when what is cached is stale, if it is not newer. (AGE-07, INV-59)
  private var staleAt: Double?
  private(set) var loads: [Call] = []
  private(set) var requests: [Call] = []
  private(set) var events: [String] = []
  /// What the network is asked, with the validator each request carries.
  private(set) var sent: [(call: Call, etag: String?)] = []
  private var started: [Load] = []
  private var moment = 0
  /// When the latest-sent load was sent that has succeeded, and that is in the cache. (STA-11)
  private var succeededAt = 0
  private var cachedAt = 0
  /// When the answer to an unsafe request that is a load came last.
  private var writtenAt = 0
  /// When the resource was invalidated or written to last.
  private var expiredAt = 0
  private var check = CheckState.idle
  private var arriving: [() -> Void] = []
  private var deferred: [() -> Void] = []

  init(hasCache: Bool, isObserved: Bool, cached: Data?, now: Double) {
    self.hasCache = hasCache
    self.isObserved = isObserved
    self.cached = cached
    self.now = now
    if isObserved { look() }
  }

  func takeEvents() -> [String] {
    defer { events = [] }
    return events
  }

  // MARK: What users do

  func pass(seconds: Double) { now += seconds }

  func request(isGet: Bool) -> Call { send(Call(isGet: isGet), etag: nil) }

  @discardableResult
  func load() -> Call {
    look()
    let call = send(Call(), etag: data.flatMap { $0.validatorsHold ? $0.etag : nil })
    adopt(call)
    return call
  }

  func loadIfNeeded() -> Call? {
    if let running = loads.first { return running }
    if isUpToDate { return nil }
    guard case .running(let found) = check else { return load() }
    let composite = Call(isComposite: true)
    loads.append(composite)
    found.hooks.append { [unowned self] in decide(composite, found) }
    return composite
  }

  func load(using call: Call) {
    guard !(call.isAdopted && loads.contains { $0 === call }) else { return }
    adopt(call)
  }

  func override(_ data: Data) {
    self.data = data
    error = nil
    isInvalidated = false
    overridden()
  }

  func override(content text: String) {
    data = Data(text: text, etag: data?.etag, timestamp: now, validatorsHold: false)
    error = nil
    isInvalidated = false
    overridden()
  }

  private func overridden() {
    endCheck()
    removeCached()
    tell("newData(localOverride)")
  }

  func invalidate() { invalidate(at: nextMoment()) }

  private func invalidate(at moment: Int) {
    isInvalidated = true
    for load in started { load.wasInvalidatedMeanwhile = true }
    expire(at: moment)
  }

  private func expire(at moment: Int) {
    expiredAt = max(expiredAt, moment)
    markCached(asOf: now)
  }

  private func markCached(asOf time: Double) {
    guard hasCache, cached != nil else { return }
    staleAt = max(staleAt ?? time, time)
  }

  private func keep(_ data: Data, of call: Call) {
    cached = data
    if let mark = staleAt, mark <= data.timestamp { staleAt = nil }
    if call.sentAt < expiredAt { markCached(asOf: data.timestamp) }
  }

  private func removeCached() {
    cached = nil
    staleAt = nil
  }

  func wipe() {
    let running = requests + loads
    requests = []
    loads = []
    data = nil
    error = nil
    isInvalidated = false
    for load in started { load.isForgotten = true }
    check = .idle
    for call in running { cancel(call) }
    tell("newData(wipe)")
    if isObserved { look() }
  }

  func cancel(_ call: Call) {
    guard call.outcome == nil else { return }
    call.outcome = .cancelled
    requests.removeAll { $0 === call }
    removeLoad(call)
    if call.isComposite {
      // What the cache has answered is dropped. (CACHE-35)
      if call.passedTo == nil, case .running = check { check = .over }
      if let next = call.passedTo {
        next.waiting -= 1
        if next.waiting == 0 { cancel(next) }
      }
    }
    deferred.append { [unowned self] in deliver(call) }
  }

  // MARK: What the network does

  /// The answer is there; it is looked at on the next turn.
  func answer(_ call: Call, _ answer: Answer) {
    arriving.append { [unowned self] in arrived(call, answer) }
  }

  func turn() {
    let arrived = arriving
    arriving = []
    for action in arrived { action() }
    let phase = deferred
    deferred = []
    for action in phase { action() }
  }

  var isQuiet: Bool { arriving.isEmpty && deferred.isEmpty }

  private func arrived(_ call: Call, _ answer: Answer) {
    guard call.outcome == nil else { return }
    if !call.isGet { call.answeredAt = nextMoment() }
    switch answer {
    case .failure(let text): call.outcome = .failure(Failure(text: text, timestamp: now))
    case .notModified:
      // NM-01, NM-02
      if let data {
        call.outcome = .success(data, isNew: false)
      } else {
        call.outcome = .failure(Failure(text: "No data available", timestamp: now))
      }
    case .data(let text, let etag):
      let data = Data(text: text, etag: etag, timestamp: now)
      call.outcome = .success(data, isNew: true)
      if let moment = call.answeredAt {
        // Of a load the answer is the data.
        if loads.contains(where: { $0 === call }) {
          expire(at: moment)
        } else {
          invalidate(at: moment)
        }
      }
      cache(data, of: call)
    }
    deferred.append { [unowned self] in deliver(call) }
  }

  /// CACHE-14, CACHE-29
  private func cache(_ data: Data, of call: Call) {
    guard hasCache, call.isGet, let load = roles[ObjectIdentifier(call)]?.last,
      loads.contains(where: { $0 === call })
    else { return }
    call.isInCache = true
    guard call.sentAt >= max(succeededAt, cachedAt, writtenAt), !load.isForgotten else { return }
    cachedAt = call.sentAt
    keep(data, of: call)
  }

  // MARK: How loads end

  private var roles: [ObjectIdentifier: [Load]] = [:]

  private func nextMoment() -> Int {
    moment += 1
    return moment
  }

  private func send(_ call: Call, etag: String?) -> Call {
    call.sentAt = nextMoment()
    requests.append(call)
    sent.append((call, etag))
    return call
  }

  private func adopt(_ call: Call) {
    let load = Load()
    started.append(load)
    roles[ObjectIdentifier(call), default: []].append(load)
    if call.outcome != .cancelled { loads.append(call) }
    if !call.isDelivered { call.isAdopted = true }
    let hook = { [unowned self, unowned call] in
      removeLoad(call)
      ended(load, call)
    }
    if call.isDelivered { deferred.append(hook) } else { call.hooks.append(hook) }
    tell("requested")
  }

  private func deliver(_ call: Call) {
    call.isDelivered = true
    call.isAdopted = false
    requests.removeAll { $0 === call }
    if !call.isComposite { removeLoad(call) }
    if call.isComposite, loads.contains(where: { $0 === call }), let outcome = call.outcome {
      removeLoad(call)
      if case .success = outcome { tell("notModified") } else { tell("error") }
    }
    let hooks = call.hooks
    call.hooks = []
    for hook in hooks { hook() }
  }

  private func removeLoad(_ call: Call) {
    if let index = loads.firstIndex(where: { $0 === call }) { loads.remove(at: index) }
  }

  private func ended(_ load: Load, _ call: Call) {
    let event = effect(of: load, call)
    endCheck()
    // What was written was written once; who is made a load again brings older data.
    let isInCache = call.isInCache
    call.isInCache = false
    if case .applied(let name) = event {
      if name == "newData(network)", !isInCache { removeCached() }
      if name == "notModified", call.isGet, let data, var known = cached {
        known.timestamp = data.timestamp
        keep(known, of: call)
      }
    }
    tell(event.name)
  }

  private enum Effect {
    case applied(String)
    case only(String)

    var name: String {
      switch self {
      case .applied(let name), .only(let name): name
      }
    }
  }

  private func effect(of load: Load, _ call: Call) -> Effect {
    guard let outcome = call.outcome, outcome != .cancelled, !load.isForgotten else {
      return .only("requestCancelled")
    }
    if (call.answeredAt ?? call.sentAt) < succeededAt { return .only("notModified") }
    if !load.wasInvalidatedMeanwhile { isInvalidated = false }
    guard case .success(let found, let isNew) = outcome else {
      if case .failure(let failure) = outcome { error = failure }
      return .applied("error")
    }
    succeededAt = max(succeededAt, call.sentAt)
    if let answeredAt = call.answeredAt {
      writtenAt = max(writtenAt, answeredAt)
    } else if call.sentAt < writtenAt {
      isInvalidated = true
    }
    error = nil
    if isNew {
      data = found
      return .applied("newData(network)")
    }
    data?.timestamp = now
    return .applied("notModified")
  }

  // MARK: Ages

  private var isUpToDate: Bool {
    look()
    guard !isInvalidated, data != nil || error != nil else { return false }
    let newest = max(data?.timestamp ?? 0, error?.timestamp ?? 0)
    return now - newest <= (error == nil ? 30 : 1)
  }

  // MARK: The cache

  /// The first look at a resource without data is into the cache. (CACHE-04)
  private func look() {
    guard hasCache, case .idle = check else { return }
    guard data == nil else { return check = .over }
    let found = Check(cached, staleAt: staleAt)
    check = .running(found)
    deferred.append { [unowned self] in checked(found) }
  }

  private func checked(_ found: Check) {
    if case .running(let running) = check, running === found {
      check = .over
      if let hit = found.found, data == nil {
        data = hit
        if found.isOutdated { isInvalidated = true }
        error = nil
        found.hasBroughtData = true
        tell("newData(cache)")
      }
    }
    for hook in found.hooks { hook() }
  }

  /// Data came another way. (CACHE-03, CACHE-34)
  private func endCheck() {
    if case .running = check, data != nil { check = .over }
  }

  private func decide(_ composite: Call, _ found: Check) {
    guard composite.outcome == nil else { return }
    if isUpToDate {
      if let data {
        composite.outcome = .success(data, isNew: found.hasBroughtData)
      } else if let error {
        composite.outcome = .failure(error)
      }
      return deferred.append { [unowned self] in deliver(composite) }
    }
    removeLoad(composite)
    let next = loads.first ?? load()
    composite.passedTo = next
    next.waiting += 1
    let follow = { [unowned self, unowned composite, unowned next] in
      next.waiting -= 1
      guard composite.outcome == nil else { return }
      composite.outcome = next.outcome
      deferred.append { [unowned self] in deliver(composite) }
    }
    if next.isDelivered { deferred.append(follow) } else { next.hooks.append(follow) }
  }

  // MARK: The observer

  private func tell(_ event: String) {
    guard isObserved else { return }
    var line = event
    if !loads.isEmpty { line += " L" }
    look()
    if data != nil { line += " D" }
    if error != nil { line += " E" }
    events.append(line)
  }
}
