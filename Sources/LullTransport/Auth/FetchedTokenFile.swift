import LullCore

/// A token, and until when it is good.
struct KeptToken: Sendable {
  /// nil of one that is not plain text.
  let text: String?
  /// Unix seconds; nil: until the service says otherwise.
  let expires: Double?
  /// How long it was good for when it came, in seconds.
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

  /// Whether a request sent now would arrive in time: not in the last tenth of its life, half a minute
  /// at most; nor if it would hold for longer than it did when it came, since then the clock was set back.
  /// (OAU-160)
  func isGood(now: Double) -> Bool {
    guard let expires else { return true }
    let left = expires - now
    // Small corrections of the clock do not count.
    return left > min(30, lifetime / 10) && (lifetime <= 0 || left <= lifetime + 60)
  }

  /// nil of one that cannot be kept.
  var json: JSONValue? {
    guard let text else { return nil }
    var members: [JSONValue.Member] = [.init("token", .string(text))]
    if let expires {
      members += [.init("expires", .double(expires)), .init("lifetime", .double(lifetime))]
    }
    return .object(members)
  }
}

/// The part of a token file that belongs to one token of a program's own. Every call blocks: for the pool.
struct FetchedTokenFile: Sendable {
  private let file: TokenFile
  /// What it stands under in the file.
  private let key: String

  init(_ file: TokenFile, name: String?, environment: String?) {
    self.file = file
    key = ["token", name, environment.map { "@\($0)" }].compactMap(\.self).joined(separator: " ")
  }

  /// The file while it is locked.
  struct Entry: Sendable {
    /// nil if there is none.
    let token: KeptToken?
    fileprivate let lock: TokenFileLock
    fileprivate let file: TokenFile
    fileprivate let key: String

    func close() { lock.release() }

    /// Puts the token beside those of others; gives the lock back.
    func save(_ token: KeptToken) -> TokenFile.Problem? {
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

  /// Locks the file and reads what is there; `close` or `save` of the entry ends that.
  func open() -> Result<Entry, TokenFile.Problem> {
    do throws(TokenFile.Problem) {
      let lock = try file.lock()
      do throws(TokenFile.Problem) {
        let token = try file.read()?.root[key].flatMap { KeptToken($0) }
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
