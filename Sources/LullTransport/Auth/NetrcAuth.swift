import LullLibC
import LullCore
import LullSystem

/// User and password from a netrc file, by the host that is asked, as `Authorization: Basic …`.
///
/// The file is read when the first request needs it, and again when it has changed. Home thread only.
/// Lua: `lull.auth.netrc()`.
final class NetrcAuth: AuthStage {
  struct Settings: Equatable, Sendable {
    /// nil: what the variable `NETRC` names, else `~/.netrc`.
    var path: String?
    /// The name to log in with, where the file has several for a host.
    var login: String?
    /// Whether a host of which the file has nothing is asked without, or no file is there.
    var isOptional = false
  }

  private let settings: Settings
  private var known: (stamp: FileStamp, path: String, file: NetrcFile)?

  init(_ settings: Settings) { self.settings = settings }

  /// What is seen of it.
  var shown: String { "Basic ‹netrc \(settings.path ?? "~/.netrc")›" }

  /// By the content of the file.
  var identity: SecretText {
    SecretText("netrc \(settings.login ?? "") ") + SecretText(Secret(.file(path)))
  }

  private var path: String {
    if let path = settings.path { return HomeFolder.expanded(path) }
    // Copied before anybody can change the environment.
    let variable = getenv("NETRC").map { String(escapingCString: $0) } ?? ""
    return HomeFolder.expanded(variable.isEmpty ? "~/.netrc" : variable)
  }

  func authorize(
    _ request: HTTPRequest, in context: AuthContext,
    proceed: @escaping (Result<AuthorizedRequest, TransportError>) -> Void
  ) -> (() -> Void)? {
    guard request.headers["authorization"] == nil else {
      proceed(.success(AuthorizedRequest(request)))
      return nil
    }
    let path = path
    if let known, known.path == path, FileStamp.of(Array(path.utf8)) == known.stamp {
      proceed(authorized(request, known.file))
      return nil
    }
    let sign = StopSign()
    context.pump.offload({ NetrcAuth.read(path) }) { [self] result in
      if case .success(let found) = result {
        known = found.map { ($0.stamp, path, $0.file) }
      }
      guard !sign.isSet else { return }
      proceed(
        result.flatMap { found in
          if let found { return authorized(request, found.file) }
          return settings.isOptional
            ? .success(AuthorizedRequest(request))
            : .failure(NetrcAuth.failure("\(path) is not there"))
        })
    }
    return { sign.set() }
  }

  private func authorized(_ request: HTTPRequest, _ file: NetrcFile)
    -> Result<AuthorizedRequest, TransportError>
  {
    let host = ResourceURL.address(of: request.url)?.host ?? ""
    guard let login = file.login(for: host, named: settings.login) else {
      if settings.isOptional { return .success(AuthorizedRequest(request)) }
      let name = settings.login.map { " with the name '\(LogText.part($0, limit: 80))'" } ?? ""
      return .failure(
        NetrcAuth.failure("\(path) has no login for \(host)\(name) (optional = true goes without)"))
    }
    guard let name = login.name, !name.contains(":") else {
      return .failure(
        NetrcAuth.failure(
          "\(path) says \(login.name == nil ? "no name to log in with" : "a name with a colon") for "
            + host))
    }
    var http = request
    // Of a service without a home, the host that the file names is one; who else it asks is none.
    let isHome = http.secrets?.origin == nil && login.machine != nil
    let password = Secret(
      .literal(login.password), name: "netrc \(host)", origins: isHome ? [http.origin] : [])
    Auth.basic(user: name, password: SecretText(password)).put(on: &http)
    if let problem = http.secretOriginProblem { return .failure(problem) }
    return .success(AuthorizedRequest(http))
  }

  /// What is in the file; nil if there is none.
  private static func read(_ path: String)
    -> Result<(stamp: FileStamp, file: NetrcFile)?, TransportError>
  {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      if code == ENOENT { return .success(nil) }
      return .failure(failure("\(path) cannot be read (\(ErrorText.of(code)))"))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return .failure(failure("\(path) is not a regular file"))
    }
    guard status.st_mode & 0o077 == 0 else {
      return .failure(failure("\(path) may be read by others, and is not used: chmod 600 it"))
    }
    guard let bytes = SecretFile.content(of: descriptor) else {
      return .failure(failure("\(path) cannot be read to its end, or is larger than 64 KB"))
    }
    do throws(NetrcFile.Problem) {
      return .success((FileStamp(status), try NetrcFile(bytes)))
    } catch {
      return .failure(failure("\(path), line \(error.line): \(error.reason)"))
    }
  }

  private static func failure(_ reason: String) -> TransportError {
    TransportError(.secretUnavailable, "no login from a netrc file: \(reason)")
  }
}
