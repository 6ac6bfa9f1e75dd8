/// Settings of the network, as `Configuration` and settings tables have them.
extension APIOwner {
  static let networkProperties: [APIEntry] = [
    .property(
      "ca_file", "string?",
      "A PEM file of certificates to trust, instead of the system's.",
      writable: true,
      swift: "ConnectionOptions.certificateAuthorities"),
    .property(
      "insecure", "boolean",
      """
      Whether whoever answers is taken for the host, its certificate not verified; \
      for tests.
      """,
      writable: true,
      swift: "ConnectionOptions.verifiesServer"),
    .property(
      "client_cert", "string?",
      "A PEM file with the certificate to show to servers that ask for one.",
      writable: true,
      swift: "ConnectionOptions.clientCertificate"),
    .property(
      "client_key", "string?",
      "A PEM file with the key of `client_cert`, if it is not in the same file.",
      writable: true,
      swift: "ConnectionOptions.clientKey"),
    .property(
      "proxy", "string|false|nil",
      "The URL of a proxy, or false for none whatever the environment says.",
      writable: true,
      swift: "ConnectionOptions.proxy"),
    .property(
      "no_proxy", "string?",
      "Hosts that are asked without the proxy, separated by commas.",
      writable: true,
      swift: "ConnectionOptions.hostsWithoutProxy"),
    .property(
      "resolve", "table<string, string>?",
      "Where to connect to instead, by `host:port`.",
      writable: true,
      swift: "ConnectionOptions.addresses"),
    .property(
      "http_version", "\"1.1\"|\"2\"|\"3\"|nil",
      "The newest version of HTTP to speak.",
      writable: true,
      swift: "ConnectionOptions.httpVersion"),
    .property(
      "first_byte_timeout", "number?",
      "How long the first byte of an answer may take once the request is out, in seconds.",
      writable: true,
      swift: "TransferOptions.Fields.firstByteTimeout"),
    .property(
      "idle_timeout", "number?",
      "How long nothing may be sent or received on a connection, in seconds.",
      writable: true,
      swift: "TransferOptions.Fields.idleTimeout"),
    .property(
      "redirects", "integer|false|\"same_origin\"",
      "How many redirects are followed; false: they are answers.",
      writable: true,
      swift: "TransferOptions.Fields.redirects"),
    .property(
      "cookies", "boolean|string",
      "Whether cookies are kept and sent, or the file to keep them in.",
      writable: true,
      swift: "TransferOptions.Fields.cookies"),
    .property(
      "record_timings", "boolean", "Whether responses say how long their parts took.",
      writable: true, swift: "TransferOptions.Fields.recordsTimings"),
  ]

  static let networkFields: [APIEntry] = [
    .field(
      "ca_file", "string?",
      "A PEM file of certificates to trust, instead of the system's.",
      """
      A file that cannot be read fails the request with kind `tls`. With an \
      environment's `SSL_CERT_FILE` it stands in its place.
      """,
      swift: "ConnectionOptions.certificateAuthorities"),
    .field(
      "insecure", "boolean?",
      """
      Whether whoever answers is taken for the host, its certificate not verified; \
      for tests; default false.
      """,
      """
      The first request to each host says so on stderr. A redirect is believed in \
      the same way.
      """,
      swift: "ConnectionOptions.verifiesServer"),
    .field(
      "client_cert", "string?",
      "A PEM file with the certificate to show to servers that ask for one.",
      """
      It does not go along on a redirect to another origin. The key must not need \
      a passphrase.
      """,
      swift: "ConnectionOptions.clientCertificate"),
    .field(
      "client_key", "string?",
      "A PEM file with the key of `client_cert`, if it is not in the same file.",
      swift: "ConnectionOptions.clientKey"),
    .field(
      "proxy", "string|false|nil",
      "The URL of a proxy, or false for none whatever the environment says.",
      """
      `http`, `https`, `socks4`, `socks4a`, `socks5` and `socks5h` URLs, with user \
      and password if it needs them; these are left out when the setting is read. \
      With a proxy of one's own the environment's `no_proxy` does not count. Where `--allow-host` \
      says which hosts may be reached, it must be one of them.
      """,
      swift: "ConnectionOptions.proxy"),
    .field(
      "no_proxy", "string?",
      "Hosts that are asked without the proxy, separated by commas.",
      """
      As in the environment: names, endings such as `.example.com`, addresses, \
      `*`. A list of strings can be assigned.
      """,
      swift: "ConnectionOptions.hostsWithoutProxy"),
    .field(
      "resolve", "table<string, string>?",
      "Where to connect to instead, by `host:port`.",
      """
      An address or another host, perhaps with a port: `{ ["api.example.com:443"] \
      = "127.0.0.1:8443" }`. Certificates and the Host header stay those of the \
      URL.
      """,
      swift: "ConnectionOptions.addresses"),
    .field(
      "http_version", "\"1.1\"|\"2\"|\"3\"|nil",
      "The newest version of HTTP to speak.",
      """
      `"1.1"` is the way around servers whose HTTP/2 is broken, `"2"` speaks it \
      without TLS too, on a connection for each request, `"3"` fails where the \
      system's libcurl cannot. Default: 2 where the server offers it by TLS, else 1.1.
      """,
      swift: "ConnectionOptions.httpVersion"),
    .field(
      "first_byte_timeout", "number?",
      "How long the first byte of an answer may take once the request is out, in seconds.",
      swift: "TransferOptions.Fields.firstByteTimeout"),
    .field(
      "idle_timeout", "number?",
      "How long nothing may be sent or received on a connection, in seconds.",
      swift: "TransferOptions.Fields.idleTimeout"),
    .field(
      "redirects", "integer|false|\"same_origin\"|nil",
      "How many redirects are followed; false: they are answers; default 10.",
      """
      One more than the number fails with kind `too_many_redirects`; with \
      `"same_origin"`, one to another scheme, host or port fails with \
      `redirect_refused`.
      """,
      swift: "TransferOptions.Fields.redirects"),
    .field(
      "cookies", "boolean|string|nil",
      "Whether cookies are kept and sent, or the file to keep them in; default false.",
      """
      true: one jar for the service, gone with it. A file: in the format of curl \
      and wget, read at the first use, written with mode 0600 when cookies change; \
      services that name the same file share it. A cookie goes only where the \
      server that set it allows. A file that cannot be read fails the request.
      """,
      swift: "TransferOptions.Fields.cookies"),
    .field(
      "record_timings", "boolean?",
      "Whether responses say how long their parts took; default false.",
      swift: "TransferOptions.Fields.recordsTimings"),
  ]
}
