import LullClients
import LullCore
import LullHost
import LullLuaSource
import LullREPL
import LullTransport

/// Finds the logins of an API file or script. Runs the file up to its first request that needs a
/// login. That request is not sent.
struct LoginSearch {
  /// The logins that were found, and how to reach their server.
  struct Found {
    let logins: [OAuth2.Settings]
    /// A request as the file would send it, with the same connection settings and certificates.
    let request: HTTPRequest
    let context: AuthContext
  }

  private let word: String
  /// The name of the login to find. `nil`: all logins.
  private let name: String?

  init(_ word: String, name: String?) {
    self.word = word
    self.name = name
  }

  /// Runs the file, then `body` if there is at least one login. Returns the exit code.
  func run(_ body: (LuaHost, Found) -> Int32) -> Int32 {
    guard let path = APIFileLocator.file(of: word) else {
      Exit.complain("lull: \(APIFileLocator.missing(word))\n")
      return 3
    }
    let name = Array(path.utf8)
    let source: [UInt8]
    do throws(SourceFile.Unreadable) {
      source = SourceText.withoutFirstLineMarks(try SourceFile.read(name))
    } catch {
      Exit.complain("lull: cannot read '\(error.name)': \(error.reason)\n")
      return 3
    }
    if isInEnvironment(source) { return runInEnvironment(path, body) }
    guard let program = ScriptProgram.ofProcess() else { return 1 }
    var coordinator: OAuth2LoginCoordinator?
    let script = ScriptProgram.Script(
      name: name, source: source, folder: SourceFile.folder(of: name))
    return program.perform(
      after: script, words: words(path), first: -1,
      prepare: { host in
        // The first request that needs a login ends the file, like a call of `os.exit`.
        let made = OAuth2LoginCoordinator { [weak loop = host.loop] in loop?.exit(0) }
        coordinator = made
        host.permissions.loginCoordinator = made
      }
    ) { host, service in
      guard let coordinator else { return 1 }
      // Settings functions may create logins too.
      let request = service.map { CallRequest(resource: $0.resource("/"), method: .get).built() }
      let logins = coordinator.logins.filter { self.name == nil || $0.login?.name == self.name }
      guard !logins.isEmpty else {
        Exit.complain("lull: \(missing(path, coordinator.logins))\n")
        return 1
      }
      return body(host, found(logins, coordinator, try? request?.get(), host))
    }
  }

  /// Whether an environment is selected. In that case the file is an API file, not a script.
  private func isInEnvironment(_ source: [UInt8]) -> Bool {
    APIName(word).environment != nil
      || APIName.usualEnvironment != nil && DeclarationPlaces(source).has("environments")
  }

  /// Finds the logins that the service uses in its environment, but not the logins of other
  /// environments. (ENV-08)
  private func runInEnvironment(_ path: String, _ body: (LuaHost, Found) -> Int32) -> Int32 {
    CallRun.run(folder: SourceFile.folder(of: Array(path.utf8))) { host in
      let coordinator = OAuth2LoginCoordinator { [weak loop = host.loop] in loop?.exit(0) }
      host.permissions.loginCoordinator = coordinator
      let files = host.part(APIFiles.self)
      let api: APIFile
      do throws(APIFileProblem) {
        api = try files.api(word)
      } catch {
        let kind = error.exitCode == 1 ? "script_error" : "file"
        Exit.fail(files.describe(error), FailureFacts(kind))
        return error.exitCode
      }
      let logins = LoginSearch.logins(of: api.service)
      let wanted = logins.filter { name == nil || $0.login?.name == name }
      guard !wanted.isEmpty else {
        Exit.complain("lull: \(missing(api.fullName, logins))\n")
        return 1
      }
      let request = CallRequest(resource: api.service.resource("/"), method: .get).built()
      return body(host, found(wanted, coordinator, try? request.get(), host))
    }
  }

  private static func logins(of service: Service) -> [OAuth2.Settings] {
    var logins: [OAuth2.Settings] = []
    let other = Auth.bearer(SecretText("none"))
    for entry in service.configurationEntries {
      var settings = Configuration()
      settings.auth = other
      // A settings function that raises an error sets nothing.
      guard (try? entry.apply(&settings)) != nil, settings.auth !== other else { continue }
      // A setting for all resources replaces the previous ones.
      if entry.pattern == nil, entry.requestMethods == nil { logins = [] }
      guard let stage = settings.auth?.stage as? OAuth2, stage.settings.login != nil
      else { continue }
      let own = service.environment.map { stage.settings.kept(apart: $0.name) } ?? stage.settings
      if !logins.contains(own) { logins.append(own) }
    }
    return logins
  }

  /// The command line that the file gets. An API file gets its name as an argument.
  private func words(_ path: String) -> [[UInt8]] {
    let parts = path.split(separator: "/")
    let isAPI = !APIFileLocator.isPath(word) || parts.dropLast().last == "apis"
    let name = parts.last.map { $0.hasSuffix(".lua") ? $0.dropLast(4) : $0 } ?? ""
    return ["lull", path].map { Array($0.utf8) } + (isAPI ? [Array(name.utf8)] : [])
  }

  private func missing(_ path: String, _ others: [OAuth2.Settings]) -> String {
    let names = others.compactMap { $0.login?.name }
    guard let name, !names.isEmpty else {
      return
        "'\(path)' has no login: declare one with lull.auth.oauth2_code or lull.auth.oauth2_device"
    }
    return "'\(path)' has no login '\(name)'; it has \(names.joined(separator: ", "))"
  }

  private func found(
    _ logins: [OAuth2.Settings], _ coordinator: OAuth2LoginCoordinator, _ request: HTTPRequest?,
    _ host: LuaHost
  ) -> Found {
    if let need = coordinator.need {
      return Found(logins: logins, request: need.request, context: need.context)
    }
    let context = AuthContext(
      networking: host.environment.defaultNetworking(), pump: host.environment.pump)
    let plain = HTTPRequest(method: .get, url: logins[0].tokenURL)
    return Found(logins: logins, request: request ?? plain, context: context)
  }
}
