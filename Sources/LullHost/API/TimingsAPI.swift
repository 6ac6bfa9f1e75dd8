extension APIOwner {
  static let timings = APIOwner.table(
    "Timings", "How long the parts of an exchange took, in seconds.",
    """
    There if `record_timings` is set. Looking up, connecting and waiting are those of the last hop, \
    the total is that of all; receiving the body is the part of the total that has no name.
    """,
    swift: "TransferTimings",
    entries: [
      .field(
        "dns", "number", "Looking up the host; 0 on a connection that was there already.",
        swift: "TransferTimings.dns"),
      .field("connect", "number", "Connecting; 0 as above.", swift: "TransferTimings.connect"),
      .field(
        "tls", "number",
        "Securing the connection, a proxy's tunnel included; 0 as above, and without TLS.",
        swift: "TransferTimings.tls"),
      .field(
        "first_byte", "number", "From sending the request to the first byte of the answer.",
        swift: "TransferTimings.firstByte"),
      .field(
        "total", "number",
        "From leaving the queue to the last byte of the body, redirects included.",
        swift: "TransferTimings.total"),
      .field(
        "is_reused", "boolean", "Whether the connection had been used before.",
        swift: "TransferTimings.isReused"),
      .field(
        "http_version", "string?", "`\"1.0\"`, `\"1.1\"`, `\"2\"` or `\"3\"`.",
        swift: "TransferTimings.httpVersion"),
      .field(
        "remote_address", "string?",
        "Address and port at the other end of the connection, a proxy's if there is one.",
        swift: "TransferTimings.remoteAddress"),
      .field(
        "redirect_count", "integer", "How many redirects were followed.",
        swift: "TransferTimings.redirectCount"),
    ])
}
