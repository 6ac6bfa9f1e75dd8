import LullSystem

/// Which settings apply to a resource, which line has set each, and what a load would do: what
/// `Resource.explanation(for:)` gives.
///
/// A value of that moment, which later changes leave as it is. Its `description` is a page for people. Nothing in
/// the words has credentials in it; `load?.data` and `load?.error` are the resource's own. Any thread.
/// Lua: `resource:explain(method)`, which is the page alone.
public struct ResourceExplanation: Sendable {
  /// That of the requests it is about.
  public let method: RequestMethod
  /// The resource's URL, its credentials masked.
  public let url: String
  /// The environment of an API file that it is for, and where that says so, and its base URL; nil: none.
  let environment: (name: String, place: SourcePlace?, basePlace: SourcePlace?)?
  /// Why there are no settings: the resource has no URL. (SVC-23)
  public let isInvalid: Bool
  /// What applies: headers in the order of their names, then the other settings. One that is unset, and that no
  /// block has switched off, is not among them.
  public internal(set) var settings: [Setting] = []
  /// Blocks of configuration that have failed: they count for nothing, and every request fails.
  public let failures: [Failure]
  /// What `loadIfNeeded` would do; nil of other methods than GET.
  public let load: Load?

  /// One setting: what it is, and who says so.
  public struct Setting: Sendable, Hashable {
    /// As a block of configuration reads it, such as `limits.timeout`; of a header `headers.` and its name in lower
    /// case.
    public let name: String
    /// In words, credentials masked.
    public internal(set) var value: String
    /// The block that has changed it last; nil: none has, it is as it was built in. Of functions there is an element
    /// for each block that adds some.
    public internal(set) var source: Source?
    /// Whether it is a header of the service's that stays off, the resource being on another origin. (CFG-02)
    public let isWithheld: Bool
    /// What it is called where a script sets it: of a header without `headers.`.
    let key: String
    /// How many functions it is told of by; 0: by something else.
    package var functionCount = 0
    /// What tells apart, in this process, what a mask hides.
    package var fingerprint = 0
  }

  /// A block of configuration.
  public struct Source: Sendable, Hashable, CustomStringConvertible {
    /// Where it was registered; nil of what is built in, such as the standard transformers.
    public internal(set) var place: SourcePlace?
    /// What it applies to, as logs show it; nil: every resource. Of an environment of an API file that.
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

  /// A block of configuration that has failed.
  public struct Failure: Sendable {
    /// Which one.
    public let source: Source
    /// What it has thrown.
    public let error: RequestError
  }

  /// The first setting of that name: of functions that of the first block that adds some.
  public subscript(name: String) -> Setting? { settings.first { $0.name == name } }

  /// - Parameter list: the settings besides headers, by the names they are to have.
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

  /// Behind what is done about answers that do not fit: what they are held against.
  private mutating func tellSchemas(of resource: Resource) {
    guard let index = settings.firstIndex(where: { ["validate", "validation"].contains($0.name) })
    else { return }
    settings[index].value +=
      ": "
      + (resource.service.schemas?.explanation(of: method, resource.url.text).text
        ?? "nothing is validated, since no API file names schemas")
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
      add(header: name, "stays off: another origin than \(origin)", entry, isWithheld: true)
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
      // Without a value: one that nobody has set, or that somebody has switched off.
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

  /// The same with the lines on which the settings themselves stand, where they are known.
  ///
  /// - Parameter line: that of a key inside the call at a place.
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
  /// Which settings apply to requests of that method, which line has set each, and what `loadIfNeeded` would do
  /// now: for people who wonder why, and for tests of a program's own configuration.
  ///
  /// The blocks of configuration run once more for it, in the order of registration, and what they add is not kept
  /// (CFG-13). It asks caches if nobody has yet, does not wait for those on a disk, and never asks the network. Home
  /// thread only, and not inside such a block, which ends the program (EXP-08). What a script has configured is told of by the line of the script's call. Lua:
  /// `resource:explain(method)`. (EXP-01)
  ///
  ///     print(api.resource("/users/7").explanation())
  ///     let source = user.explanation(for: .put)["limits.timeout"]?.source
  public func explanation(for method: RequestMethod = .get) -> ResourceExplanation {
    if service.isRunningBlocks {
      ProgramMisuse.stop(
        "explanation() inside a block of configuration would run that block again: call it elsewhere"
      )
    }
    return ResourceExplanation(of: self, method: method, ExplainedSetting.all)
  }
}

extension ResourceExplanation: CustomStringConvertible {
  /// A page for people: each setting with its value and where that comes from, then what a load would do.
  public var description: String { text(callingLoad: "loadIfNeeded", failure: "thrown") }

  /// - Parameters:
  ///   - name: what the load that would do what is needed is called.
  ///   - failure: what a block that fails has done.
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
    // What is longer than most pushes only its own place aside.
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
  /// What one block of configuration makes of the settings of the blocks before it.
  struct AppliedEntry {
    let entry: ConfigurationEntry
    let before: Configuration
    let after: Configuration
    /// Headers of it that are not sent, the resource being on another origin than the base. (CFG-02)
    let withheld: [String]
    /// Why requests of this resource fail: the block has raised, and counts for nothing.
    let failure: RequestError?
  }

  /// All blocks of configuration, in order.
  package var configurationEntries: [ConfigurationEntry] { entries }

  /// Whether a block, or the predicate of one, is being run: an explanation would run it again, and so on.
  package var isRunningBlocks: Bool { isExplaining || configuring != nil }

  /// Visits the blocks that apply to a resource, in order; what they make of the settings together. They
  /// run for it once more. (CFG-13)
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

/// A line of a source text, for people to find.
public struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
  /// The file as messages name it, `Module/File.swift` in Swift, or what else the text is called.
  public let file: String
  /// Counted from 1; 0: the file as a whole.
  public package(set) var line: Int

  package init(file: String, line: Int) {
    self.file = file
    self.line = line
  }

  /// `Module/File.swift:12`
  public var description: String { line > 0 ? "\(file):\(line)" : file }
}
