import LullCore
import LullLibC
import LullSystem

/// Reads and writes one entry of a token file. The entry belongs to one client of one endpoint, and
/// to the initial credential of that client. Every method blocks, so call it in the thread pool.
struct OAuth2TokenKeeper: Sendable {
  /// The entry of the token file. The file stays locked while the entry is open.
  struct Entry: Sendable {
    fileprivate let lock: TokenFileLock
    fileprivate let name: String
    /// The stored tokens; nil for none.
    let tokens: OAuth2Tokens?
    /// Marks of refresh tokens whose renewal has an unknown outcome.
    let begun: OAuth2Marks
    /// The initial credential, read when the file was locked.
    let credential: SecretText?
  }

  let settings: OAuth2.Settings
  /// How long to wait for other processes, in seconds.
  var patience = 30.0
  private let file: TokenFile
  private let client: String
  /// The initial credential. Tokens from another credential belong to another user.
  private let credential: SecretText?

  /// The maximum number of entries of one client in a file. Beyond it, the oldest entries are
  /// removed.
  private static let limit = 8

  init(_ file: TokenFile, _ settings: OAuth2.Settings) {
    self.file = file
    self.settings = settings
    client = settings.client
    switch settings.grant {
    case .clientCredentials: credential = settings.clientSecret
    // The client secret is not used, because a refresh token stays valid if the client secret
    // changes.
    case .refresh(let token): credential = token
    // The file itself identifies the user who has logged in.
    case .login: credential = nil
    }
  }

  /// Locks the file and reads its content. `close` or `save` releases the lock.
  ///
  /// - Parameter isStopped: Called repeatedly during the wait for the lock. If it returns true, the
  ///   call fails.
  func open(unless isStopped: () -> Bool) -> Result<Entry, TokenFile.Problem> {
    do throws(TokenFile.Problem) {
      let lock = try file.lock(waiting: patience, unless: isStopped)
      do throws(TokenFile.Problem) {
        // The credential is read now: when the request is sent, its source may contain another one.
        let credential = credential.map { SecretIdentity.settled($0) }
        let name = try entryName(of: credential)
        let kept = try file.read().flatMap { $0.root[name] }
        return .success(
          Entry(
            lock: lock, name: name, tokens: kept.flatMap { OAuth2Tokens($0) },
            begun: OAuth2Marks(text: kept?[OAuth2TokenKeeper.begunName]?.string ?? ""),
            credential: credential))
      } catch {
        lock.release()
        throw error
      }
    } catch {
      return .failure(error)
    }
  }

  /// The path of the file.
  var path: String { file.path }

  func close(_ entry: Entry) { entry.lock.release() }

  /// The login whose tokens are stored now; nil for none. Does not take the lock.
  var login: String? { kept?["login"]?.string }

  /// The stored entry; nil for none. It is read without the lock, which is safe because the file is
  /// only replaced as a whole.
  var kept: JSONElement? {
    guard let name = try? entryName(of: credential), let document = try? file.read() else {
      return nil
    }
    return document.root[name]
  }

  /// Removes the tokens from the file. If the file contains no other tokens, the file itself is
  /// removed. Releases the lock.
  func remove(_ entry: Entry) -> TokenFile.Problem? {
    defer { entry.lock.release() }
    do throws(TokenFile.Problem) {
      let members = try others(than: entry.name)
      if members.isEmpty { try file.remove() } else { try file.write(.object(members)) }
      return nil
    } catch {
      return error
    }
  }

