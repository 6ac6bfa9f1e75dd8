import LullCore

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
