import CLullBridge
import LullCore

/// The delegate of `lull.custom_request{…}`. The functions in a script's table implement the
/// request. (DEL-01 to DEL-10)
final class LuaRequestDelegate: RequestDelegate {
  private unowned let callbacks: Callbacks
  private unowned let loop: ScriptLoop
  /// Reads the table that the script's `repeated` function returns.
  private let reader: OptionReader
  private let functions: Functions
  private var context: RunContext?
  /// Describes the delegate's request in error reports.
  private var facts: RequestFacts?
  /// Completes the request. While the request is running, the request holds this handler.
  private weak var handler: RequestCompletionHandler?

  /// The IDs of the script's functions, and the request's description.
  struct Functions {
    var start: Int64 = 0
    var cancel: Int64?
    var progress: Int64?
    var repeated: Int64?
    var description: String?
  }

  init(_ functions: Functions, _ callbacks: Callbacks, _ loop: ScriptLoop, _ reader: OptionReader) {
    self.functions = functions
    self.callbacks = callbacks
    self.loop = loop
    self.reader = reader
  }

  /// The IDs of all script functions that the delegate may call.
  var anchors: [Int64] {
    [functions.start]
      + [functions.cancel, functions.progress, functions.repeated].compactMap(\.self)
  }

  var requestDescription: String { functions.description ?? "custom request" }

  func startUnderlyingOperation(passingResponseTo handler: RequestCompletionHandler) {
    guard let request = handler.pendingRequest else { return }
    self.handler = handler
    facts = RequestFacts(request)
    let purpose = "start of a \(requestDescription)"
    let completion = CustomCompletion(handler, loop)
    let context = RunContext(purpose: purpose, request: request) {
      [weak self, unowned callbacks] outcome in
      self?.context = nil
      // The handler is stored in a local constant, because the function that is still running may
      // return a response.
      let handler = completion.handler
      switch outcome {
      case .finished(let results):
        // Returning a response completes the request immediately.
        if let box = callbacks.handles.object(results[0], .response, as: ResponseBox.self) {
          handler.broadcastResponse(box.response)
        }
      case .failed(let failure):
        handler.broadcastResponse(
          .failure(callbacks.reporter.requestFailure(failure, in: purpose, of: request)))
      case .gone:
        let failure = ScriptFailure("its functions were collected")
        handler.broadcastResponse(
          .failure(callbacks.reporter.requestFailure(failure, in: purpose, of: request)))
      case .cancelled: break
      }
    }
    self.context = context
    let complete = LuaValue.method(
      index: APIOwner.customCompleteIndex,
      handle: callbacks.handles.insert(completion, kind: .handler),
      service: 0)
    callbacks.coroutines.start(Callable(id: functions.start), [complete], context)
    if context.thread == nil { self.context = nil }
  }

  func cancelUnderlyingOperation() {
    if let context { callbacks.coroutines.cancel(context) }
    context = nil
    guard let cancel = functions.cancel else { return }
    let answer = callbacks.coroutines.ask(
      Callable(id: cancel), [], kind: "cancel function of a custom request"
    ) { _ in }
    if case .failure(.failed(let failure)) = answer {
      callbacks.reporter.report(
        failure, in: "cancel function of a \(requestDescription)", request: facts)
    }
  }

  /// Calls the script's `progress` function. Returns 0 before the request has started (PRG-02). If
  /// the function fails or does not return a number, the request fails.
  func computeProgress() -> Double {
    guard let progress = functions.progress, let handler, let request = handler.pendingRequest
    else { return 0 }
    let answer = callbacks.coroutines.ask(
      Callable(id: progress), [], kind: "progress function of a custom request"
    ) { (value: $0[0].double, type: $0[0].typeName) }
    let failure: ScriptFailure
    switch answer {
    case .success((let value?, _)): return value
    case .success((nil, let type)):
      failure = callbacks.failure("'progress' must return a number, got \(type)", of: progress)
    case .failure(.gone): return 0
    case .failure(.failed(let raised)): failure = raised
    }
    handler.broadcastResponse(
      .failure(
        callbacks.reporter.requestFailure(
          failure, in: "progress function of a \(requestDescription)", of: request)))
    return 1
  }

