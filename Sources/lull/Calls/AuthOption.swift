import LullArguments
import LullCore
import LullTransport

/// The credentials that `-a` and `-A` give.
struct AuthOption: Equatable {
  enum Kind: String, CaseIterable {
    case basic
    case bearer
    case digest
    case netrc
    case awsSigv4 = "aws-sigv4"

    /// The argument that `-a` takes with this authentication method.
    var text: String {
      switch self {
      case .basic, .digest: "USER[:PASSWORD]"
      case .bearer: "TOKEN"
      case .netrc: "the name to log in with"
      case .awsSigv4: "ACCESS_KEY[:SECRET_KEY]"
      }
    }
  }

  let kind: Kind
  /// A user, a login or an access key. `nil` if none is needed.
  let user: String?
  /// A password, a key or a token. `nil` if not needed, or not entered yet.
  var secret: String?

  /// Reads `-a` and `-A`. The result is `nil` if neither option is given.
  init?(_ words: ParsedArguments, for command: Command) throws(CommandEnd) {
    let text = words.text("-a")
    let kind = words.text("-A").flatMap { Kind(rawValue: $0) }
    guard text != nil || kind != nil else { return nil }
    self.kind = kind ?? .basic
    guard text?.isEmpty != true else {
      throw .wrongUsage("-a needs \(self.kind.text), got an empty value", command)
    }
    if let problem = text.flatMap({ Headers.valueProblem($0.utf8) }) {
      throw .wrongUsage("the value of -a \(problem)", command)
    }
    switch self.kind {
    case .bearer: (user, secret) = (nil, text)
    case .netrc:
      guard text?.contains(":") != true else {
        throw .wrongUsage(
          "-A netrc reads the password from the netrc file: -a is the name to log in with", command)
      }
      user = text
    case .basic, .digest, .awsSigv4:
      // Without -a, aws-sigv4 reads the keys from the environment.
      guard let text else {
        user = nil
        return
      }
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      user = String(parts[0])
      secret = parts.count > 1 ? String(parts[1]) : nil
    }
  }

  init(_ kind: Kind, user: String?, secret: String?) {
    self.kind = kind
    self.user = user
    self.secret = secret
  }

  /// The credentials in a URL, before its host. `nil` if the URL has no credentials.
  init?(inURL url: String) {
    guard let text = LogText.userInfo(of: url), !text.isEmpty else { return nil }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map {
      let bytes = (try? PercentEncoding.decode(ArraySlice($0.utf8))) ?? Array($0.utf8)
      return String(decoding: bytes, as: UTF8.self)
    }
    self.init(.basic, user: parts[0], secret: parts.count > 1 ? parts[1] : "")
  }

  /// The name of the missing secret, for the prompt. `nil` if nothing is missing.
  private var question: String? {
    guard secret == nil else { return nil }
    switch kind {
    case .basic, .digest: return "password of \(LogText.part(user, limit: 60))"
    case .bearer: return "token"
    case .awsSigv4: return user.map { "secret key of \(LogText.part($0, limit: 60))" }
    case .netrc: return nil
    }
  }

  /// Prompts for the missing secret on the terminal.
  ///
  /// Returns `nil` on success, 2 if there is no terminal or no usable input, and 130 if the user
  /// pressed Ctrl-C.
  mutating func complete() -> Int32? {
    guard let question else { return nil }
    switch PasswordPrompt.ask("lull: \(question): ") {
    case .text(let text):
      if let problem = Headers.valueProblem(text.utf8) {
        Exit.complain("lull: the \(question) \(problem)\n")
        return 2
      }
      secret = text
      return nil
    case .interrupted: return 130
    case .nothing:
      Exit.complain("lull: the \(question) was not given: nothing is sent\n")
      return 2
    case .noTerminal:
      Exit.complain(
        "lull: cannot ask for the \(question) without a terminal: give -a \(kind.text), or use "
          + "-A netrc to read ~/.netrc\n")
      return 2
    }
  }

  /// The credentials for a request. A missing secret is replaced by an empty text. That happens
  /// only if the request is shown instead of sent (`--curl`, `--dry-run`).
  var auth: Auth {
    let hidden = SecretText(Secret(.literal(secret ?? ""), name: "-a"))
    switch kind {
    case .basic: return .basic(user: user ?? "", password: hidden)
    case .bearer: return .bearer(hidden)
    case .digest: return .digest(user: SecretText(user ?? ""), password: hidden)
    case .netrc: return .netrc(login: user)
    case .awsSigv4:
      guard let user else { return .awsSignature(.environment) }
      return .awsSignature(
        AWSCredentials(accessKey: SecretText(user), secretKey: hidden))
    }
  }
}
