extension APIOwner {
  static let timings = APIOwner.table(
    "Timings", "How long the parts of an exchange took, in seconds.",
    """
    Responses have timings only if the setting `record_timings` is true. The times for resolving, \
    connecting and waiting are those of the last hop, after any redirects; `total` includes all \
    hops. Without redirects, the rest of `total` is the time to receive the body.
    """,
    swift: "TransferTimings",
    entries: [
      .field(
        "dns", "number", "The time to resolve the host name; 0 on an existing connection.",
        swift: "TransferTimings.dns"),
      .field(
        "connect", "number",
        "The time to connect; 0 on an existing connection.", swift: "TransferTimings.connect"),
      .field(
        "tls", "number",
        """
        The time for the TLS handshake, including a proxy's tunnel; 0 on an existing connection, \
        and without TLS.
        """,
        swift: "TransferTimings.tls"),
      .field(
        "first_byte", "number",
        "The time from sending the request to the first byte of the response.",
        swift: "TransferTimings.firstByte"),
      .field(
        "total", "number",
        "The time from leaving the queue to the last byte of the body, redirects included.",
        swift: "TransferTimings.total"),
      .field(
        "is_reused", "boolean", "Whether the connection had been used before.",
        swift: "TransferTimings.isReused"),
      .field(
        "http_version", "string?", "The HTTP version: `\"1.0\"`, `\"1.1\"`, `\"2\"` or `\"3\"`.",
        swift: "TransferTimings.httpVersion"),
      .field(
        "remote_address", "string?",
        "The address and port that the connection leads to; those of the proxy if a proxy is used.",
        swift: "TransferTimings.remoteAddress"),
      .field(
        "redirect_count", "integer", "The number of redirects that were followed.",
        swift: "TransferTimings.redirectCount"),
    ])
}
