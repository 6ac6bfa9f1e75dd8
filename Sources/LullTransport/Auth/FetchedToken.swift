package import LullCore
import LullSystem

/// A token that a function of the program fetches, for logins that are not OAuth 2. (OAU-120 to
/// OAU-126)
///
/// The first request that needs a token starts the fetch, and all other requests wait for the
/// token. A token that expires soon, or that the service has rejected with 401, is fetched again.
/// If the function itself makes requests, these requests are sent without a token. With a token
/// file, processes share the token, and only one process fetches at a time. Home thread only. Lua:
/// `lull.auth.token{…}`.
package final class FetchedToken: AuthStage {
  package struct Settings: Sendable {
    package var header = "authorization"
    /// The text before the token in the header.
    package var prefix = "Bearer "
    /// The name of the token; nil for none.
    package var name: String?
    package var tokenFile: String?
    /// The environment of an API file for which the token is fetched; nil for none.
    fileprivate var environment: String?
    /// Distinguishes the tokens of different functions.
    package let identity: String
    /// A description of the function for messages.
    package let shown: String

    package init(identity: String, shown: String) {
      self.identity = identity
      self.shown = shown
    }
  }

  /// The function's result.
  package struct Token {
    package let text: SecretText
    /// The token; nil if it is not plain text. Only plain text can be stored.
    package let plain: String?
    /// The lifetime in seconds; nil if the token is valid until the service rejects it.
    package let lifetime: Double?

    package init(text: SecretText, plain: String?, lifetime: Double?) {
      self.text = text
      self.plain = plain
      self.lifetime = lifetime
    }
  }

  /// Fetches tokens.
  package protocol Source: AnyObject {
    /// Whether the code that is currently running is part of a fetch.
    var isAtWork: Bool { get }

    /// Fetches a token. Calls `done` once, immediately or later. Returns a function that stops the
    /// fetch: if the function is called first, `done` is not called.
    ///
    /// - Parameters:
    ///   - owner: The service whose request needs the token.
    ///   - old: The token that is no longer valid; nil if there was none or it was not plain text.
    func fetch(
      for owner: AnyObject?, old: String?,
      _ done: @escaping (Result<Token, TransportError>) -> Void
    ) -> () -> Void
  }

  private let settings: Settings
  private let source: any Source
  private let store: FetchedTokenFile?
  private var token: (text: SecretText, kept: StoredToken)?
  /// The last token that was plain text.
  private var old: String?
  /// The token that the service has rejected; nil for none.
  private var rejected: String?
  /// Counts the tokens, to recognise requests that were sent with an earlier token.
  private var generation = 0
  private var waiting: [Waiter] = []
  /// The current fetch; nil for none.
  private var work: Work?
  /// The authentication for each environment of an API file, keyed by the environment's name.
  private var others: [String: Auth] = [:]

  private final class Waiter {
    let resume: (TransportError?) -> Void
    var timer: (any HostTimer)?

    init(_ resume: @escaping (TransportError?) -> Void) {
      self.resume = resume
    }
  }

  private final class Work {
    var stop: (() -> Void)?
    var entry: FetchedTokenFile.Entry?
  }

  package init(_ settings: Settings, _ source: any Source) {
    self.settings = settings
    self.source = source
    store = settings.tokenFile.map {
      FetchedTokenFile(TokenFile($0), name: settings.name, environment: settings.environment)
    }
  }

  /// The setting that adds this token to requests.
  package var auth: Auth {
    let part = settings.environment.map { " @\($0)" } ?? ""
    return Auth(
      header: settings.header, stage: self,
      identity: SecretText("token \(settings.name ?? settings.identity)\(part)"),
      shown: settings.prefix + "‹\(settings.shown)›")
  }

  // MARK: AuthStage

  package var fingerprint: Int {
    var hasher = Hasher()
    hasher.combine(settings.prefix)
    hasher.combine(settings.tokenFile)
    hasher.combine(settings.identity)
    return hasher.finalize()
  }

  package var isAtWork: Bool { source.isAtWork }

  package func auth(keptApart environment: String) -> Auth? {
    if let known = others[environment] { return known }
    var settings = settings
    settings.environment = environment
    let auth = FetchedToken(settings, source).auth
    others[environment] = auth
    return auth
  }

  package func authorize(
    _ request: HTTPRequest, in context: AuthContext,
    proceed: @escaping (Result<AuthorizedRequest, TransportError>) -> Void
  ) -> (() -> Void)? {
    guard request.headers[settings.header] == nil else {
      proceed(.success(AuthorizedRequest(request, generation: FetchedToken.notOurs)))
      return nil
    }
    if let token, token.kept.isGood(now: context.pump.clock.now) {
      proceed(authorized(request, token.text))
      return nil
    }
    let waiter = Waiter { [unowned self] error in
      if let error { return proceed(.failure(error)) }
      guard let token else { return }
      proceed(authorized(request, token.text))
    }
    let timeout = request.limits.timeout
    waiter.timer = context.pump.clock.schedule(after: timeout) { [weak self, weak waiter] in
      guard let self, let waiter, leave(waiter) else { return }
      waiter.resume(
        FetchedToken.failure("no token was fetched within \(LogText.seconds(timeout))"))
    }
    waiting.append(waiter)
    renew(in: context)
    return { [weak self] in _ = self?.leave(waiter) }
  }

  package func canRenew(
    after result: NetworkResult, to request: AuthorizedRequest, in context: AuthContext
  ) -> Bool {
    guard request.generation != FetchedToken.notOurs else { return false }
    // Another request may have been rejected too, and may have fetched a new token already.
    if request.generation == generation, let token {
      rejected = token.kept.text
      self.token = nil
    }
    return true
  }

  private func authorized(_ request: HTTPRequest, _ token: SecretText)
    -> Result<AuthorizedRequest, TransportError>
  {
    var http = request
    http.headers.add(settings.header, SecretText(settings.prefix) + token)
    if let problem = http.secretOriginProblem { return .failure(problem) }
    return .success(AuthorizedRequest(http, generation: generation))
  }

  /// The generation of a request to which no token was added, because the request already has the
  /// header.
  private static let notOurs = -1

  package static func failure(_ message: String) -> TransportError {
    TransportError(.authFailed, message)
  }

  // MARK: Waiting

  /// Removes a waiting request from the list. Returns false if the request was not in the list.
  private func leave(_ waiter: Waiter) -> Bool {
    guard let place = waiting.firstIndex(where: { $0 === waiter }) else { return false }
    waiting.remove(at: place)
    waiter.timer?.cancel()
    guard waiting.isEmpty, let work, let stop = work.stop else { return true }
    // No request needs the token any more.
    self.work = nil
    stop()
    work.entry?.close()
    return true
  }

  private func finish(_ error: TransportError?) {
    work = nil
    let waiters = waiting
    waiting = []
    for waiter in waiters {
      waiter.timer?.cancel()
      waiter.resume(error)
    }
  }

  // MARK: Fetching

  private func renew(in context: AuthContext) {
    guard work == nil else { return }
    let work = Work()
    self.work = work
    guard let store else { return fetch(work, context) }
    context.pump.offload {
      store.open()
    } then: { [self] result in
      switch result {
      case .failure(let problem): finish(FetchedToken.failure("no token: \(problem.message)"))
      case .success(let entry):
        let now = context.pump.clock.now
        if let kept = entry.token {
          old = kept.text
          if let text = kept.text, kept.isGood(now: now), text != rejected {
            entry.close()
            return take(secret(text), kept)
          }
        }
        work.entry = entry
        guard !waiting.isEmpty else {
          entry.close()
          self.work = nil
          return
        }
        fetch(work, context)
      }
    }
  }

  private func fetch(_ work: Work, _ context: AuthContext) {
    var isDone = false
    let stop = source.fetch(for: context.owner, old: old) { [self] result in
      isDone = true
      work.stop = nil
      guard self.work === work else { return }
      switch result {
      case .failure(let error):
        work.entry?.close()
        finish(error)
      case .success(let token): got(token, work, context)
      }
    }
    if !isDone { work.stop = stop }
  }

  private func got(_ token: Token, _ work: Work, _ context: AuthContext) {
    let kept = StoredToken(token.plain, lifetime: token.lifetime, now: context.pump.clock.now)
    guard let entry = work.entry else { return take(token.text, kept) }
    context.pump.offload {
      entry.save(kept)
    } then: { [self] problem in
      if let problem { StandardError.write("lull: warning: \(problem.message)\n") }
      take(token.text, kept)
    }
  }

  private func take(_ text: SecretText, _ kept: StoredToken) {
    token = (text, kept)
    old = kept.text
    rejected = nil
    generation += 1
    finish(nil)
  }

  private func secret(_ text: String) -> SecretText {
    SecretText(Secret(.literal(text), name: "token"))
  }
}

