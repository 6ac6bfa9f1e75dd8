import LullClients
import LullCore
import LullHost
import LullImport
import LullSchemas
import LullSystem
import LullTransport

/// Inspects an API file in the sandbox without network access, and converts it to a format of other
/// programs.
///
/// Environment variables count as not set, so that their values are not written. A second
/// inspection finds parts that exist only if a variable is set, such as an optional token.
struct APIExport {
  /// The file to inspect.
  let path: String
  /// The environment to export. If it is `nil` and `usesVariable` is set, `LULL_ENV` names the
  /// environment. Otherwise the API without an environment is exported, with the servers of all its
  /// environments.
  let environment: String?
  /// Whether `LULL_ENV` may name the environment.
  private var usesVariable = true
  /// The participle in messages of the form "it cannot be …", such as "exported".
  private var purpose = "exported"
  /// Patterns for names and paths of calls. Empty: all calls.
  var only: [String] = []

  init(path: String, environment: String?) {
    self.path = path
    self.environment = environment
  }

  /// The results of one inspection.
  private struct Sight {
    var name = ""
    var description: String?
    var baseURL: String?
    var environments: [String] = []
    /// The environment of the inspection.
    var environment: String?
    var calls: [ExportedAPI.Call] = []
    var schemas: SchemaFile?
    var settings = ExportedSettings()
    /// Command lines, in the order of the calls.
    var lines: [CurlLines.Line] = []
    var problem: String?
  }

  /// Returns the text, the number of calls in it, and the parts that can't be exported.
  ///
  /// - Parameter origin: Returns the command line that repeats the export in the given environment.
  func made(as asCurl: Bool, _ origin: (String?) -> String) throws(CommandFailure) -> (
    text: [UInt8], count: Int, leftOut: [ExportedAPI.LeftOut]
  ) {
    let (first, variables) = try inspect(environment, lines: asCurl)
    let origin = origin(first.environment)
    var sight = first
    if let problem = sight.problem {
      throw CommandFailure(code: 3, message: "lull: \(problem)\n")
    }
    guard only.isEmpty || !sight.calls.isEmpty else {
      let shown = only.map { "'\($0)'" }.joined(separator: ", ")
      throw CommandFailure(
        code: 2,
        message: ControlCharacters.shown(
          in: "lull: \(shown) matches no name or path of a call of '\(sight.name)'\n"))
    }
    if !variables.isEmpty { addOptional(to: &sight, lines: asCurl) }
    guard !asCurl else {
      let curl = CurlLines(name: sight.name, description: sight.description, origin: origin)
      let text = curl.text(sight.lines)
      return (Array(text.text.utf8), text.count, text.leftOut)
    }
    let (api, leftOut) = try api(sight, origin)
    let document = OpenAPIWriter.document(of: api)
    return (
      document.text, document.count, leftOut + document.leftOut + sight.settings.leftOut
    )
  }

  /// Inspects the API for a description, without using this machine's environment variables.
  static func described(_ path: String, _ environment: String?) throws(CommandFailure)
    -> ExportedAPI
  {
    var export = APIExport(path: path, environment: environment)
    export.usesVariable = false
    export.purpose = "described"
    var (sight, variables) = try export.inspect(environment, lines: false)
    if !variables.isEmpty { export.addOptional(to: &sight, lines: false) }
    return try export.api(sight, "").api
  }

  private func api(_ sight: Sight, _ origin: String) throws(CommandFailure) -> (
    api: ExportedAPI, leftOut: [ExportedAPI.LeftOut]
  ) {
    var api = ExportedAPI(name: sight.name, origin: origin)
    api.description = sight.description
    api.calls = sight.calls
    api.schemas = sight.schemas
    api.isWhole = only.isEmpty
    api.baseURL = sight.baseURL
    let leftOut = try addServers(of: sight, to: &api)
    return (api, leftOut)
  }

  // MARK: Inspection

