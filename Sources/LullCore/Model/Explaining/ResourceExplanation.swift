import LullSystem

/// The result of `Resource.explanation(for:)`: the settings of a resource, each with the source
/// line that has set it, and the step that `loadIfNeeded` would take.
///
/// It describes the moment of the call; later changes do not affect it. Its `description` is a
/// readable page. The texts do not contain credentials. `load?.data` and `load?.error` are the
/// unchanged data and error of the resource. Any thread. Lua: `resource:explain(method)`, which
/// returns only the page.
public struct ResourceExplanation: Sendable {
  /// The method of the requests whose settings are explained.
  public let method: RequestMethod
  /// The URL of the resource, with masked credentials.
  public let url: String
  /// The name of the service's environment, with the source positions of its declaration and of its
  /// base URL; nil if the service has no environment.
  let environment: (name: String, place: SourcePlace?, basePlace: SourcePlace?)?
  /// Whether the resource has no valid URL. If so, `settings` is empty. (SVC-23)
  public let isInvalid: Bool
  /// The settings: first the headers, sorted by name, then the other settings. A setting that is
  /// not set is listed only if a block has switched it off.
  public internal(set) var settings: [Setting] = []
  /// The configuration blocks that have failed. Their settings are ignored, and every request of
  /// the resource fails.
  public let failures: [Failure]
  /// The query whose content the requests send; nil if the requests are not queries.
  public let query: ResourceQuery?
  /// The step that `loadIfNeeded` would take; nil if `method` is not the method of loads.
  public let load: Load?

  /// One setting, with its value and source.
  public struct Setting: Sendable, Hashable {
    /// The name of the setting in a configuration block, such as `limits.timeout`. For a header, it
    /// is `headers.` and the header's name in lower case.
    public let name: String
    /// The value of the setting as text, with masked credentials.
    public internal(set) var value: String
    /// The block that has last changed the setting; nil if the setting has its default. A setting
    /// that consists of functions is listed once for each block that adds functions.
    public internal(set) var source: Source?
    /// Whether the setting is a header that is not sent, because the resource is on another origin
    /// than the base URL. (CFG-02)
    public let isWithheld: Bool
    /// The name of the setting in a script. For a header, it is the name without `headers.`.
    let key: String
    /// The number of functions, for a setting that consists of functions; otherwise 0.
    package var functionCount = 0
    /// A hash of the value, valid within this process. It differs for different values, even if a
    /// mask hides them in `value`.
    package var fingerprint = 0
  }

  /// A configuration block, as the source of a setting.
  public struct Source: Sendable, Hashable, CustomStringConvertible {
    /// The file and line where the block was registered; nil for built-in blocks, such as the
    /// blocks of the standard transformers.
    public internal(set) var place: SourcePlace?
    /// The pattern of the block, as logs show it; nil if the block applies to every resource. For a
    /// setting from an environment of an API file, this is the name of the environment.
    public let pattern: String?

    init(_ entry: ConfigurationEntry) {
      place = entry.source
      let text = entry.pattern?.description ?? entry.environment.map { "environment \($0)" }
      pattern = text.map { LogText.part($0, limit: 60) }
    }

    /// The file, line and pattern of the block, for example `Module/File.swift:12  (/users/*)`.
    public var description: String {
      (place?.description ?? "built in") + (pattern.map { "  (\($0))" } ?? "")
    }
  }

  /// A configuration block that has failed.
  public struct Failure: Sendable {
    /// The block.
    public let source: Source
    /// The error that the block has thrown.
    public let error: RequestError
  }

  /// The first setting with the given name; nil if there is none. For a setting that consists of
  /// functions, this is the entry of the first block that adds functions.
  public subscript(name: String) -> Setting? { settings.first { $0.name == name } }

  /// - Parameter list: The settings other than headers, with the names to show.
  package init(
    of resource: Resource, method: RequestMethod?, _ list: [ExplainedSetting]
  ) {
    resource.pump.checkThread()
    let isRead = method.map { $0 == resource.readMethod || $0 == resource.configuredMethod } ?? true
    let method = isRead ? resource.configuredMethod : method ?? .get
    let sources = SettingSources(of: resource, method: method, list)
    self.method = isRead ? resource.readMethod : method
    query = isRead ? resource.query : nil
    url = LogText.url(resource.url.text)
    let places = resource.service.environmentPlaces
    environment = resource.service.environment.map { ($0.name, places.whole, places.base) }
    isInvalid = resource.record.invalidSource != nil
    failures = sources.failures.map { Failure(source: Source($0.entry), error: $0.failure) }
    load = isRead ? Load(of: resource) : nil
    guard !isInvalid else { return }
    addHeaders(of: sources, origin: resource.service.baseURL?.origin ?? "")
    addSettings(of: sources, list)
    if sources.settings.validation != nil { tellSchemas(of: resource) }
  }

