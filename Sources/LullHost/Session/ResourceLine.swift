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
  /// Returns the resources in memory of all services of the scripts, sorted by URL within each
  /// service. If there is a wildcard pattern, only the resources that match it are returned.
  /// Nothing is loaded, created or marked as used.
  package static func all(in handles: ObjectHandles, matching pattern: String?) -> [ResourceLine] {
    var lines: [ResourceLine] = []
    for service in handles.objects(.service, as: Service.self) {
      let matcher = pattern.map { WildcardPattern($0, base: service.baseURL) }
      for record in service.table.all.sorted(by: { $0.url.text < $1.url.text }) {
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
      path: record.url.abbreviated(base: service.baseURL),
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