  private func inspect(_ environment: String?, lines: Bool) throws(CommandFailure) -> (
    Sight, variables: [String]
  ) {
    let inspection = inspection(in: environment)
    var sight = Sight()
    var (outcome, variables) = inspection.inspectInSandbox(settingVariables: false) {
      api throws(APIFileProblem) in sight = try self.sight(api, lines: lines)
    }
    if case .wrong = outcome, !variables.isEmpty {
      // The file needs its variables. Repeat with a placeholder for each of them.
      let (second, _) = inspection.inspectInSandbox(settingVariables: true) {
        api throws(APIFileProblem) in sight = try self.sight(api, lines: lines)
      }
      if case .seen = second {
        let names = variables.map { "'\($0)'" }.joined(separator: ", ")
        ExportCommand.tell(
          "values that the file computes from \(names) are exported with the word 'secret' in place of each variable"
        )
        outcome = second
        variables = []
      }
    }
    switch outcome {
    case .seen: return (sight, variables)
    case .needs(let note):
      throw CommandFailure(
        code: 1, message: "lull: \(note): the API cannot be \(purpose) without running the file\n")
    case .module(let report): throw CommandFailure(code: 1, message: report)
    case .wrong(let report, let code): throw CommandFailure(code: code, message: report)
    case .ended(let code): throw CommandFailure(code: code, message: "")
    }
  }

  private func inspection(in environment: String?) -> APIInspection {
    APIInspection(
      path, environment: environment, usesVariable: usesVariable, isSilent: true, isPatient: true)
  }

  private func sight(_ api: APIFile, lines: Bool) throws(APIFileProblem) -> Sight {
    var sight = Sight()
    sight.name = api.name
    sight.environment = api.environment?.name
    sight.description = api.description
    sight.baseURL = api.service.baseURL.map { url in
      // Paths begin with a slash.
      let text = LogText.url(url.text)
      return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
    sight.environments = api.environments
    do throws(SchemaProblem) {
      sight.schemas = try (api.service.schemas as? CallSchemas)?.openedFile()
    } catch {
      sight.problem = "\(error)"
    }
    // The calls can't be read after the inspection, so read everything from them now.
    for call in try api.calls where isWanted(call) {
      let resource = api.service.resource(CallPath(call.path))
      let configuration = resource.configuration(for: call.method)
      var exported = ExportedAPI.Call(call)
      if let auth = configuration.auth {
        for one in ExportedAccess.all(of: auth) { exported.add(ofSettings: one) }
      }
      exported.take(headers: configuration.headers)
      if lines {
        sight.lines.append(CurlLines.line(for: call, of: api, configuration.auth))
      } else {
        sight.settings.add(resource, call.method)
      }
      sight.calls.append(exported)
    }
    return sight
  }

  private func isWanted(_ call: APICall) -> Bool {
    guard !only.isEmpty else { return true }
    let patterns = only.map { NamePattern($0) }
    return patterns.contains { $0.matches(call.name) || $0.matches(call.path) }
  }

  /// Adds credentials that exist only if an environment variable is set.
  private func addOptional(to sight: inout Sight, lines: Bool) {
    var other = Sight()
    let (outcome, _) = inspection(in: environment).inspectInSandbox(settingVariables: true) {
      api throws(APIFileProblem) in other = try self.sight(api, lines: lines)
    }
    guard case .seen = outcome, other.calls.count == sight.calls.count else { return }
    for place in sight.calls.indices
    where sight.calls[place].call.name == other.calls[place].call.name
      && sight.calls[place].access.count < other.calls[place].access.count
    {
      sight.calls[place].least = sight.calls[place].access
      sight.calls[place].access = other.calls[place].access
      if lines, other.baseURL == sight.baseURL { sight.lines[place] = other.lines[place] }
    }
  }

  // MARK: Servers

  /// Adds the servers and environments to `api`. Returns the parts that can't be exported.
  private func addServers(
    of sight: Sight, to api: inout ExportedAPI
  ) throws(CommandFailure) -> [ExportedAPI.LeftOut] {
    var servers: [ExportedAPI.Server] = []
    defer { api.servers = servers }
    var leftOut: [ExportedAPI.LeftOut] = []
    if let url = sight.baseURL {
      servers.append(.init(url: url, description: sight.environment))
    } else {
      leftOut.append(.init("the server", "the service has no base URL"))
    }
    guard sight.environment == nil else { return leftOut }
    for name in sight.environments {
      let (other, _) = try inspect(name, lines: false)
      api.environments.append((name, other.baseURL))
      let differs = zip(sight.calls, other.calls).contains { one, other in
        one.access.map(\.way) != other.access.map(\.way)
          || !one.headers.elementsEqual(other.headers, by: ==)
      }
      // Headers that depend on a variable are the same in all environments.
      if differs, !sight.calls.contains(where: { $0.least != nil }) {
        leftOut.append(
          .init(
            "headers and access of the environment '\(name)'",
            "they differ from those without an environment: use 'lull export \(sight.name)@\(name)'"
          )
        )
      }
      guard let url = other.baseURL else { continue }
      if let place = servers.firstIndex(where: { $0.url == url && $0.description == nil }) {
        servers[place].description = name
      } else {
        servers.append(.init(url: url, description: name))
      }
    }
    return leftOut
  }
}

/// Settings of an API file for its requests that no document format can express.
struct ExportedSettings {
  private var names: Set<String> = []
  /// The functions among the settings, each with its place in the file.
  private var functions: Set<String> = []

