extension APIOwner {
  static let timings = APIOwner.table(
    "Timings", "How long the parts of an exchange took, in seconds.",
    """
    Only with `record_timings`. Resolving, connecting and waiting are those of the last hop; the \
    total includes all hops. The rest of the total is the time to receive the body.
    """,
    swift: "TransferTimings",
    entries: [
      .field(
        "dns", "number", "Resolving the host name; 0 on an existing connection.",
        swift: "TransferTimings.dns"),
      .field(
        "connect", "number",
        "Connecting; 0 on an existing connection.", swift: "TransferTimings.connect"),
      .field(
        "tls", "number",
        """
        The TLS handshake, including a proxy's tunnel; 0 on an existing connection, and without \
        TLS.
        """,
        swift: "TransferTimings.tls"),
      .field(
        "first_byte", "number", "From sending the request to the first byte of the response.",
        swift: "TransferTimings.firstByte"),
      .field(
        "total", "number",
        "From leaving the queue to the last byte of the body, redirects included.",
        swift: "TransferTimings.total"),
      .field(
        "is_reused", "boolean", "Whether the connection had been used before.",
        swift: "TransferTimings.isReused"),
      .field(
        "http_version", "string?", "The HTTP version: `\"1.0\"`, `\"1.1\"`, `\"2\"` or `\"3\"`.",
        swift: "TransferTimings.httpVersion"),
      .field(
        "remote_address", "string?",
        "Address and port of the other end of the connection; those of a proxy if there is one.",
        swift: "TransferTimings.remoteAddress"),
      .field(
        "redirect_count", "integer", "The number of redirects that were followed.",
        swift: "TransferTimings.redirectCount"),
    ])
}
