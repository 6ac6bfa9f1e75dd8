import CLullBridge
package import LullCore

/// A networking provider that calls a script's `networking` function instead of the network.
///
/// The function is called when a request starts, in a coroutine that ends with the request. The
/// function responds by returning a table or by calling `complete`.
package final class LuaNetworking: NetworkingProvider {
  private unowned let callbacks: Callbacks
  private unowned let reader: NetworkAnswerReader
  private let log: Log
  private let function: Int64

  package init(
    _ function: Int64, _ callbacks: Callbacks, _ reader: NetworkAnswerReader, log: Log
  ) {
    self.function = function
    self.callbacks = callbacks
    self.reader = reader
    self.log = log
  }

  package func startRequest(
    _ request: HTTPRequest, completion: NetworkCompletion
  ) -> any RequestNetworking {
    request.options?.sending?.handOver()
    let held = HeldAnswer(callbacks.stored)
    let answer = NetworkAnswer(completion, request, held, log: log)
    let id = function
    let facts = RequestFacts(request)
    let context = RunContext(purpose: "a networking function") {
      [unowned callbacks, unowned reader] outcome in
      switch outcome {
      case .finished(let results):
        // If the function returns nil, it has called its `complete` function or will call it later.
        guard results[0].kind != Int32(LULL_NIL) || results[1].kind != Int32(LULL_NIL) else {
          return
        }
        do throws(Misuse) {
          answer.complete(
            try reader.result(
              results[0], results[1], results.state, results.index(0), url: request.url))
        } catch {
          let failure = callbacks.failure(error.text, of: id)
          callbacks.reporter.report(
            failure, in: callbacks.stored.named("networking function", id), request: facts)
          answer.fail(failure, isReported: true)
        }
      case .failed(let failure):
        if let error = failure.requestError {
          answer.complete(NetworkResult(failing: error))
        } else {
          callbacks.reporter.report(
            failure, in: callbacks.stored.named("networking function", id), request: facts)
          answer.fail(failure, isReported: true)
        }
      case .gone: answer.fail(ScriptFailure("the networking function was collected"))
      case .cancelled: break
      }
    }
    let box = HTTPRequestBox(request)
    // The box is read-only, because the request has already been sent.
    box.isOpen = false
    let handle = callbacks.handles.insert(answer, kind: .completion)
    let complete = LuaValue.method(index: APIOwner.completeIndex, handle: handle, service: 0)
    let report = LuaValue.method(index: APIOwner.reportIndex, handle: handle, service: 0)
    callbacks.coroutines.start(
      Callable(id: function), [callbacks.values.of(box, .httpRequest), complete, report], context)
    return Transfer(callbacks.coroutines, context: context, answer: answer, held: held)
  }

  final class Transfer: RequestNetworking {
    private unowned let coroutines: Coroutines
    /// The run of the networking function. `coroutines` holds the run while the function waits.
    /// After the function has ended, there is nothing to cancel.
    private(set) weak var context: RunContext?
    /// The response object, which the script's functions `complete` and `report` hold. After both
    /// functions have been collected, the progress no longer changes.
    private weak var answer: NetworkAnswer?
    private let held: HeldAnswer

    init(
      _ coroutines: Coroutines, context: RunContext, answer: NetworkAnswer, held: HeldAnswer
    ) {
      self.coroutines = coroutines
      self.context = context
      self.answer = answer
      self.held = held
    }

    var transferMetrics: RequestTransferMetrics { answer?.metrics ?? RequestTransferMetrics() }

    func cancel() {
      if let context { coroutines.cancel(context) }
    }
  }
}

/// Keeps the script values in a response alive until the request takes them over. The transfer
/// object and this object have the same lifetime.
///
/// The `deinit` only queues the IDs of the values for release, because a `deinit` must not call
/// into Lua.
final class HeldAnswer {
  private unowned let stored: StoredValues
  private let released: ReleasedValues
  private var ids: [Int64] = []

  init(_ stored: StoredValues) {
    self.stored = stored
    released = stored.released
  }

  func hold(_ result: NetworkResult) {
    ids += (result.requestError?.foreignIDs ?? []).filter { stored.pin($0) }
    if let id = result.error?.value?.foreign?.id, stored.pin(id) { ids.append(id) }
  }