  /// Adds a text about the schemas to the value of the validation setting.
  private mutating func tellSchemas(of resource: Resource) {
    guard let index = settings.firstIndex(where: { ["validate", "validation"].contains($0.name) })
    else { return }
    settings[index].value +=
      ": "
      + (resource.service.schemas?.explanation(of: method, resource.url.text, query?.body).text
        ?? "nothing is validated, because no API file has schemas")
  }

  private mutating func addHeaders(of sources: SettingSources, origin: String) {
    let headers = sources.settings.headers
    let texts = Dictionary(grouping: headers.texts, by: \.name)
    for (name, value) in headers.pairs.sorted(by: { $0.name < $1.name }) {
      add(header: name, CredentialMask.header(name, value), sources.ofHeaders[name])
      settings[settings.count - 1].fingerprint =
        (texts[name] ?? []).map(\.text).hashValue ^ value.hashValue
    }
    for name in headers.omitted.sorted() {
      add(header: name, "not sent", sources.ofOmissions[name])
    }
    for (entry, name) in sources.withheld {
      add(header: name, "not sent to origins other than \(origin)", entry, isWithheld: true)
    }
  }

  private mutating func add(
    header name: String, _ value: String, _ entry: ConfigurationEntry?, isWithheld: Bool = false
  ) {
    settings.append(
      Setting(
        name: "headers.\(name)", value: value, source: entry.map { Source($0) },
        isWithheld: isWithheld, key: name))
  }

  private mutating func addSettings(of sources: SettingSources, _ list: [ExplainedSetting]) {
    for (index, setting) in list.enumerated() {
      let text = sources.texts[index]
      let entry = sources.ofSettings[index]
      // A setting without a value is listed only if a block has switched it off.
      guard text != nil || entry != nil else { continue }
      add(setting.name, text ?? setting.off, entry)
      settings[settings.count - 1].fingerprint = sources.fingerprints[index]
    }
    for (entry, name, count) in sources.functions {
      add(name, count == 1 ? "a function" : "\(count) functions", entry)
      settings[settings.count - 1].functionCount = count
    }
  }

  private mutating func add(_ name: String, _ value: String, _ entry: ConfigurationEntry?) {
    settings.append(
      Setting(
        name: name, value: value, source: entry.map { Source($0) }, isWithheld: false, key: name))
  }

  /// Returns a copy of the explanation in which the source of each setting has the line of the
  /// setting itself, if that line is known.
  ///
  /// - Parameter line: Returns the line of a setting's key inside the call that `place` refers to;
  ///   nil if the line is unknown.
  package func locatingKeys(
    _ line: (_ key: String, _ place: SourcePlace) -> Int?
  ) -> ResourceExplanation {
    var located = self
    for index in settings.indices {
      guard let place = settings[index].source?.place,
        let line = line(settings[index].key, place)
      else { continue }
      located.settings[index].source?.place?.line = line
    }
    return located
  }
}

extension Resource {
  /// Returns an explanation of the settings for requests with the given method, and of the step
  /// that `loadIfNeeded` would take now. For each setting, it contains the source line that has set
  /// the setting. Use it for debugging, and in tests of a program's configuration.
  ///
  /// For the explanation, the configuration blocks run again, in the order of registration, and
  /// their results are discarded (CFG-13). The call starts the cache lookup if it has not begun. It
  /// does not wait for caches on disk and never sends a request. Home thread only. Calling it
  /// inside a configuration block ends the program (EXP-08). Settings of a script have the line of
  /// the script's call. Lua: `resource:explain(method)`. (EXP-01)
  ///
  ///     print(api.resource("/users/7").explanation())
  ///     let source = user.explanation(for: .put)["limits.timeout"]?.source
  ///
  /// - Parameter method: The method of the requests; nil for the method of the resource's loads.
  public func explanation(for method: RequestMethod? = nil) -> ResourceExplanation {
    if service.isRunningBlocks {
      ProgramMisuse.stop(
        "explanation() inside a configuration block would run that block again: call it elsewhere"
      )
    }
    return ResourceExplanation(of: self, method: method, ExplainedSetting.all)
  }
}

extension ResourceExplanation: CustomStringConvertible {
  /// A readable page: each setting with its value and source, then the step that `loadIfNeeded`
  /// would take.
  public var description: String { text(callingLoad: "loadIfNeeded", failure: "thrown") }

