import LullSystem

/// The settings of a resource with the source line of each, and the step that a load would take:
/// the result of `Resource.explanation(for:)`.
///
/// A value of that moment, which later changes do not affect. Its `description` is a readable page.
/// No text contains credentials; `load?.data` and `load?.error` are those of the resource. Any
/// thread. Lua: `resource:explain(method)`, which returns only the page.
public struct ResourceExplanation: Sendable {
  /// The method of the requests that it explains.
  public let method: RequestMethod
  /// The URL of the resource, with masked credentials.
  public let url: String
  /// The environment of the service's API file, where it is declared, and where its base URL is;
  /// nil: the service has no environment.
  let environment: (name: String, place: SourcePlace?, basePlace: SourcePlace?)?
  /// Whether there are no settings because the resource has no valid URL. (SVC-23)
  public let isInvalid: Bool
  /// The settings: headers in the order of their names, then the others. A setting that is not set,
  /// and that no block has switched off, is missing.
  public internal(set) var settings: [Setting] = []
  /// Configuration blocks that have failed. Their settings are ignored, and every request fails.
  public let failures: [Failure]
  /// The step of `loadIfNeeded`; nil for methods other than GET.
  public let load: Load?

  /// One setting, with its value and source.
  public struct Setting: Sendable, Hashable {
    /// The name in a configuration block, such as `limits.timeout`; for a header `headers.` and its
    /// name in lower case.
    public let name: String
    /// The value as text, with masked credentials.
    public internal(set) var value: String
    /// The block that changed it last; nil: it has its default. A setting with functions has an
    /// element for each block that adds some.
    public internal(set) var source: Source?
    /// Whether it is a header of the service that is not sent because the resource is on another
    /// origin. (CFG-02)
    public let isWithheld: Bool
    /// The name in a script; for a header without `headers.`.
    let key: String
    /// The number of functions that it is shown by; 0 if it is shown by its value.
    package var functionCount = 0
    /// Identifies, within this process, a value that is hidden by a mask.
    package var fingerprint = 0
  }

  /// A configuration block.
  public struct Source: Sendable, Hashable, CustomStringConvertible {
    /// Where it was registered; nil for built-in blocks, such as those of the standard
    /// transformers.
    public internal(set) var place: SourcePlace?
    /// The pattern it applies to, as in logs; nil: every resource. For an environment of an API
    /// file, the environment.
    public let pattern: String?

    init(_ entry: ConfigurationEntry) {
      place = entry.source
      let text = entry.pattern?.description ?? entry.environment.map { "environment \($0)" }
      pattern = text.map { LogText.part($0, limit: 60) }
    }

    /// `Module/File.swift:12  (/users/*)`
    public var description: String {
      (place?.description ?? "built in") + (pattern.map { "  (\($0))" } ?? "")
    }
  }

  /// A configuration block that has failed.
  public struct Failure: Sendable {
    /// The block.
    public let source: Source
    /// The error that it has thrown.
    public let error: RequestError
  }

  /// The first setting of that name. For functions, that of the first block that adds some.
  public subscript(name: String) -> Setting? { settings.first { $0.name == name } }

  /// - Parameter list: The settings other than headers, with the names to show.
  package init(
    of resource: Resource, method: RequestMethod, _ list: [ExplainedSetting]
  ) {
    resource.pump.checkThread()
    let sources = SettingSources(of: resource, method: method, list)
    self.method = method
    url = LogText.url(resource.url.text)
    let places = resource.service.environmentPlaces
    environment = resource.service.environment.map { ($0.name, places.whole, places.base) }
    isInvalid = resource.record.invalidSource != nil
    failures = sources.failures.map { Failure(source: Source($0.entry), error: $0.failure) }
    load = method == .get ? Load(of: resource) : nil
    guard !isInvalid else { return }
    addHeaders(of: sources, origin: resource.service.baseURL?.origin ?? "")
    addSettings(of: sources, list)
    if sources.settings.validation != nil { tellSchemas(of: resource) }
  }

  /// Adds the schemas to the value of the validation setting.
  private mutating func tellSchemas(of resource: Resource) {
    guard let index = settings.firstIndex(where: { ["validate", "validation"].contains($0.name) })
    else { return }
    settings[index].value +=
      ": "
      + (resource.service.schemas?.explanation(of: method, resource.url.text).text
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

  /// Returns a copy whose places have the lines of the settings themselves, where they are known.
  ///
  /// - Parameter line: Returns the line of a key inside the call at a place.
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
  /// Explains the settings for requests of that method, with the line that has set each, and the
  /// step that `loadIfNeeded` would take now. For debugging, and for tests of a program's
  /// configuration.
  ///
  /// The configuration blocks run again for it, in the order of registration, and their results are
  /// discarded (CFG-13). It starts the cache lookup if it has not begun, does not wait for caches
  /// on disk, and never sends a request. Home thread only, and not inside a configuration block,
  /// which ends the program (EXP-08). Settings of a script have the line of the script's call. Lua:
  /// `resource:explain(method)`. (EXP-01)
  ///
  ///     print(api.resource("/users/7").explanation())
  ///     let source = user.explanation(for: .put)["limits.timeout"]?.source
  public func explanation(for method: RequestMethod = .get) -> ResourceExplanation {
    if service.isRunningBlocks {
      ProgramMisuse.stop(
        "explanation() inside a configuration block would run that block again: call it elsewhere"
      )
    }
    return ResourceExplanation(of: self, method: method, ExplainedSetting.all)
  }
}

extension ResourceExplanation: CustomStringConvertible {
  /// A readable page: each setting with its value and source, then the step of a load.
  public var description: String { text(callingLoad: "loadIfNeeded", failure: "thrown") }

  /// - Parameters:
  ///   - name: The name of the function that loads if needed.
  ///   - failure: The verb for a failing block.
  package func text(callingLoad name: String, failure word: String) -> String {
    var text = "\(method) \(url)\n"
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
    // A value that is longer than most moves only its own place to the right.
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
  /// The effect of one configuration block on the settings of the blocks before it.
  struct AppliedEntry {
    let entry: ConfigurationEntry
    let before: Configuration
    let after: Configuration
    /// Headers of the block that are not sent because the resource is on another origin than the
    /// base URL. (CFG-02)
    let withheld: [String]
    /// The error of the block, which fails requests of this resource. Its settings are ignored.
    let failure: RequestError?
  }

  /// All configuration blocks, in order.
  package var configurationEntries: [ConfigurationEntry] { entries }

  /// Whether a block, or its predicate, is running. An explanation would run it again, without end.
  package var isRunningBlocks: Bool { isExplaining || configuring != nil }

  /// Runs the blocks that apply to a resource, in order, and visits each. Returns the resulting
  /// settings. (CFG-13)
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

/// A line of a source text.
public struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
  /// The file as messages show it, `Module/File.swift` in Swift, or another name of the text.
  public let file: String
  /// The line, starting at 1; 0: the whole file.
  public package(set) var line: Int

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  /// `Module/File.swift:12`
  public var description: String { line > 0 ? "\(file):\(line)" : file }
}
