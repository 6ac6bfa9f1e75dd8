import CLullBridge
import LullCore
import LullTransport

/// The script function `fetch` of `lull.auth.token{…}`, which gets tokens.
///
/// The function runs in its own coroutine and may wait. Home thread only.
final class ScriptToken: FetchedToken.Source {
  private unowned let callbacks: Callbacks
  private let function: Int64
  private let isKept: Bool
  /// The context of the current run of the function; nil if the function is not running.
  private weak var context: RunContext?

  /// Creates an object that gets tokens from a script function.
  ///
  /// - Parameter isKept: whether the tokens are stored in a file.
  init(_ function: Int64, isKept: Bool, _ callbacks: Callbacks) {
    self.function = function
    self.isKept = isKept
    self.callbacks = callbacks
  }

  var isAtWork: Bool {
    guard let context else { return false }
    var running = callbacks.coroutines.innermost
    while let next = running {
      if next === context { return true }
      running = next.starter
    }
    return false
  }

  func fetch(
    for owner: AnyObject?, old: String?,
    _ done: @escaping (Result<FetchedToken.Token, TransportError>) -> Void
  ) -> () -> Void {
    guard let service = owner as? Service else {
      done(.failure(FetchedToken.failure("no token: it cannot be fetched without a service")))
      return {}
    }
    let context = RunContext(purpose: "the fetch function of lull.auth.token") { [self] outcome in
      done(result(outcome))
    }
    context.function = function
    self.context = context
    let coroutines = callbacks.coroutines
    coroutines.start(
      Callable(id: function), [callbacks.values.of(service), old.map { .string($0) } ?? .nil],
      context)
    return { [unowned coroutines, weak context] in
      if let context { coroutines.cancel(context) }
    }
  }

  private func result(_ outcome: RunOutcome) -> Result<FetchedToken.Token, TransportError> {
    switch outcome {
    case .finished(let results):
      do throws(Misuse) {
        return try token(results)
      } catch {
        return failed(callbacks.failure(error.text, of: function))
      }
    case .failed(let failure):
      if let error = failure.requestError { return .failure(ScriptToken.failure(error)) }
      return failed(failure)
    case .gone:
      return .failure(
        FetchedToken.failure(
          "no token: the fetch function was collected; keep the result of lull.auth.token"))
    case .cancelled: return .failure(FetchedToken.failure("no token: the fetch was cancelled"))
    }
  }

  private func failed(_ failure: ScriptFailure) -> Result<FetchedToken.Token, TransportError> {
    callbacks.reporter.report(failure, in: callbacks.stored.named("fetch function", function))
    return .failure(FetchedToken.failure("no token: the fetch function failed: \(failure.message)"))
  }

  private static func failure(_ error: RequestError) -> TransportError {
    FetchedToken.failure("no token: \(error.summary)")
  }

  /// Reads the results of the function: `token[, seconds]`, or `nil[, err]`.
  private func token(_ results: RunResults) throws(Misuse)
    -> Result<FetchedToken.Token, TransportError>
  {
    let (first, second) = (results[0], results[1])
    guard first.kind != Int32(LULL_NIL) else {
      if let box = callbacks.handles.object(second, .error, as: ErrorBox.self) {
        return .failure(ScriptToken.failure(box.error))
      }
      let reason = second.string ?? "the fetch function returned none"
      return .failure(FetchedToken.failure("no token: \(LogText.part(reason, limit: 200))"))
    }
    var lifetime: Double?
    if second.kind != Int32(LULL_NIL) {
      guard let seconds = second.double, seconds.isFinite, seconds > 0 else {
        throw .message(
          "fetch must return the token's lifetime in seconds, or nothing, as its second value, "
            + "got \(second.described)")
      }
      lifetime = seconds
    }
    if let secret = callbacks.handles.secret(first) {
      guard !isKept else {
        throw .message("fetch must return a string if 'token_file' is set, got a Secret")
      }
      return .success(FetchedToken.Token(text: secret, plain: nil, lifetime: lifetime))
    }
    guard first.kind == Int32(LULL_STRING), let text = first.string, !text.isEmpty else {
      let got = first.kind == Int32(LULL_STRING) ? "an empty string" : first.typeName
      throw .message("fetch must return a token, a string or a Secret, got \(got)")
    }
    guard first.isValidUTF8 else { throw .message("fetch must return a token in UTF-8") }
    if let problem = Headers.valueProblem(text.utf8) {
      throw .message("the token that fetch returned is used in a header, so it \(problem)")
    }
    let secret = SecretText(Secret(.literal(text), name: "token"))
    return .success(FetchedToken.Token(text: secret, plain: text, lifetime: lifetime))
  }
}

/// Reads the options in the table for `lull.auth.token`.
extension CredentialReader {
  static let tokenKeys = ["fetch", "header", "prefix", "token_file", "name"]

  /// Reads the table of `lull.auth.token{ fetch =, header =, prefix =, token_file =, name = }`.
  /// Returns the auth, and the ID of the function that the auth calls.
  func token(_ call: Call, table: Int32) throws(Misuse) -> (auth: Auth, function: Int64) {
    var function: Int64?
    var header = "authorization"
    var prefix: String?
    var texts: [String: String] = [:]
    try options.forEach(of: table, in: call.state, known: CredentialReader.tokenKeys) {
      key, value throws(Misuse) in
      switch key {
      case "fetch":
        guard value.kind == Int32(LULL_FUNCTION) else {
          throw .message("'fetch' must be a function, got \(value.typeName)")
        }
        function = try call.stored.keep(call.state, LuaTable.visitedIndex(in: call.state))
      case "header":
        header = try value.nonEmptyText(key).lowercased()
        guard Headers.isName(header) else {
          throw .message("'header' must be the name of a header, got '\(header)'")
        }
      case "prefix":
        let text = try value.text(key)
        if let problem = Headers.valueProblem((text + "x").utf8) {
          throw .message("'prefix' \(problem)")
        }
        prefix = text
      default: texts[key] = try value.nonEmptyText(key)
      }
    }
    guard let function else {
      throw .message("'fetch' is required: a function that returns a token")
    }
    guard texts["token_file"] == nil || !permissions.isSandboxed || permissions.isInspecting else {
      throw .message("'token_file' is not available in the sandbox")
    }
    let place = call.stored.place(of: function)
    // Lull can't tell to which user the tokens of the function belong. So each run has a different
    // identity and can't find another run's cache entries.
    let identity = permissions.isInspecting ? place : "\(place) \(UInt64.random(in: .min ... .max))"
    var settings = FetchedToken.Settings(
      identity: identity, shown: texts["name"].map { "token of \($0)" } ?? "token")
    settings.header = header
    settings.prefix = prefix ?? (header == "authorization" ? "Bearer " : "")
    settings.name = texts["name"]
    settings.tokenFile = permissions.isInspecting ? nil : texts["token_file"]
    let source = ScriptToken(
      function, isKept: settings.tokenFile != nil, call.callbacks)
    return (FetchedToken(settings, source).auth, function)
  }
}