/// A token and its expiry.
struct StoredToken: Sendable {
  /// The text of the token; nil if it is not plain text.
  let text: String?
  /// The time when the token expires, in Unix seconds; nil if the token is valid until the service
  /// rejects it.
  let expires: Double?
  /// The lifetime in seconds that the token had when it was issued.
  let lifetime: Double

  init(_ text: String?, lifetime: Double?, now: Double) {
    self.text = text
    self.lifetime = lifetime ?? 0
    expires = lifetime.map { now + $0 }
  }

  init?(_ element: JSONElement) {
    guard let text = element["token"]?.string, !text.isEmpty,
      Headers.valueProblem(text.utf8) == nil
    else { return nil }
    self.text = text
    expires = element["expires"]?.double.flatMap { $0.isFinite ? $0 : nil }
    lifetime = element["lifetime"]?.double.flatMap { $0.isFinite ? $0 : nil } ?? 0
  }

  /// Whether a request that is sent now with this token would arrive in time. A token is not used
  /// in the last tenth of its lifetime, or in its last 30 s if that is shorter. A token whose
  /// remaining time exceeds its lifetime is not used either, because the clock was set back.
  /// (OAU-160)
  func isGood(now: Double) -> Bool {
    guard let expires else { return true }
    let left = expires - now
    // Tolerates small clock corrections.
    return left > min(30, lifetime / 10) && (lifetime <= 0 || left <= lifetime + 60)
  }