  deinit { for id in ids { released.addPin(id) } }
}

/// The single response of a `networking` function. Further responses are ignored and logged.
final class NetworkAnswer {
  private var completion: NetworkCompletion?
  private let request: HTTPRequest
  private let held: HeldAnswer
  private let log: Log
  /// The transfer progress that the script has reported.
  var metrics = RequestTransferMetrics()

  init(_ completion: NetworkCompletion, _ request: HTTPRequest, _ held: HeldAnswer, log: Log) {
    self.completion = completion
    self.request = request
    self.held = held
    self.log = log
  }

  var url: String { request.url }

  /// When this object is released, the function has ended and its `complete` function was
  /// collected. So no response can arrive any more, and the request fails.
  deinit {
    completion?(
      NetworkResult(
        error: TransportError(.scriptError, "the networking function ended without a response")))
  }

  var isGiven: Bool { completion == nil }

  func complete(_ result: NetworkResult) {
    guard let completion else { return }
    self.completion = nil
    held.hold(result)
    log(.network, result.summary(of: request))
    completion(result)
  }

  func fail(_ failure: ScriptFailure, isReported: Bool = false) {
    var error = TransportError(.scriptError, failure.message)
    error.isReported = isReported
    error.traceback = failure.traceback
    error.value = failure.value
    complete(NetworkResult(error: error))
  }
}

/// The responses of `lull.testing.stub`, keyed by method and path.
final class StubAnswers: NetworkingProvider {
  private var answers: [(method: RequestMethod, path: String, result: NetworkResult)] = []
  private let log: Log

  init(log: Log) {
    self.log = log
  }

  func add(method: RequestMethod, path: String, _ result: NetworkResult) {
    answers.append((method, path, result))
  }

  /// Returns the response of the stub with the longest path that matches the request. A path
  /// matches every URL that ends with the path. An absolute URL matches only itself.
  func answer(method: RequestMethod, url: String) -> NetworkResult {
    let candidates = answers.filter { $0.method == method && Self.matches($0.path, url) }
    guard var best = candidates.max(by: { $0.path.utf8.count < $1.path.utf8.count })?.result else {
      let known = answers.map { "\($0.method) \($0.path)" }.sorted().joined(separator: ", ")
      return NetworkResult(
        error: .final(
          .network,
          "unstubbed request \(method) \(LogText.url(url)); the stubs are: "
            + (known.isEmpty ? "none" : known)
        ))
    }
    best.response?.url = url
    return best
  }

  private static func matches(_ path: String, _ url: String) -> Bool {
    guard path.hasPrefix("/") else { return path == url }
    return url.hasSuffix(path)
  }

  func startRequest(_ request: HTTPRequest, completion: NetworkCompletion) -> any RequestNetworking
  {
    let result = answer(method: request.method, url: request.url)
    log(.network, result.summary(of: request))
    completion(result)
    return Transfer()
  }

  private final class Transfer: RequestNetworking {
    let transferMetrics = RequestTransferMetrics()
    func cancel() {}
  }
}

extension NetworkResult {
  /// Returns the log text of an exchange that did not use the network.
  fileprivate func summary(of request: HTTPRequest) -> String {
    let outcome =
      error.map { "failed: \(LogText.part($0.message))" }
      ?? "→ \(response?.status ?? 0) (\(body?.count ?? 0) bytes)"
    return "\(request.method) \(LogText.url(request.url)) \(outcome), not from the network"
  }
}

extension Misuse {
  /// The error's message without the script line at its beginning.
  package var text: String {
    switch self {
    case .message(let text): text
    case .argument(let position, let text): "bad argument #\(position) (\(text))"
    case .value: "an error was raised"
    }
  }
}

/// An exchange with the server that leaves the work to another exchange, which it wraps.
package protocol RelayedTransfer: RequestNetworking {
  /// The wrapped exchange, or nil before it exists.
  var inner: (any RequestNetworking)? { get }
}

extension NetworkRequest {
  /// The exchange that currently does the work, inside policies and other wrappers.
  var innermostTransfer: (any RequestNetworking)? {
    var current = (transfer as? PolicyExchange)?.current ?? transfer
    while let inner = (current as? any RelayedTransfer)?.inner { current = inner }
    return current
  }
}