  /// - Parameters:
  ///   - name: The name of the function: `loadIfNeeded` in Swift, `load_if_needed` in Lua.
  ///   - failure: The verb for a block that fails: `thrown` in Swift, `raised` in Lua.
  package func text(callingLoad name: String, failure word: String) -> String {
    var text = "\(method) \(url)\n"
    if let query {
      let size = ByteCount.exact(query.body.count)
      let excerpt = ResourceQuery.excerpt(of: query.body, limit: 120)
      text += "\(query.contentType), \(size)" + (excerpt == size ? "" : ": \(excerpt)") + "\n"
    }
    if let environment {
      let places = [("", environment.place), ("base_url ", environment.basePlace)]
      let shown = places.compactMap { word, place in place.map { "\(word)\($0)" } }
      text += "environment \(environment.name)  \(shown.joined(separator: ", "))\n"
    }
    text += "\nSettings\n"
    text +=
      isInvalid
      ? "  none: the resource has no URL\n"
      : Self.aligned(settings.map { ($0.name, $0.value, $0.source?.description ?? "default") })
    for failure in failures {
      text += "  \(failure.source): \(failure.error.summary); every request fails\n"
    }
    if let load {
      let rows = load.rows(ofFailure: word).map { ($0.name, $0.value, "") }
      text += "\n\(name)\n" + Self.aligned(rows)
    }
    return text
  }

  private static func aligned(_ rows: [(name: String, value: String, place: String)]) -> String {
    let names = rows.map { TextWidth.of($0.name) }.max() ?? 0
    // If a value is longer than 40 columns, only the source in its own row is moved to the right.
    let values = min(rows.map { TextWidth.of($0.value) }.max() ?? 0, 40)
    return rows.map { row in
      var line = "  " + row.name + String(repeating: " ", count: names - TextWidth.of(row.name) + 2)
      line += row.value
      guard !row.place.isEmpty else { return line + "\n" }
      return line + String(repeating: " ", count: max(0, values - TextWidth.of(row.value)) + 2)
        + row.place
        + "\n"
    }.joined()
  }
}

extension Service {
  /// The effect of one configuration block: the settings before and after it.
  struct AppliedEntry {
    let entry: ConfigurationEntry
    let before: Configuration
    let after: Configuration
    /// The names of the block's headers that are not sent because the resource is on another origin
    /// than the base URL. (CFG-02)
    let withheld: [String]
    /// The error of the block; nil if the block succeeded. After an error, the settings of the
    /// block are ignored, and requests of this resource fail.
    let failure: RequestError?
  }

  /// All configuration blocks, in the order of their registration.
  package var configurationEntries: [ConfigurationEntry] { entries }

  /// Whether a configuration block or its predicate is running. If a block made an explanation, the
  /// explanation would run the block again, without end.
  package var isRunningBlocks: Bool { isExplaining || configuring != nil }

  /// Runs the blocks that apply to a resource, in the order of registration. Calls `visit` with the
  /// effect of each block. Returns the resulting settings. (CFG-13)
  func visitEntries(
    applyingTo resource: Resource, method: RequestMethod, _ visit: (AppliedEntry) -> Void
  ) -> Configuration {
    isExplaining = true
    defer { isExplaining = false }
    var settings = Configuration()
    let isOutside = isOutside(resource.url)
    for entry in entries {
      var changed = settings
      do throws(RequestError) {
        guard try entry.applies(to: resource.url, method: method) else { continue }
        let withheld = try entry.apply(&changed, isOutside: isOutside)
        if changed.policies !== settings.policies {
          try changed.changePolicies { (rules) throws(RequestError) in
            try LimitTable.note(entry.patternText, in: &rules)
          }
        }
        visit(
          AppliedEntry(
            entry: entry, before: settings, after: changed, withheld: withheld, failure: nil))
        settings = changed
      } catch {
        visit(
          AppliedEntry(
            entry: entry, before: settings, after: settings, withheld: [], failure: error))
      }
    }
    return settings
  }
}

extension Resource {
  package var isAskingCaches: Bool {
    if case .running = record.cacheCheck { true } else { false }
  }
}

/// A position in a source text: its file and a line.
public struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
  /// The name of the file in messages: in Swift `Module/File.swift`. A source text that is not a
  /// file has another name.
  public let file: String
  /// The number of the line, starting at 1; 0 for the whole file.
  public package(set) var line: Int

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  /// The file and the line, for example `Module/File.swift:12`.
  public var description: String { line > 0 ? "\(file):\(line)" : file }
}
