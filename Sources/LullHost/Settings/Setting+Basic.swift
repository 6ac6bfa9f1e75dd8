import CLullBridge
import LullCore
import LullSystem

extension Setting {
  /// The settings for headers, freshness and limits.
  static let basic: [Setting] = [
    Setting(
      "headers",
      access: .object { call, box in
        call.values.of(
          HeadersBox(
            read: { box.settings.headers.lines },
            write: {
              if box.isOpen { $0.apply(to: &box.settings.headers) }
              return box.isOpen
            }, allowsSecrets: true), .headers)
      },
      explanation: .parts,
      SettingDocumentation(
        inObject: .init(
          type: "Headers", summary: "Headers of each request; a table can be assigned.",
          isWritable: true, rules: "REQ-05 MUT-06"),
        inTable: .init(
          type: "table<string, string|number|Secret|(string|Secret)[]|false>?",
          summary:
            "Headers of each request, by name. A list of values sends several such headers; false "
            + "removes the header, even a default header such as `User-Agent`.",
          isWritable: true, rules: "REQ-05 MUT-06"),
        swift: "Configuration.headers"),
      value: { .table($0.headers.lines.bytePairs.map { (.bytes($0.name), .bytes($0.value)) }) },
      clear: { $0.headers = RequestHeaders() },
      change: { given throws(Misuse) in try given.headers() }),
    Setting(
      "expiration_time", .expirationTime, at: \.expirationTime,
      SettingDocumentation(
        "number|\"http\"",
        "How long data is up to date, in seconds; `\"http\"` uses the response's "
          + "`Cache-Control`, `Expires` and `Age`",
        default: "30",
        swift: "Configuration.expirationTime",
        rules: (inObject: "LOAD-20 CFG-15", inTable: "LOAD-20 LOAD-21 LOAD-24"))),
    Setting(
      "retry_time", .seconds, at: \.retryTime,
      SettingDocumentation(
        "number", "How long `load_if_needed` sends no new load after an error, in seconds",
        default: "1",
        swift: "Configuration.retryTime",
        rules: (inObject: "LOAD-23 CFG-15", inTable: "LOAD-23 LOAD-26"))),
    Setting(
      "writes_invalidate", .flag, at: \.writesInvalidate,
      SettingDocumentation(
        "boolean",
        """
        Whether a successful POST, PUT, PATCH, DELETE or other unsafe request makes the data of \
        its URL stale, in memory and in caches
        """,
        default: "true",
        swift: "Configuration.writesInvalidate", rules: (inObject: "AGE-07", inTable: "AGE-07"))),
    Setting(
      "query_method", .queryMethod, at: \.queryMethod,
      SettingDocumentation(
        "\"QUERY\"|\"POST\"",
        """
        The method that loads a resource made by `resource:query`; POST is then treated as safe, \
        like QUERY
        """,
        default: "\"QUERY\", or \"POST\" with `graphql`",
        swift: "Configuration.queryMethod",
        rules: (inObject: "QUERY-07", inTable: "QUERY-07"))),
    Setting(
      "progress_reporting_interval", .seconds, at: \.progressReportingInterval,
      SettingDocumentation(
        "number", "The time between two checks of the progress of a request, in seconds",
        default: "0.05",
        swift: "Configuration.progressReportingInterval",
        rules: (inObject: "PRG-24", inTable: "PRG-24"))),
    Setting(
      "timeout", .seconds, at: \.limits.timeout,
      SettingDocumentation(
        "number", "How long a whole exchange may take, in seconds", default: "60",
        swift: "TransferLimits.timeout")),
    Setting(
      "connect_timeout", .seconds, at: \.limits.connectTimeout,
      SettingDocumentation(
        "number", "How long connecting may take, in seconds", default: "10",
        swift: "TransferLimits.connectTimeout")),
    Setting(
      "max_body_size", .count(minimum: 0), at: \.limits.maxBodySize,
      explanation: .words { ByteCount.exact($0.limits.maxBodySize) },
      SettingDocumentation(
        "integer", "The maximum size of a decoded response body, in bytes", default: "100 MB",
        swift: "TransferLimits.maxBodySize")),
    Setting(
      "connections_per_host", .count(minimum: 1), at: \.limits.connectionsPerHost,
      SettingDocumentation(
        "integer", "The maximum number of connections to one host", default: "32",
        swift: "TransferLimits.connectionsPerHost")),
  ]
}

extension GivenSetting {
  /// Returns the change that a table of headers makes to a configuration. Each header in the table
  /// replaces an earlier header with the same name.
  fileprivate func headers() throws(Misuse) -> Setting.Change {
    guard isTable else { throw mustBe("a table") }
    let edits = try call.reading.headers.edits(table: index, in: state, allowsSecrets: true)
    return { settings in edits.apply(to: &settings.headers) }
  }
}
