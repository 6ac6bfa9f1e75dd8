import LullCore

extension LuaHost {
  /// What a session tells of one resource in memory.
  package struct ResourceLine {
    package let service: String
    package let path: String
    package let state: String
    package let age: String
    package let size: String
    package let observers: Int
  }

  /// The resources in memory of every service scripts have, those a wildcard pattern names; without one
  /// all. In order of their URLs; nothing is loaded, made or touched.
  package func resourceLines(matching pattern: String?) -> [ResourceLine] {
    var lines: [ResourceLine] = []
    for service in handles.objects(.service, as: Service.self) {
      let matcher = pattern.map { WildcardPattern($0, base: service.baseURL) }
      for record in service.table.all.sorted(by: { $0.url.text < $1.url.text }) {
        if let matcher, !matcher.matches(record.url) { continue }
        lines.append(line(record, service))
      }
    }
    return lines
  }

  private func line(_ record: ResourceRecord, _ service: Service) -> ResourceLine {
    let state = record.state
    var words: [String] = []
    if !record.loadRequests.isEmpty { words.append("loading") }
    if state.latestData != nil { words.append("data") }
    if state.latestError != nil { words.append("error") }
    return ResourceLine(
      service: service.name ?? service.baseURL?.text ?? "",
      path: record.url.abbreviated(base: service.baseURL),
      state: words.isEmpty ? "empty" : words.joined(separator: ", "),
      age: state.timestamp > 0 ? Age.text(pump.clock.now - state.timestamp) : "",
      size: state.latestData == nil ? "" : LuaHost.size(state.contentSize),
      observers: record.observers.count)
  }

  private static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1024: "\(bytes) B"
    case ..<(1 << 20): "\(bytes / 1024) kB"
    default: "\(bytes >> 20) MB"
    }
  }

  /// Sets what is logged, by categories and presets separated by commas or spaces; the message if one
  /// of them is unknown.
  package func setLog(_ text: String) -> String? {
    var names = text.split { $0 == "," || $0 == " " }.map(String.init)
    if names == ["off"] { names = [] }
    do throws(Misuse) {
      try enableLog(names, log)
      return nil
    } catch {
      return error.text
    }
  }

  /// The categories that are logged.
  package var loggedCategories: [String] { log.enabledDescription }
}