  /// The token as stored in a token file; nil if it cannot be stored.
  var json: JSONValue? {
    guard let text else { return nil }
    var members: [JSONValue.Member] = [.init("token", .string(text))]
    if let expires {
      members += [.init("expires", .double(expires)), .init("lifetime", .double(lifetime))]
    }
    return .object(members)
  }
}

/// The token of one function in a token file. Every method blocks, so call it in the thread pool.
struct FetchedTokenFile: Sendable {
  private let file: TokenFile
  /// The token's key in the file.
  private let key: String

  init(_ file: TokenFile, name: String?, environment: String?) {
    self.file = file
    key = ["token", name, environment.map { "@\($0)" }].compactMap(\.self).joined(separator: " ")
  }

  /// The entry of the token in the file. The file stays locked while the entry is open.
  struct Entry: Sendable {
    /// The stored token; nil if there is none.
    let token: StoredToken?
    fileprivate let lock: TokenFileLock
    fileprivate let file: TokenFile
    fileprivate let key: String

    func close() { lock.release() }

    /// Stores the token, without changing the other tokens in the file, and releases the lock.
    func save(_ token: StoredToken) -> TokenFile.Problem? {
      defer { lock.release() }
      guard let json = token.json else { return nil }
      do throws(TokenFile.Problem) {
        var members: [JSONValue.Member] = []
        for (name, value) in try file.read()?.root.pairs ?? [] where name != key {
          members.append(.init(name, value.plainValue))
        }
        members.append(.init(key, json))
        try file.write(.object(members))
        return nil
      } catch {
        return error
      }
    }
  }

  /// Locks the file and reads the token. Calling `close` or `save` of the entry releases the lock.
  func open() -> Result<Entry, TokenFile.Problem> {
    do throws(TokenFile.Problem) {
      let lock = try file.lock()
      do throws(TokenFile.Problem) {
        let token = try file.read()?.root[key].flatMap { StoredToken($0) }
        return .success(Entry(token: token, lock: lock, file: file, key: key))
      } catch {
        lock.release()
        throw error
      }
    } catch {
      return .failure(error)
    }
  }
}
