import LullArguments
import LullCore
import LullSystem

/// How a request gets to whom, as the command line says: what verbs and `lull call` share, over what an
/// API's file has configured.
struct NetworkOptions: Equatable {
  var auth: AuthOption?
  var proxy: ProxyRule?
  var certificateAuthorities: String?
  var certificate: String?
  var key: String?
  var unixSocket: String?
  /// Whether the line takes away what is configured of who asks: `Authorization:`.
  var isAnonymous = false
  var redirects: RedirectRule?
  var httpVersion: HTTPVersion?
  /// What is kept between requests.
  var session: SessionOption?
  /// The cookies of that.
  var cookies: CookieJar?

  static var arguments: [Argument] {
    AuthOption.arguments + [
      .init(
        names: ["--proxy"], placeholder: "URL",
        help: "go by this proxy, such as http://host:3128 or socks5h://host; none goes by none"),
      .init(
        names: ["--ca-file"], placeholder: "FILE",
        help: "trust the certificates in this file (PEM) instead of the system's"),
      .init(
        names: ["--cert"], placeholder: "FILE",
        help: "show this certificate (PEM) to servers that ask for one"),
      .init(
        names: ["--key"], placeholder: "FILE", help: "its key, if the file of --cert has none"),
      .init(
        names: ["--unix-socket"], placeholder: "PATH",
        help: "ask through this socket of the machine; the URL names the host then"),
      following,
      .init(
        names: ["--max-redirects"], kind: .integer, placeholder: "N",
        help: "fail after more redirects than these, of which there may be 100; 10 unless given"),
      .init(
        names: ["--http"], placeholder: "VERSION", choices: HTTPVersion.allCases.map(\.rawValue),
        help:
          "the newest version of HTTP to speak; 2 of http:// without asking whether the server can"),
    ] + SessionOption.arguments
  }

  private static var following: Argument {
    var argument = Argument(
      names: ["--follow"], kind: .flag,
      help: "follow redirects, which is so in any case; with no, they are answers")
    argument.isOn = true
    return argument
  }

  init() {}

  init(_ words: ParsedArguments, for command: Command) throws(CommandEnd) {
    auth = try AuthOption(words, for: command)
    proxy = try words.text("--proxy").map { text throws(CommandEnd) in
      if text == "none" { return .none }
      // It may hold a password.
      if let problem = ProxyAddress.problem(with: text) {
        throw .wrongUsage(
          "--proxy needs none or a URL such as http://host:3128, which is for http and https alike: "
            + problem, command)
      }
      return .url(text)
    }
    certificateAuthorities = try NetworkOptions.file("--ca-file", words, command)
    certificate = try NetworkOptions.file("--cert", words, command)
    key = try NetworkOptions.file("--key", words, command)
    guard key == nil || certificate != nil else {
      throw .wrongUsage("--key is the key of a certificate: --cert is missing", command)
    }
    try readSocket(words, command)
    try readRedirects(words, command)
    session = try SessionOption(words, for: command)
    httpVersion = words.text("--http").flatMap { HTTPVersion(rawValue: $0) }
  }

  private static func file(
    _ name: String, _ words: ParsedArguments, _ command: Command
  ) throws(CommandEnd) -> String? {
    guard let path = words.text(name) else { return nil }
    guard !path.isEmpty else { throw .wrongUsage("\(name) needs the name of a file", command) }
    if let reason = ReadableFile.problem(Array(path.utf8)) {
      throw .wrongUsage("\(name): cannot read '\(path)': \(reason)", command)
    }
    return path
  }

  private mutating func readSocket(
    _ words: ParsedArguments, _ command: Command
  ) throws(CommandEnd) {
    guard let path = words.text("--unix-socket") else { return }
    let most = ConnectionOptions.longestSocketPath
    guard (1...most).contains(path.utf8.count) else {
      throw .wrongUsage(
        "--unix-socket needs a path of 1 to \(most) bytes, got \(path.utf8.count)", command)
    }
    if case .url? = proxy {
      throw .wrongUsage(
        "--unix-socket is the way to the server: it does not go with --proxy", command)
    }
    unixSocket = path
  }

  private mutating func readRedirects(
    _ words: ParsedArguments, _ command: Command
  ) throws(CommandEnd) {
    if words.isTakenBack("--follow") { redirects = .answer }
    guard let text = words.text("--max-redirects") else { return }
    guard let limit = Int(text), (0...100).contains(limit) else {
      throw .wrongUsage(
        "--max-redirects needs a whole number from 0 to 100, got '\(text)'", command)
    }
    guard redirects == nil else {
      throw .wrongUsage("--no-follow follows none: it does not go with --max-redirects", command)
    }
    redirects = .follow(atMost: limit)
  }

  /// Puts it over what is configured.
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
