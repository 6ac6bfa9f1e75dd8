public import LullCore

/// What has come of a login.
public struct OAuth2LoginResult {
  /// What to configure from now on: it is told apart from what was there before this login, so that a cache
  /// on disk gives nobody what it keeps of another.
  public let auth: Auth
  /// The file that has the tokens.
  public let tokenFile: String
  /// Seconds until somebody has to log in again; nil where tokens are renewed, or the service says when.
  public let lifetime: Double?
}

/// What has become of the tokens of a login that was taken away.
public enum OAuth2LogoutResult: Sendable, Equatable {
  /// There were none.
  case absent
  /// They are removed here; there is no place to give them back to.
  case removed
  /// They are removed here, and their server takes them no more.
  case revoked
  /// They are removed here; in words, why they may be good elsewhere still.
  case unrevoked(String)
}