  private func others(than own: String) throws(TokenFile.Problem) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    for (name, value) in try file.read()?.root.pairs ?? [] where name != own {
      members.append(.init(name, value.plainValue))
    }
    return members
  }

  /// Stores the tokens, without changing the other entries of the file, and releases the lock.
  func save(_ tokens: OAuth2Tokens, in entry: Entry) -> TokenFile.Problem? {
    defer { entry.lock.release() }
    return put(tokens.json, under: entry.name)
  }

  /// Records which refresh tokens are about to be used. Keeps the lock.
  func note(_ marks: OAuth2Marks, in entry: Entry) -> TokenFile.Problem? {
    var members: [JSONValue.Member] = []
    if case .object(let kept)? = entry.tokens?.json { members = kept }
    if !marks.isEmpty {
      members.append(.init(OAuth2TokenKeeper.begunName, .string(marks.text)))
    }
    return put(.object(members), under: entry.name)
  }

  /// Ends a renewal without tokens, and releases the lock.
  ///
  /// - Parameter isCertain: Whether it is certain that the endpoint has issued no tokens.
  func giveUp(_ entry: Entry, isCertain: Bool) -> TokenFile.Problem? {
    // If the outcome is uncertain, the record must stay. Otherwise there may be no record to
    // remove.
    guard isCertain, kept?[OAuth2TokenKeeper.begunName] != nil else {
      entry.lock.release()
      return nil
    }
    guard entry.tokens != nil || !entry.begun.isEmpty else { return remove(entry) }
    defer { entry.lock.release() }
    // Earlier records stay: their outcome is still unknown.
    return note(entry.begun, in: entry)
  }

  private static let begunName = "renewal"

  private func put(_ value: JSONValue, under name: String) -> TokenFile.Problem? {
    do throws(TokenFile.Problem) {
      var members = try others(than: name)
      // A credential that changes every day must not fill the file.
      let old = members.indices.filter { members[$0].key.hasPrefix(client + " ") }
      for index in old.dropLast(OAuth2TokenKeeper.limit - 1).reversed() {
        members.remove(at: index)
      }
      members.append(.init(name, value))
      try file.write(.object(members))
      return nil
    } catch {
      return error
    }
  }

  /// The name of the entry: a digest, so that the file does not contain the credential.
  private func entryName(of credential: SecretText?) throws(TokenFile.Problem) -> String {
    let text = credential.map { SecretIdentity.text(of: $0) } ?? ""
    guard let digest = Digest.sha256.of("token file:" + text) else {
      throw TokenFile.Problem(
        message: "the token file \(file.path) cannot be used: digests are not available")
    }
    return client + " " + Hexadecimal.text(digest)
  }
}

extension OAuth2TokenKeeper {
  /// The step that a process must take to get valid tokens.
  enum Renewal: Sendable {
    /// No step is needed, because another process has renewed the tokens.
    case done(OAuth2Tokens)
    /// Request new tokens with the known tokens, then call `save` or `giveUp`.
    ///
    /// The entry is nil if other processes hold the lock for too long and a second request does no
    /// harm. The mark must be recorded before the refresh token is sent. The mark is nil if no
    /// refresh token is sent, or if the refresh token may be used twice.
    case due(Entry?, known: OAuth2Tokens?, mark: String?)
  }

  /// Decides which step a process must take to get valid tokens.
  ///
  /// This fails if an earlier renewal has used the refresh token and its outcome is unknown,
  /// because its process died or its response was lost. The refresh token may then be used up, and
  /// servers treat a second use as theft. There are two exceptions: earlier renewals did not change
  /// the refresh token, or no refresh token is needed. (TOK-02 to TOK-05; RFC 9700, section 4.14.2)
  func beginRenewal(
    _ need: OAuth2TokenNeed, unless isStopped: () -> Bool
  ) -> Result<Renewal, TokenFile.Problem> {
    // The file is only replaced as a whole, so valid tokens in it need no lock.
    if let kept = kept.flatMap({ OAuth2Tokens($0) }), need.isMet(by: kept) {
      return .success(.done(kept))
    }
    switch open(unless: isStopped) {
    case .failure(let problem):
      guard problem.isBusy, settings.grant == .clientCredentials else { return .failure(problem) }
      return .success(.due(nil, known: nil, mark: nil))
    case .success(let entry):
      if let kept = entry.tokens, need.isMet(by: kept) {
        close(entry)
        return .success(.done(kept))
      }
      // The tokens in the memory of this process are not used: another process may have used up
      // their refresh token since.
      let known = need.unsaved ?? entry.tokens
      guard known?.rotates != false, let token = refreshToken(known, entry) else {
        return .success(.due(entry, known: known, mark: nil))
      }
      guard !entry.begun.contains(token) else {
        close(entry)
        return .failure(TokenFile.Problem(message: interrupted))
      }
      return .success(.due(entry, known: known, mark: OAuth2Marks.mark(of: token)))
    }
  }

