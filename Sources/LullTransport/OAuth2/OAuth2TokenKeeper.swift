import LullCore

/// The part of a token file that belongs to one client of one endpoint. Every call blocks: for the pool.
struct OAuth2TokenKeeper: Sendable {
  private let file: TokenFile
  private let key: String

  init(_ file: TokenFile, _ settings: OAuth2.Settings) {
    self.file = file
    let grant = settings.grant == .clientCredentials ? "client_credentials" : "refresh_token"
    key = [
      settings.tokenURL, settings.clientID, grant, settings.scope ?? "", settings.audience ?? "",
    ]
    .joined(separator: " ")
  }

  /// Locks the file and reads what is there, nil if there is nothing; `close` or `save` ends that.
  func open() -> Result<(TokenFileLock, OAuth2Tokens?), TokenFile.Problem> {
    do throws(TokenFile.Problem) {
      let lock = try file.lock()
      do throws(TokenFile.Problem) {
        let tokens = try file.read().flatMap { $0.root[key] }.flatMap { OAuth2Tokens($0) }
        return .success((lock, tokens))
      } catch {
        lock.release()
        throw error
      }
    } catch {
      return .failure(error)
    }
  }

  func close(_ lock: TokenFileLock) { lock.release() }

  /// Puts the tokens beside those of others; gives the lock back.
  func save(_ tokens: OAuth2Tokens, _ lock: TokenFileLock) -> TokenFile.Problem? {
    defer { lock.release() }
    do throws(TokenFile.Problem) {
      var members: [JSONValue.Member] = []
      for (name, value) in try file.read()?.root.pairs ?? [] where name != key {
        members.append(.init(name, value.plainValue))
      }
      members.append(.init(key, tokens.json))
      try file.write(.object(members))
      return nil
    } catch {
      return error
    }
  }
}
