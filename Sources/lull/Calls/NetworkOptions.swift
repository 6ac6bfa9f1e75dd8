import LullArguments
import LullCore
import LullSystem

/// The connection, credentials and session of a request, from the command line. They override the
/// configuration of the API file. `OptionTable` declares the options.
struct NetworkOptions: Equatable {
  var auth: AuthOption?
  var proxy: ProxyRule?
  var certificateAuthorities: String?
  var certificate: String?
  var key: String?
  var unixSocket: String?
  /// Whether the command line removes the configured credentials: `Authorization:`.
  var isAnonymous = false
  var redirects: RedirectRule?
  var httpVersion: HTTPVersion?
  /// The session that is stored between requests.
  var session: SessionOption?
  /// The cookies of the session.
  var cookies: CookieJar?

  init() {}

  init(_ words: ParsedArguments, for command: Command) throws(CommandEnd) {
    auth = try AuthOption(words, for: command)
    proxy = try words.text("--proxy").map { text throws(CommandEnd) in
      if text == "none" { return .none }
      // The text may contain a password.
      if let problem = ProxyAddress.problem(with: text) {
        throw .wrongUsage(
          "--proxy needs none, or a URL such as http://host:3128 for both http and https: "
            + problem, command)
      }
      return .url(text)
    }
    certificateAuthorities = try NetworkOptions.file("--ca-file", words, command)
    certificate = try NetworkOptions.file("--cert", words, command)
    key = try NetworkOptions.file("--key", words, command)
    unixSocket = words.text("--unix-socket")
    let limit = words.text("--max-redirects").flatMap { Int($0) }
    redirects =
      words.isTakenBack("--follow") ? .answer : limit.map { .follow(atMost: $0) }
    session = SessionOption(words)
    httpVersion = words.text("--http").flatMap { HTTPVersion(rawValue: $0) }
  }

  private static func file(
    _ name: String, _ words: ParsedArguments, _ command: Command
  ) throws(CommandEnd) -> String? {
    guard let path = words.text(name) else { return nil }
    if let reason = ReadableFile.problem(Array(path.utf8)) {
      throw .wrongUsage("\(name): cannot read '\(path)': \(reason)", command)
    }
    return path
  }

  /// Applies these options on top of the configuration.
  func apply(to settings: inout Configuration) {
    if let auth {
      settings.auth = auth.auth
      settings.headers.remove("authorization")
    }
    if isAnonymous {
      settings.auth = nil
      settings.headers.remove("authorization")
    }
    guard self != NetworkOptions() else { return }
    settings.setOptions { transfer in
      if let proxy { transfer.connection.proxy = proxy }
      if let certificateAuthorities {
        transfer.connection.certificateAuthorities = certificateAuthorities
      }
      if let certificate {
        transfer.connection.clientCertificate = certificate
        transfer.connection.clientKey = key
      }
      if let unixSocket { transfer.connection.unixSocket = unixSocket }
      if let cookies { transfer.cookies = cookies }
      if let redirects { transfer.redirects = redirects }
      if let httpVersion { transfer.connection.httpVersion = httpVersion }
    }
  }
}