  mutating func add(_ resource: Resource, _ method: RequestMethod) {
    let explanation = ResourceExplanation(of: resource, method: method, LullHost.Setting.explained)
    for setting in explanation.settings {
      guard let place = setting.source?.place, setting.name != "auth",
        !setting.name.hasPrefix("headers.")
      else { continue }
      if setting.functionCount > 0 {
        functions.insert("'\(setting.name)' (\(place))")
      } else {
        names.insert(setting.name)
      }
    }
  }

  var leftOut: [ExportedAPI.LeftOut] {
    var leftOut: [ExportedAPI.LeftOut] = functions.sorted().map {
      .init($0, "functions cannot be exported")
    }
    if !names.isEmpty {
      let shown = names.sorted().map { "'\($0)'" }.joined(separator: ", ")
      leftOut.append(
        .init(
          names.count == 1 ? "the setting \(shown)" : "the settings \(shown)",
          "the connection is not part of an OpenAPI document"))
    }
    return leftOut
  }
}

extension ExportedAccess {
  /// The security schemes of an `Auth`.
  static func all(of auth: Auth) -> [ExportedAccess] {
    if let stage = auth.stage as? OAuth2 { return [access(of: stage.settings)] }
    let secret = auth.identity.secrets.last
    switch auth.login {
    case .basic?, .netrc?: return [ExportedAccess(.basic, secret: secret)]
    case .digest?: return [ExportedAccess(.digest, secret: secret)]
    case .signature?: return [ExportedAccess(.signature)]
    case nil: break
    }
    switch auth.credential {
    case .header("cookie", let value) where value.cookies.count > 1:
      return value.cookies.map { ExportedAccess(header: "cookie", $0.text) }
    case .header(let name, let value), .stage(_, let name, let value):
      return [
        value.secrets.isEmpty
          ? ExportedAccess(writtenHeader: name, value.masked) : ExportedAccess(header: name, value)
      ]
    case .query(let credential):
      return credential.all.map { name, value in
        ExportedAccess(.key(place: .query, name: name, prefix: ""), secret: value.secrets.first)
      }
    }
  }

  private static func access(of settings: OAuth2.Settings) -> ExportedAccess {
    let scopes = settings.scope?.split(separator: " ").map(String.init) ?? []
    let secret = settings.clientSecret?.secrets.first
    let token = LogText.url(settings.tokenURL)
    switch settings.grant {
    case .clientCredentials:
      return ExportedAccess(
        .clientCredentials(tokenURL: token), secret: secret, scopes: scopes)
    case .login(let login):
      let way: ExportedAccess.Way =
        switch login.way {
        case .code(let code):
          .code(authorizationURL: LogText.url(code.authorizationURL), tokenURL: token)
        case .device(let url): .device(deviceURL: LogText.url(url), tokenURL: token)
        }
      var access = ExportedAccess(way, secret: secret, scopes: scopes)
      access.needsLogin = true
      return access
    case .refresh: break
    }
    // OpenAPI can't describe a refresh token that was obtained earlier either.
    return ExportedAccess(.bearer)
  }
}
