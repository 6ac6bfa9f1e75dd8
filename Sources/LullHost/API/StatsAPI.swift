extension APIOwner {
  static let stats = APIOwner.table(
    "Stats", "The counts of `lull.stats`.",
    """
    If a count keeps growing although the amount of work does not, there is a leak. \
    `resources_in_use` grows if resources are held or observed forever (for example by a model \
    that refers to its own resource), `requests_in_flight` if requests never end, and `handles` if \
    objects accumulate.
    """,
    swift: "HomeStatistics",
    entries: [
      .field(
        "services", "integer", "Services that are held, or that have requests in flight.",
        swift: "HomeStatistics.services"),
      .field(
        "resources", "integer", "Resources in memory, of all services.",
        swift: "HomeStatistics.resources"),
      .field(
        "resources_in_use", "integer",
        "Resources that are held, observed or requested, and cannot be dropped.",
        swift: "HomeStatistics.resourcesInUse", rules: "SVC-31 SVC-33"),
      .field(
        "observers", "integer", "Observers of all resources.", swift: "HomeStatistics.observers"),
      .field(
        "requests_in_flight", "integer",
        """
        Requests that have started and not ended; a chain and the request it waits for count as \
        one.
        """,
        swift: "HomeStatistics.requestsInFlight"),
      .field(
        "requests_queued", "integer",
        "Requests in flight that wait for a free connection.",
        """
        `connections_per_host` sets the number of connections. Requests of your own `networking` \
        function never wait.
        """,
        swift: "HomeStatistics.requestsQueued"),
      .field(
        "streams", "integer",
        "Requests in flight that are connections of streams.",
        "Each of these requests takes a slot of `concurrency` and of `connections_per_host`.",
        swift: "HomeStatistics.streams", rules: "STR-27"),
      .field(
        "handles", "integer",
        """
        Objects of Lull that Lua holds or has not collected yet; `lull.log` is one of these \
        objects.
        """),
      .field(
        "pins", "integer",
        """
        Functions and objects kept alive for work in progress: hooks, requests, waiting \
        coroutines.
        """),
      .field(
        "lua_bytes", "integer",
        "Bytes of Lua's memory; `collectgarbage(\"count\")` returns the same amount in KB."),
      .field(
        "document_bytes", "integer",
        "Bytes of parsed JSON outside Lua's memory, for the whole process.",
        swift: "HomeStatistics.documentBytes"),
      .field(
        "body_bytes", "integer",
        """
        Bytes of bodies and texts outside Lua's memory, except small ones, for the whole process.
        """,
        swift: "HomeStatistics.bodyBytes"),
    ])
}
