import CLullBridge
import LullCore
import LullTransport

extension APIOwner {
  static let moduleShare: [APIEntry] = [
    .function(
      "share", "(options: ShareOptions)",
      "Shares limits, tokens, caches and news with other hosts by a Valkey or Redis server.",
      """
      From now on, with all that name the same server and namespace: limits with `shared` count there, \
      exactly, by its clock; tokens of `lull.auth.oauth2_client_credentials` and `oauth2_refresh` are kept \
      there, sealed with their client's credential, and renewed by one at a time; `lull.cache.shared()` keeps \
      its entries there; and what one writes to such a cache the others hear of. The last call holds. \
      Returns at once and raises for wrong settings only: a server that is absent, slow, full or lost is \
      done without, with one warning on standard error, until it can be used again. Each machine then lets \
      through its part by its own file, which is the limit divided by the hosts that the server has counted \
      last; caches are in files, client credentials are asked for by each, and refresh tokens that may be \
      good once are used by the rules of a `token_file` only. `LULL_SHARE` names a server for programs that \
      do not. `--allow-host` must allow its host and port, or `unix:` and the path of its socket. In the \
      sandbox there is neither.
      """,
      example: """
        lull.share { url = "rediss://cache.internal:6380/2", namespace = "team-a",
          password = lull.secret { env = "VALKEY_PASSWORD" } }
        """, swift: "Home.share(_:)", rules: "SHR-11 SHR-20 SHR-32"
    ) { call throws(Misuse) in
      try call.permissions.refuseUnlessInspecting("lull.share")
      let share = try share(call)
      do throws(ShareError) {
        // An inspected file shares nothing.
        if call.permissions.isInspecting {
          try SharedLimits.check(share)
        } else {
          try SharedLimits.share(share, on: call.pump)
        }
      } catch {
        throw .message(error.description)
      }
    }
  ]

  static let shareOptions = APIOwner.table(
    "ShareOptions", "Options of `lull.share`.",
    swift: "Share",
    entries: [
      .field(
        "url", "string",
        """
        `redis://[user:password@]host[:port][/db]`, `rediss://…` for TLS, or `unix:///path[?db=2]`; \
        `valkey://` and `valkeys://` are the same. `?namespace=team-a` says what `namespace` says, as in \
        `LULL_SHARE=redis://host/0?namespace=team-a`.
        """, swift: "Share.url"),
      .field(
        "password", "Secret|string|nil", "Instead of one in the URL.", swift: "Share.password"),
      .field(
        "namespace", "string?",
        "What separates those who share one server; letters, digits and `-_.:/`; default `lull`.",
        swift: "Share.namespace"),
      .field(
        "secret", "Secret|string|nil",
        "What only those have who share: without it the server could try out what credentials are.",
        swift: "Share.secret"),
      .field(
        "ca_file", "string?",
        "A PEM file of certificates to trust instead of the system's.",
        swift: "Share.certificateAuthorities"),
    ])
}

extension APIOwner {
  static let shareKeys = ["url", "password", "namespace", "secret", "ca_file"]

  /// Reads `{ url =, password =, namespace =, secret =, ca_file = }`.
  private static func share(_ call: Call) throws(Misuse) -> Share {
    var share = Share(url: "")
    try call.reading.options.forEach(of: call.index(0), in: call.state, known: shareKeys) {
      name, value throws(Misuse) in
      switch name {
      case "password": share.password = try credential(call, value, name, of: "lull.share")
      case "secret": share.secret = try credential(call, value, name, of: "lull.share")
      case "namespace": share.namespace = try value.nonEmptyText(name)
      case "ca_file": share.certificateAuthorities = try value.nonEmptyText(name)
      default: share.url = try value.nonEmptyText(name)
      }
    }
    guard !share.url.isEmpty else {
      throw .message("'url' is missing: where the server is, such as redis://127.0.0.1:6379")
    }
    return share
  }

  /// Reads a credential. The error message must not contain the value.
  static func credential(
    _ call: Call, _ value: lull_value, _ name: String, of function: String
  ) throws(Misuse) -> SecretText {
    if let text = call.handles.secret(value) { return text }
    guard value.string != nil else {
      throw .message("'\(name)' must be a secret or a string, got \(value.typeName)")
    }
    let text = try value.nonEmptyText(name)
    call.permissions.checker?.inspect(credential: text, "the \(name) of \(function)")
    return SecretText(Secret(.literal(text)))
  }
}
