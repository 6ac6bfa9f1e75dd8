import LullCore
import LullTestSupport
import LullTesting

/// A random sequence of what users and the network do to one resource, and to the model of it; what the
/// two have come to is compared after each step.
final class RandomSequence {
  private var random: SeededGenerator
  private let clock: ManualClock
  private let pump: Pump
  private let network: HeldNetwork
  private let cache: SpyCache
  private let resource: Resource
  private let recorder: EventRecorder?
  private let model: ResourceModel
  /// What both know under one number, in order of creation.
  private var pairs: [(real: Request, model: ResourceModel.Call)] = []
  private var answered: Set<Int> = []
  private var textCount = 0
  private(set) var steps: [String] = []

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let clock = ManualClock()
    let cache = SpyCache()
    let network = HeldNetwork()
    let pump = Pump(clock: clock)
    let (hasCache, isObserved) = (!random.chance(3), !random.chance(3))
    var cached: ResourceModel.Data?
    if hasCache, random.chance(2) {
      cached = ResourceModel.Data(
        text: "cached", etag: "cached", timestamp: clock.now - Double(1 + 20 * random.below(3)))
    }
    let service = Service(
      baseURL: "https://api.test", standardTransformers: [], networking: network, pump: pump)
    if hasCache {
      service.configure { $0.pipeline[.model].cacheUsing(cache) }
      if let cached {
        cache.entries["model a"] = RandomSequence.entity(cached.text, cached.etag, cached.timestamp)
      }
    }
    let resource = service.resource("/a")
    recorder = isObserved ? resource.recorded() : nil
    self.random = random
    self.clock = clock
    self.cache = cache
    self.network = network
    self.pump = pump
    self.resource = resource
    model = ResourceModel(
      hasCache: hasCache, isObserved: isObserved, cached: cached, now: clock.now)
    steps = ["cache \(hasCache ? cached.map { "from \($0.timestamp)" } ?? "empty" : "none")"]
  }

  private static func entity(_ text: String, _ etag: String?, _ timestamp: Double) -> Entity {
    Entity(
      content: .bytes(Array(text.utf8)), headers: Headers(etag.map { [("ETag", $0)] } ?? []),
      timestamp: timestamp)
  }

  /// Does so many steps; the first difference between the two, nil if there is none.
  func run(stepCount: Int) -> String? {
    for _ in 0..<stepCount {
      step()
      if let difference { return difference }
    }
    while pump.hasWork || !model.isQuiet {
      turn()
      if let difference { return difference }
    }
    return nil
  }

  /// Nothing is in flight any more.
  func finish() {
    resource.wipe()
    while pump.hasWork { pump.turn() }
  }

  // MARK: Steps

  private func step() {
    switch random.below(100) {
    case 0..<12: load()
    case 12..<26: loadIfNeeded()
    case 26..<34: request(isGet: true)
    case 34..<37: request(isGet: false)
    case 37..<44: loadUsing()
    case 44..<48: override()
    case 48..<51: overrideContent()
    case 51..<55: wipe()
    case 55..<59: invalidate()
    case 59..<63: cancel()
    case 63..<67: pass()
    case 67..<82: answer()
    default: turn()
    }
  }

  private func note(_ step: String) { steps.append(step) }

  private func add(_ real: Request, _ call: ResourceModel.Call) -> Int {
    if let known = pairs.firstIndex(where: { $0.real === real }) {
      if pairs[known].model !== call { mismatch = "request \(known) should be another one" }
      return known
    }
    pairs.append((real, call))
    return pairs.count - 1
  }

  private func load() {
    note("load \(add(resource.load(), model.load()))")
  }

  private func loadIfNeeded() {
    switch (resource.loadIfNeeded(), model.loadIfNeeded()) {
    case (let real?, let call?): note("load_if_needed \(add(real, call))")
    case (nil, nil): note("load_if_needed: nothing")
    case (let real, _):
      note("load_if_needed")
      mismatch = "load_if_needed gave \(real == nil ? "nothing" : "a request")"
    }
  }

  private func request(isGet: Bool) {
    let method = isGet ? RequestMethod.get : .post
    note("\(method) \(add(resource.request(method), model.request(isGet: isGet)))")
  }

  private func loadUsing() {
    let plain = pairs.indices.filter { !pairs[$0].model.isComposite }[...]
    // Mostly one of the latest.
    let candidates = random.chance(3) ? plain : plain.suffix(3)
    guard let index = random.pick(Array(candidates)) else { return }
    note("load_using \(index)")
    resource.load(using: pairs[index].real)
    model.load(using: pairs[index].model)
  }

  private func override() {
    let text = newText("own")
    let etag = random.chance(2) ? text : nil
    let timestamp = clock.now - Double(random.below(40))
    note("override \(text), \(etag == nil ? "no etag" : "etag"), from \(timestamp)")
    resource.overrideLocalData(with: RandomSequence.entity(text, etag, timestamp))
    model.override(ResourceModel.Data(text: text, etag: etag, timestamp: timestamp))
  }

  private func overrideContent() {
    let text = newText("content")
    note("override content \(text)")
    resource.overrideLocalContent(with: .bytes(Array(text.utf8)))
    model.override(content: text)
  }

  private func wipe() {
    note("wipe")
    resource.wipe()
    model.wipe()
  }

  private func invalidate() {
    note("invalidate")
    resource.invalidate()
    model.invalidate()
  }

  private func cancel() {
    guard !pairs.isEmpty else { return }
    let index = random.chance(2) ? random.below(pairs.count) : pairs.count - 1
    note("cancel \(index)")
    pairs[index].real.cancel()
    model.cancel(pairs[index].model)
  }

  private func pass() {
    let seconds = [0.5, 5, 29, 40][random.below(4)]
    note("\(seconds) s pass")
    clock.advance(by: seconds)
    model.pass(seconds: seconds)
  }

  private func turn() {
    note("turn")
    pump.turn()
    model.turn()
  }

  private func answer() {
    let open = model.sent.indices.filter { !answered.contains($0) && $0 < network.held.count }
    guard let index = random.pick(Array(open)) else { return }
    answered.insert(index)
    let call = model.sent[index].call
    switch random.below(8) {
    case 0..<4:
      let text = newText("data")
      let etag = random.chance(3) ? nil : text
      note("answer \(index): 200 \(text)\(etag == nil ? "" : " with etag")")
      network.answer(index, 200, text, etag)
      model.answer(call, .data(text: text, etag: etag))
    case 4, 5:
      note("answer \(index): 304")
      network.answer(index, 304, nil, nil)
      model.answer(call, .notModified)
    case 6:
      note("answer \(index): 404")
      network.answer(index, 404, "none", nil)
      model.answer(call, .failure(text: "Not found"))
    default:
      let text = newText("failure")
      note("answer \(index): \(text)")
      network.fail(index, text)
      model.answer(call, .failure(text: text))
    }
  }

  private func newText(_ kind: String) -> String {
    textCount += 1
    return "\(kind) \(textCount)"
  }

  // MARK: Comparing

  private var mismatch: String?

  /// How the resource differs from the model.
  private var difference: String? {
    if let mismatch { return mismatch }
    let state = resource.record.state
    var rows: [(String, String, String)] = [
      ("data", RandomSequence.shown(state.latestData), RandomSequence.shown(model.data)),
      (
        "error", state.latestError.map { "\($0.userMessage), \($0.timestamp)" } ?? "nil",
        model.error.map { "\($0.text), \($0.timestamp)" } ?? "nil"
      ),
      ("invalidated", "\(state.isInvalidated)", "\(model.isInvalidated)"),
      ("loads", "\(resource.loadRequests.count)", "\(model.loads.count)"),
      ("requests", "\(resource.allRequests.count)", "\(model.requests.count)"),
      ("sent", "\(network.validators)", "\(model.sent.map { $0.etag ?? "none" })"),
      (
        "cached", RandomSequence.shown(cache.entries["model a"]), RandomSequence.shown(model.cached)
      ),
      ("events", "\(recorder?.take() ?? [])", "\(model.takeEvents())"),
    ]
    for (index, pair) in pairs.enumerated() {
      rows.append(
        (
          "request \(index)", RandomSequence.shown(pair.real.response),
          RandomSequence.shown(pair.model.outcome)
        ))
    }
    guard let (name, real, expected) = rows.first(where: { $0.1 != $0.2 }) else { return nil }
    return "\(name): \(real), but should be \(expected)"
  }

  private static func shown(_ entity: Entity?) -> String {
    guard let entity, case .bytes(let bytes) = entity.content else { return "nil" }
    return "\(String(decoding: bytes, as: UTF8.self)), \(entity.timestamp)"
  }

  private static func shown(_ data: ResourceModel.Data?) -> String {
    data.map { "\($0.text), \($0.timestamp)" } ?? "nil"
  }

  private static func shown(_ response: Response?) -> String {
    switch response?.outcome {
    case nil: "nil"
    case .success(let entity)?: "\(shown(entity)), new \(response?.isNew == true)"
    case .failure(let error)?:
      response?.isCancellation == true ? "cancelled" : "\(error.userMessage), \(error.timestamp)"
    }
  }

  private static func shown(_ outcome: ResourceModel.Outcome?) -> String {
    switch outcome {
    case nil: "nil"
    case .success(let data, let isNew)?: "\(shown(data)), new \(isNew)"
    case .failure(let failure)?: "\(failure.text), \(failure.timestamp)"
    case .cancelled?: "cancelled"
    }
  }
}

/// A network that answers when and what it is told.
private final class HeldNetwork: NetworkingProvider {
  private(set) var held: [NetworkCompletion] = []
  /// What each request says it has.
  private(set) var validators: [String] = []

  func startRequest(_ request: HTTPRequest, completion: NetworkCompletion) -> any RequestNetworking
  {
    held.append(completion)
    validators.append(request.headers["if-none-match"] ?? "none")
    return Transfer()
  }

  func answer(_ index: Int, _ status: Int, _ text: String?, _ etag: String?) {
    held[index](
      NetworkResult(
        response: HTTPResponse(
          status: status, headers: Headers(etag.map { [("ETag", $0)] } ?? []),
          url: "https://api.test/a"),
        body: text.map { Array($0.utf8) }))
  }

  func fail(_ index: Int, _ text: String) {
    held[index](NetworkResult(error: TransportError(.network, text)))
  }

  private final class Transfer: RequestNetworking {
    let transferMetrics = RequestTransferMetrics()
    func cancel() {}
  }
}
