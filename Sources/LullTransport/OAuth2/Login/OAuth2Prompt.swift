/// What a person is to do so that a program may act for them: shown by the closure that is given to
/// `Auth.logIn`.
public enum OAuth2Prompt: Sendable, Equatable {
  /// Open this URL in a browser on this machine.
  case open(url: String)
  /// Open `url` in a browser anywhere, and type the code; `complete` has it already, if there is one, and
  /// may be shown as a picture.
  case enter(code: String, url: String, complete: String?)
}
