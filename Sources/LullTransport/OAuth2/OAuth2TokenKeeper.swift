import LullCore
import LullLibC
import LullSystem

/// The part of a token file that belongs to one client of one endpoint, and to whoever's credential
/// that client began with. Every call blocks: for the pool.
struct OAuth2TokenKeeper: Sendable {
  /// The file while it is locked.
  struct Entry: Sendable {
    fileprivate let lock: TokenFileLock
    fileprivate let name: String
    /// nil if there are none.
    let tokens: OAuth2Tokens?
    /// What renewals were begun with of which nobody knows how they ended.
    let begun: OAuth2Marks
    /// What it all began with, as it read when the file was locked.
    let credential: SecretText?
  }

  let settings: OAuth2.Settings
  /// Seconds to wait for others.
  var patience = 30.0
  private let file: TokenFile
  private let client: String
  /// Who began: tokens got with another one are another's.
  private let credential: SecretText?

  /// Entries of one client that a file keeps, the newest ones.
  private static let limit = 8

  init(_ file: TokenFile, _ settings: OAuth2.Settings) {
    self.file = file
    self.settings = settings
    client = settings.client
    switch settings.grant {
    case .clientCredentials: credential = settings.clientSecret
    // Not the client's secret: a new one of those leaves a refresh token good.
    case .refresh(let token): credential = token
    // Whoever has the file has logged in.
    case .login: credential = nil
    }
  }

  /// Locks the file and reads what is there; `close` or `save` ends that.
  ///
  /// - Parameter isStopped: whether to wait for the lock no more; it fails then.
  func open(unless isStopped: () -> Bool) -> Result<Entry, TokenFile.Problem> {
    do throws(TokenFile.Problem) {
      let lock = try file.lock(waiting: patience, unless: isStopped)
      do throws(TokenFile.Problem) {
        // Another one may be there when it is sent.
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

  /// Where the file is.
  var path: String { file.path }

  func close(_ entry: Entry) { entry.lock.release() }

  /// The login whose tokens are there now; nil if there are none. Without the lock.
  var login: String? { kept?["login"]?.string }

  /// What is there, without the lock: the file is replaced as a whole.
  var kept: JSONElement? {
    guard let name = try? entryName(of: credential), let document = try? file.read() else {
      return nil
    }
    return document.root[name]
  }

  /// Takes the tokens out, and the file away if there are no others; gives the lock back.
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

  /// Puts the tokens beside those of others; gives the lock back.
  func save(_ tokens: OAuth2Tokens, in entry: Entry) -> TokenFile.Problem? {
    defer { entry.lock.release() }
    return put(tokens.json, under: entry.name)
  }

  /// Notes what a renewal is about to be begun with; keeps the lock.
  func note(_ marks: OAuth2Marks, in entry: Entry) -> TokenFile.Problem? {
    var members: [JSONValue.Member] = []
    if case .object(let kept)? = entry.tokens?.json { members = kept }
    if !marks.isEmpty {
      members.append(.init(OAuth2TokenKeeper.begunName, .string(marks.text)))
    }
    return put(.object(members), under: entry.name)
  }

  /// No tokens have come; gives the lock back.
  ///
  /// - Parameter isCertain: whether the endpoint has surely given none.
  func giveUp(_ entry: Entry, isCertain: Bool) -> TokenFile.Problem? {
    // What was not noted need not be forgotten.
    guard isCertain, kept?[OAuth2TokenKeeper.begunName] != nil else {
      entry.lock.release()
      return nil
    }
    guard entry.tokens != nil || !entry.begun.isEmpty else { return remove(entry) }
    defer { entry.lock.release() }
    // What was noted before is as unknown as it was.
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

  /// With a digest, so that what lets one in anew is not in the file.
  private func entryName(of credential: SecretText?) throws(TokenFile.Problem) -> String {
    let text = credential.map { SecretIdentity.text(of: $0) } ?? ""
    guard let digest = Digest.sha256.of("token file:" + text) else {
      throw TokenFile.Problem(
        message: "the token file \(file.path) cannot be used: there is no way to make a digest")
    }
    return client + " " + Hexadecimal.text(digest)
  }
}

extension OAuth2TokenKeeper {
  /// What is to be done about them.
  enum Renewal: Sendable {
    /// Nothing: another process has renewed them.
    case done(OAuth2Tokens)
    /// To ask for new ones with what was known, and then to `save` or to `giveUp`. There is no entry where
    /// others hold it for too long and asking twice harms nobody. The mark is to be noted before the refresh token is
    /// sent; there is none where it may be used twice.
    case due(Entry?, known: OAuth2Tokens?, mark: String?)
  }

  /// Finds out what there is to do.
  ///
  /// Where a renewal was begun with the same refresh token of which nobody knows how it ended, since its
  /// process died or its answer did not come, that is a problem: the token may be used up, and servers take
  /// a second use for theft. Not so where earlier renewals have left the token as it was, and of tokens
  /// that need none. (TOK-02 to TOK-05; RFC 9700, section 4.14.2)
  func beginRenewal(
    _ need: OAuth2TokenNeed, unless isStopped: () -> Bool
  ) -> Result<Renewal, TokenFile.Problem> {
    // The file is replaced as a whole: what is good in it needs no lock.
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
      // Of what this process has known else another may have used up the refresh token since.
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

  /// What is used up if the endpoint takes each once; nil if nothing is.
  private func refreshToken(_ known: OAuth2Tokens?, _ entry: Entry) -> String? {
    switch settings.grant {
    case .clientCredentials: nil
    case .refresh: known?.refresh ?? entry.credential.map { SecretIdentity.text(of: $0) }
    case .login: known?.refresh
    }
  }

  private var interrupted: String {
    let what = "a renewal was cut off, and the refresh token may be used up with it: "
    if let login = settings.login { return what + "\(login.remedy) again" }
    return what + "give a new refresh_token, or remove \(path) if the server takes one twice"
  }
}

/// What a machine remembers of tokens that a server has or had for all: how often they had been renewed when they
/// were seen last. A server that has less has lost something, be it by an eviction, a restart or a failover, and
/// what refresh tokens it has, or whoever begins anew has, may be used up. Home thread only.
///
/// A small file beside that of the limits, for the processes to come; without a place for it this process alone
/// remembers.
final class OAuth2TokenMemory {
  /// Notes of refresh tokens after which nothing was sent; of this process.
  var unsentMarks: Set<String> = []

  private let path: String?
  private var known: [String: Int] = [:]

  /// Clients with a credential of their own: a new login is another one.
  static let most = 64
  private static let longest = 1 << 16

  init(path: String?) {
    self.path = path
  }

  /// - Parameter key: what the tokens are kept under.
  func renewals(of key: String) -> Int {
    let name = OAuth2TokenMemory.name(of: key)
    let kept = path.map { OAuth2TokenMemory.read($0) } ?? []
    return max(known[name] ?? 0, kept.last { $0.name == name }?.renewals ?? 0)
  }

  func remember(_ tokens: OAuth2Tokens, of key: String) {
    // What stays as it was can be used again.
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
    // Without it the next process knows less.
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
