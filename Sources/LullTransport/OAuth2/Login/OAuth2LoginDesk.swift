package import LullCore

/// Who fetches logins: notes those that a program has made, and the first request that needs one.
///
/// While there is one, no such request is sent. Home thread only.
package final class OAuth2LoginDesk {
  /// In the order they were made, each once.
  package private(set) var logins: [OAuth2.Settings] = []
  /// The request that has needed one, and by what it would have been sent.
  package private(set) var need: (request: HTTPRequest, context: AuthContext)?
  private let whenNeeded: () -> Void

  /// - Parameter whenNeeded: called with the first such request.
  package init(whenNeeded: @escaping () -> Void) {
    self.whenNeeded = whenNeeded
  }

  package func note(_ settings: OAuth2.Settings) {
    if settings.login != nil, !logins.contains(settings) { logins.append(settings) }
  }

  /// Whether the request is kept from going on.
  func takes(_ request: HTTPRequest, in context: AuthContext, for settings: OAuth2.Settings) -> Bool
  {
    guard settings.login != nil else { return false }
    if need == nil {
      need = (request, context)
      whenNeeded()
    }
    return true
  }
}