  /// Returns the refresh token that a renewal sends and thereby uses up, if the endpoint accepts
  /// each refresh token only once. Returns nil if the renewal sends no refresh token.
  private func refreshToken(_ known: OAuth2Tokens?, _ entry: Entry) -> String? {
    switch settings.grant {
    case .clientCredentials: nil
    case .refresh: known?.refresh ?? entry.credential.map { SecretIdentity.text(of: $0) }
    case .login: known?.refresh
    }
  }

  private var interrupted: String {
    let what = "a renewal was interrupted, so the refresh token may already have been used: "
    if let login = settings.login { return what + "\(login.remedy) again" }
    return what
      + "set a new refresh_token, or remove \(path) if the server accepts a refresh token twice"
  }
}

/// Remembers how often the tokens on a server had been renewed when this machine last saw them. If
/// the tokens on the server have fewer renewals, the server has lost data by an eviction, a restart
/// or a failover. The server's refresh tokens, and the initial refresh tokens of clients, may then
/// be used up. Home thread only.
///
/// A small file beside the limits file stores these numbers for later processes. Without a path for
/// that file, they are lost when this process ends.
final class OAuth2TokenMemory {
  /// This process's marks of refresh tokens that were not sent.
  var unsentMarks: Set<String> = []

  private let path: String?
  private var known: [String: Int] = [:]

  /// The maximum number of clients that are remembered. Each login has its own credential and
  /// counts as a new client.
  static let most = 64
  private static let longest = 1 << 16

  init(path: String?) {
    self.path = path
  }

  /// Returns how often the tokens had been renewed when this machine last saw them.
  ///
  /// - Parameter key: The key of the tokens.
  func renewals(of key: String) -> Int {
    let name = OAuth2TokenMemory.name(of: key)
    let kept = path.map { OAuth2TokenMemory.read($0) } ?? []
    return max(known[name] ?? 0, kept.last { $0.name == name }?.renewals ?? 0)
  }

  func remember(_ tokens: OAuth2Tokens, of key: String) {
    // A refresh token that does not change can be used again.
    guard tokens.rotates == true, tokens.renewals > renewals(of: key) else { return }
    let name = OAuth2TokenMemory.name(of: key)
    known[name] = tokens.renewals
    guard let path, let lock = try? CacheFolder.openLock(of: path) else { return }
    defer { close(lock) }
    flock(lock, LOCK_EX)
    var kept = OAuth2TokenMemory.read(path)
    let before = kept.last { $0.name == name }?.renewals ?? 0
    kept.removeAll { $0.name == name }
    kept.append((name, max(before, tokens.renewals)))
    let lines = kept.suffix(OAuth2TokenMemory.most).map { "\($0.name) \($0.renewals)\n" }
    // A failure is ignored: the next process then knows less.
    _ = AtomicFile.write(Array(lines.joined().utf8), to: Array(path.utf8), .exactly(0o600))
  }

  private static func name(of key: String) -> String {
    Digest.sha256.of("tokens\n" + key).map { Hexadecimal.text($0.prefix(16)) } ?? key
  }

  private static func read(_ path: String) -> [(name: String, renewals: Int)] {
    guard case .success(let bytes) = SecretFile.read(path), bytes.count <= longest else {
      return []
    }
    return String(escaping: bytes).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      guard parts.count == 2, let renewals = Int(parts[1]) else { return nil }
      return (String(parts[0]), renewals)
    }
  }
}
