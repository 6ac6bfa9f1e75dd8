import CLullBridge
import LullArguments
import LullCore
import LullHost
import LullLuaSource

/// Reads the environments of an API file, one of which may be selected.
extension APIDeclaration {
  static let environmentKeys = ["base_url", "env_file", "confirm_writes", "offline"]

  /// The settings of an environment.
  private struct Settings {
    var baseURL: String?
    var confirmsWrites = false
    var isOffline: Bool?
    var changes: [(inout Configuration) -> Void] = []
  }

  /// Returns the names of all environments in file order, and applies the selected environment to
  /// the service.
  func environments(_ table: Int32, _ state: OpaquePointer?, _ service: Service)
    throws(APIFileProblem) -> [String]
  {
    var names: [String] = []
    var chosen: Settings?
    var failure: APIFileProblem?
    let visited = Result { () throws(Misuse) in
      try LuaTable(table, in: state).forEachField { key, value throws(Misuse) in
        do throws(APIFileProblem) {
          let name = try environment(key, value)
          names.append(name)
          if name == wish?.name {
            chosen = try settings(
              of: name, LuaTable.visitedIndex(in: state), state, service)
          }
        } catch {
          if !note(error) { failure = error.first(of: failure) }
        }
      }
    }
    if let failure { throw failure }
    if case .failure(let misuse) = visited { throw problem(["environments"], misuse.text) }
    let lines = Dictionary(
      uniqueKeysWithValues: names.map { ($0, places.line(of: ["environments", $0])) })
    names.sort { (lines[$0] ?? 0, $0) < (lines[$1] ?? 0, $1) }
    guard let wish else { return names }
    guard let chosen else {
      if names.contains(wish.name) { return names }
      throw .missing(missing(wish, among: names))
    }
    try enter(wish.name, chosen, service)
    return names
  }

  /// Throws if the service belongs to a module, because two environments would then share it.
  func checkOwner(of service: Service) throws(APIFileProblem) {
    guard service.environment != nil || wish != nil && isTaken(service) else { return }
    throw problem(
      ["service"],
      "the service belongs to another environment: a file with environments must make its own "
        + "service each time it runs, not share one from a module")
  }

  /// Returns the message for an unknown environment.
  func missing(_ wish: EnvironmentWish, among names: [String]) -> String {
    let start = "'\(name)' has no environment '\(wish.shownName)'\(wish.origin)"
    guard !names.isEmpty else { return start + ": it has none" }
    let near = NearestName.suggestion(for: wish.name, among: names)
    return start + (near.map { " (did you mean '\($0)'?)" } ?? "")
      + "; it has \(names.joined(separator: ", "))"
  }

  /// Returns the problem that `LULL_ENV` was ignored. The file declares environments, but its
  /// source did not show that. Therefore the file was run without an environment.
  func unheeded(_ wish: EnvironmentWish) -> APIFileProblem {
    problem(
      ["environments"],
      "LULL_ENV names the environment '\(wish.shownName)', but LULL_ENV only applies if the file "
        + "itself has 'environments = { … }': use '\(name)@\(wish.shownName)'")
  }

  private func environment(_ key: lull_value, _ value: lull_value) throws(APIFileProblem) -> String
  {
    guard let name = key.string, APIName.isEnvironment(name) else {
      throw problem(
        ["environments"] + (key.string.map { [$0] } ?? []),
        "environment names have letters, digits, '-' and '_', got \(key.described)")
    }
    guard value.kind == Int32(LULL_TABLE) else {
      throw problem(
        ["environments", name], "environment '\(name)' must be a table, got \(value.described)")
    }
    return name
  }

  private func settings(
    of name: String, _ table: Int32, _ state: OpaquePointer?, _ service: Service
  ) throws(APIFileProblem) -> Settings {
    var settings = Settings()
    try visit(
      table, state, Self.environmentKeys + Setting.names, at: ["environments", name],
      prefix: "environment '\(name)': "
    ) { key, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: state)
      switch key {
      case "base_url":
        let text = try value.text(key)
        guard let url = ResourceURL.base(text), ["http", "https"].contains(url.scheme) else {
          throw .message(
            "'base_url' must begin with https:// or http://, got "
              + "'\(CredentialMask.malformedURL(text))'")
        }
        settings.baseURL = text
      case "env_file": try check(variablesFile: try value.text(key))
      case "confirm_writes", "offline":
        guard let flag = value.bool else {
          throw .message("'\(key)' must be true or false, got \(value.described)")
        }
        if key == "offline" { settings.isOffline = flag } else { settings.confirmsWrites = flag }
      default:
        try value.requireText("'\(key)'")
        if let change = try reader.change(key, value, index, state, for: service) {
          settings.changes.append(change)
        }
      }
    }
    return settings
  }

  /// Checks that the script names the same file of variables as the literal in its source. The file
  /// named by the literal was read before the script ran.
  private func check(variablesFile text: String) throws(Misuse) {
    guard text == variablesFile else {
      throw .message(
        "'env_file' must be a literal string: it is read before the file is run")
    }
  }

  private func enter(_ name: String, _ settings: Settings, _ service: Service)
    throws(APIFileProblem)
  {
    let keys = ["environments", name]
    let place = SourcePlace(file: path, line: places.line(of: keys))
    let environment = ServiceEnvironment(name, confirmsWrites: settings.confirmsWrites)
    let basePlace = settings.baseURL.map { _ in
      SourcePlace(file: path, line: places.line(of: keys + ["base_url"]))
    }
    guard
      service.enter(
        environment, baseURL: settings.baseURL, place: place, basePlace: basePlace)
    else {
      throw problem(
        keys + ["base_url"],
        "environment '\(name)': 'base_url' comes too late: the file has already made a resource of "
          + "its service; pass the URL to lull.service instead ('local name, environment = ...' gives "
          + "the environment's name)")
    }
    if let isOffline = settings.isOffline { service.isOffline = isOffline }
    guard !settings.changes.isEmpty else { return }
    service.configure(for: environment) {
      [changes = settings.changes] (configuration: inout Configuration) in
      for change in changes { change(&configuration) }
    }
  }
}
