import LullCore

/// One resource in memory, as shown in a session's list of resources.
package struct ResourceLine {
  package let service: String
  package let path: String
  package let state: String
  package let age: String
  package let size: String
  package let observers: Int
}

extension ResourceLine {
  /// Returns the resources in memory of all services that scripts have, sorted by URL within each
  /// service. If there is a wildcard pattern, only the resources that match the pattern are
  /// returned. No resource is loaded, created or marked as used.
  package static func all(in handles: ObjectHandles, matching pattern: String?) -> [ResourceLine] {
    var lines: [ResourceLine] = []
    for service in handles.objects(.service, as: Service.self) {
      let matcher = pattern.map { WildcardPattern($0, base: service.baseURL) }
      let records = service.table.all.map { ($0, $0.query?.summary ?? "") }
        .sorted { ($0.0.url.text, $0.1) < ($1.0.url.text, $1.1) }
      for (record, _) in records {
        if let matcher, !matcher.matches(record.url) { continue }
        lines.append(ResourceLine(record, service, at: service.pump.clock.now))
      }
    }
    return lines
  }

  private init(_ record: ResourceRecord, _ service: Service, at now: Double) {
    let state = record.state
    var words: [String] = []
    if !record.loadRequests.isEmpty { words.append("loading") }
    if state.latestData != nil { words.append("data") }
    if state.latestError != nil { words.append("error") }
    self.init(
      service: service.name ?? service.baseURL?.text ?? "",
      path: record.url.abbreviated(base: service.baseURL)
        + (record.query.map { " " + $0.summary } ?? ""),
      state: words.isEmpty ? "empty" : words.joined(separator: ", "),
      age: state.timestamp > 0 ? Age.text(now - state.timestamp) : "",
      size: state.latestData == nil ? "" : ResourceLine.size(state.contentSize),
      observers: record.observers.count)
  }

  private static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1024: "\(bytes) B"
    case ..<(1 << 20): "\(bytes / 1024) kB"
    default: "\(bytes >> 20) MB"
    }
  }
}
