package import LullCore

/// Every setting that applies to a resource, with the line that has set it, and what a load would do
/// now: as text for people.
package struct ResourceExplanation {
  private let resource: Resource
  private let method: RequestMethod
  private let sources: SettingSources
  private let lines: CallLines

  /// - Parameter sources: in which lines are looked for.
  package init(_ sources: ChunkSources, _ resource: Resource, method: RequestMethod = .get) {
    self.resource = resource
    self.method = method
    lines = CallLines(sources)
    self.sources = SettingSources(of: resource, method: method)
  }

  package var text: String {
    var text = "\(method) \(LogText.url(resource.url.text))\n\nSettings\n"
    text +=
      resource.record.invalidSource == nil
      ? ResourceExplanation.aligned(settings) : "  none: the resource has no URL\n"
    for (entry, failure) in sources.failures {
      text += "  \(place(of: entry)): \(failure.description); every request fails\n"
    }
    if method == .get { text += "\nload_if_needed\n" + ResourceExplanation.aligned(prospect) }
    return text
  }

  // MARK: Settings

  private struct Row {
    var name: String
    var value: String
    var place = ""
  }

  private var settings: [Row] {
    let final = sources.settings
    var rows: [Row] = []
    for (name, value) in final.headers.pairs.sorted(by: { $0.name < $1.name }) {
      rows.append(
        Row(
          name: "headers.\(name)", value: CredentialMask.header(name, value),
          place: place(of: sources.ofHeaders[name], key: name)))
    }
    for name in final.headers.omitted.sorted() {
      rows.append(
        Row(
          name: "headers.\(name)", value: "not sent",
          place: place(of: sources.ofOmissions[name], key: name)))
    }
    for (entry, name) in sources.withheld {
      rows.append(
        Row(
          name: "headers.\(name)",
          value: "stays off: another origin than \(resource.service.baseURL?.origin ?? "")",
          place: place(of: entry, key: name)))
    }
    for setting in Setting.all {
      let text = sources.texts[setting.name]
      let source = sources.ofSettings[setting.name]
      // Without a value: one that nobody has set, or that somebody has switched off.
      guard text != nil || source != nil else { continue }
      rows.append(
        Row(
          name: setting.name, value: text ?? "false", place: place(of: source, key: setting.name)))
    }
    for (entry, name, count) in sources.functions {
      rows.append(
        Row(
          name: name, value: count == 1 ? "a function" : "\(count) functions",
          place: place(of: entry, key: name)))
    }
    return rows
  }

  private func place(of entry: ConfigurationEntry?, key: String? = nil) -> String {
    guard let entry else { return "default" }
    var text = "built in"
    if var place = entry.source {
      if let key, let line = lines.line(of: key, inCallAt: place) { place.line = line }
      text = place.description
    }
    guard let pattern = entry.pattern else { return text }
    return "\(text)  (\(LogText.part(pattern.description, limit: 60)))"
  }

  // MARK: What would happen

  private var prospect: [Row] {
    var rows = [Row(name: "would", value: wouldDo)]
    // Not asked of caches: that has been done to tell what would happen.
    let state = resource.record.state
    let now = resource.service.pump.clock.now
    if let data = state.latestData {
      rows.append(
        Row(
          name: "data",
          value: "\(LogText.part(data.contentType, limit: 80)), "
            + "\(ResourceExplanation.age(of: data.timestamp, at: now)), fresh for "
            + ResourceExplanation.seconds(resource.expirationSeconds)
            + (resource.configuration.expirationTime == .http ? " by its own headers" : "")))
      let validators = [
        data.etag.map { "ETag \($0)" }, data.headers["last-modified"].map { "Last-Modified \($0)" },
      ].compactMap(\.self)
      rows.append(
        Row(
          name: "validators",
          value: validators.isEmpty ? "none" : validators.joined(separator: ", ")))
    } else {
      rows.append(Row(name: "data", value: "none"))
    }
    if let error = state.latestError {
      rows.append(
        Row(
          name: "last outcome",
          value:
            "\(error.description), \(ResourceExplanation.seconds(max(0, now - error.timestamp))) ago"
            + ", tried again after "
            + ResourceExplanation.seconds(resource.configuration.retryTime)))
      if !error.attempts.isEmpty {
        rows.append(
          Row(
            name: "attempts",
            value: error.attempts.map(ResourceExplanation.text).joined(separator: "; ")))
      }
    } else {
      rows.append(
        Row(name: "last outcome", value: state.latestData == nil ? "not loaded yet" : "success"))
    }
    return rows
  }

  private var wouldDo: String {
    let plan = resource.loadPlan
    return switch plan.step {
    case .join: "give the load in progress\(begun)"
    case .nothing: "load nothing: \(reason(of: plan))"
    case .waitForCache where plan.reason == .offline, .answerOffline:
      "wait for a cache, and fail if that has nothing: the service is offline"
    case .waitForCache: "wait for a cache, and load if that has nothing fresh"
    case .failOffline: "fail: the service is offline, and there is no data"
    case .fail(.noURL): "fail: there is no URL"
    case .fail(.configuration): "fail: a block of the configuration has raised"
    case .loadAfterDisk:
      "load: \(reason(of: plan)); on the condition of what a cache on a disk has, if it answers"
    case .load(let condition):
      "load: \(reason(of: plan))"
        + (condition.map { "; asking with \($0.name): \($0.value)" } ?? "")
    }
  }

  private var begun: String {
    guard let since = resource.loadRequests.first?.mark.since, since > 0 else { return "" }
    return
      ", begun \(ResourceExplanation.seconds(max(0, resource.service.pump.clock.now - since))) ago"
  }

  /// Why data, or an error, is fresh enough or is not.
  private func reason(of plan: LoadPlan) -> String {
    switch plan.reason {
    case .forced, .inProgress: return ""
    case .followed: return "a stream makes its content"
    case .offline:
      let age = ResourceExplanation.age(
        of: resource.record.state.latestData?.timestamp ?? 0, at: plan.now)
      return "the service is offline, and the data is \(age)"
    case .invalidated: return "it was invalidated"
    case .blank: return "there is neither data nor error"
    case .error(let time, let limit):
      return "the last error is \(ResourceExplanation.age(of: time, at: plan.now)), and counts for "
        + ResourceExplanation.seconds(limit)
    case .data(let time, let limit):
      return "the data is \(ResourceExplanation.age(of: time, at: plan.now)), and fresh for "
        + ResourceExplanation.seconds(limit)
    case .answer(let time, let limit):
      return "the data is \(ResourceExplanation.age(of: time, at: plan.now)), and fresh for "
        + ResourceExplanation.seconds(limit) + " by its own headers"
    case .otherVariant: return "the data answers other request headers, which its Vary names"
    }
  }

  // MARK: Parts

  private static func text(of attempt: RequestAttempt) -> String {
    let outcome =
      switch attempt.outcome {
      case .status(let status)?: String(status)
      case .failure(let kind)?: kind.rawValue
      case nil: "under way"
      }
    return "\(attempt.number): \(outcome)"
      + (attempt.delay > 0 ? " after waiting \(LogText.seconds(attempt.delay))" : "")
  }

  /// Caches date back to 1970 what a clock that was wrong has dated.
  private static func age(of timestamp: Double, at now: Double) -> String {
    guard timestamp > 0 else { return "of unknown age" }
    let age = now - timestamp
    return age < -1 ? "dated in the future" : "\(seconds(max(0, age))) old"
  }

  private static func seconds(_ seconds: Double) -> String {
    let tenths = (seconds * 10).rounded() / 10
    return tenths == tenths.rounded() && abs(tenths) < 1e15 ? "\(Int(tenths)) s" : "\(tenths) s"
  }

  private static func aligned(_ rows: [Row]) -> String {
    let names = rows.map(\.name.count).max() ?? 0
    // What is longer than most pushes only its own place aside.
    let values = min(rows.map(\.value.count).max() ?? 0, 40)
    return rows.map { row in
      var line = "  " + row.name + String(repeating: " ", count: names - row.name.count + 2)
      line += row.value
      guard !row.place.isEmpty else { return line + "\n" }
      return line + String(repeating: " ", count: max(0, values - row.value.count) + 2) + row.place
        + "\n"
    }.joined()
  }
}
