extension APIOwner {
  static let stats = APIOwner.table(
    "Stats", "What `lull.stats` counts.",
    """
    A number that grows without end where the work does not is a leak: `resources_in_use` where \
    resources are held or observed for ever (a model of yours that refers to its own resource does), \
    `requests_in_flight` where requests never end, `handles` where objects pile up.
    """,
    swift: "HomeStatistics",
    entries: [
      .field(
        "services", "integer", "Services that somebody holds, or that hold requests in flight.",
        swift: "HomeStatistics.services"),
      .field(
        "resources", "integer", "Resources in memory, of all services.",
        swift: "HomeStatistics.resources"),
      .field(
        "resources_in_use", "integer",
        "Those of them that are held, observed or requested, and cannot be forgotten.",
        swift: "HomeStatistics.resourcesInUse", rules: "SVC-31 SVC-33"),
      .field(
        "observers", "integer", "Observers of all resources.", swift: "HomeStatistics.observers"),
      .field(
        "requests_in_flight", "integer",
        "Requests that have begun and not ended; a chain and what it waits for are one.",
        swift: "HomeStatistics.requestsInFlight"),
      .field(
        "requests_queued", "integer",
        "Exchanges among them that wait for a free connection.",
        """
        `connections_per_host` says how many there may be. Requests of a `networking` function of \
        your own never wait.
        """,
        swift: "HomeStatistics.requestsQueued"),
      .field(
        "streams", "integer",
        "Requests among those in flight that are connections of streams.",
        "Each holds a place of `concurrency` and of `connections_per_host`.",
        swift: "HomeStatistics.streams", rules: "STR-27"),
      .field(
        "handles", "integer",
        "Objects of Lull's that Lua holds or has not collected yet; one of them is `lull.log`."),
      .field(
        "pins", "integer",
        "Functions and objects kept alive for work under way: hooks, requests, waiting coroutines."),
      .field(
        "lua_bytes", "integer", "Bytes of Lua's memory, as `collectgarbage(\"count\")` says in KB."),
      .field(
        "document_bytes", "integer",
        "Bytes of parsed JSON outside of Lua's memory; of the whole process.",
        swift: "HomeStatistics.documentBytes"),
      .field(
        "body_bytes", "integer",
        "Bytes of bodies and texts outside of Lua's memory, small ones left out; of the whole process.",
        swift: "HomeStatistics.bodyBytes"),
    ])
}