  /// Returns the delegate of a repeated request. Its functions are those in the table that the
  /// script's `repeated` function returns. If the script has no `repeated` function, the new
  /// delegate has the same functions as this one. If `repeated` fails, the new request fails when
  /// it is started.
  func repeated() -> any RequestDelegate {
    guard let repeated = functions.repeated else {
      return LuaRequestDelegate(functions, callbacks, loop, reader)
    }
    let answer = callbacks.coroutines.ask(
      Callable(id: repeated), [], kind: "repeated function of a custom request"
    ) { [callbacks, loop, reader] results -> Result<LuaRequestDelegate, ScriptFailure.Thrown> in
      guard results[0].kind == Int32(LULL_TABLE) else {
        return .failure(
          .init(
            "'repeated' must return a table like the one passed to custom_request, got "
              + results[0].typeName))
      }
      do throws(Misuse) {
        let delegate = LuaRequestDelegate(
          try Functions(results.index(0), in: results.state, reader, callbacks.stored), callbacks,
          loop, reader)
        // Until the new request has a userdata, nothing else holds the functions.
        callbacks.stored.holdForNow(delegate.anchors)
        return .success(delegate)
      } catch {
        return .failure(.init(error.text))
      }
    }
    switch answer {
    case .success(.success(let delegate)): return delegate
    case .success(.failure(let thrown)):
      return FailingDelegate(
        callbacks.failure(thrown.message, of: repeated), callbacks.reporter)
    case .failure(.failed(let failure)): return FailingDelegate(failure, callbacks.reporter)
    case .failure(.gone):
      return FailingDelegate(ScriptFailure("the functions were collected"), callbacks.reporter)
    }
  }
}

/// The delegate of a repeated request that fails at its start, because the script's `repeated`
/// function failed.
private final class FailingDelegate: RequestDelegate {
  private unowned let reporter: Reporter
  private let failure: ScriptFailure

  init(_ failure: ScriptFailure, _ reporter: Reporter) {
    self.failure = failure
    self.reporter = reporter
  }

  func startUnderlyingOperation(passingResponseTo handler: RequestCompletionHandler) {
    guard let request = handler.pendingRequest else { return }
    handler.broadcastResponse(
      .failure(
        reporter.requestFailure(
          failure, in: "repeated function of a custom request", of: request)))
  }
}

/// The object behind the function `complete` that a script's `start` function gets.
///
/// If the script releases the function `complete` without calling it, the request can no longer be
/// completed. The request then keeps nothing alive, and awaiting it raises an error.
final class CustomCompletion {
  let handler: RequestCompletionHandler
  private weak var loop: ScriptLoop?

  init(_ handler: RequestCompletionHandler, _ loop: ScriptLoop) {
    self.handler = handler
    self.loop = loop
  }

  deinit {
    guard let loop, let request = handler.pendingRequest else { return }
    loop.abandonSoon(request)
  }
}

extension ScriptFailure {
  struct Thrown: Error {
    let message: String

    init(_ message: String) { self.message = message }
  }
}

extension LuaRequestDelegate.Functions {
  private static let keys = ["start", "cancel", "progress", "repeated", "description"]

  /// Reads the table of `lull.custom_request{ start =, cancel =, progress =, repeated =,
  /// description = }`. The caller must keep the functions in the table alive.
  init(
    _ table: Int32, in state: OpaquePointer?, _ reader: OptionReader, _ stored: StoredValues
  ) throws(Misuse) {
    var functions = Self()
    try reader.forEach(of: table, in: state, known: Self.keys) { name, value throws(Misuse) in
      if name == "description" {
        functions.description = try value.text(name)
        return
      }
      guard value.kind == Int32(LULL_FUNCTION) else {
        throw .message("'\(name)' must be a function, got \(value.typeName)")
      }
      let id = try stored.keep(state, LuaTable.visitedIndex(in: state))
      switch name {
      case "start": functions.start = id
      case "cancel": functions.cancel = id
      case "progress": functions.progress = id
      default: functions.repeated = id
      }
    }
    guard functions.start != 0 else {
      throw .message("a custom request needs 'start', a function(complete)")
    }
    self = functions
  }
}
