import CLullBridge
import LullCore
import LullTransport

extension APIOwner {
  static let moduleShare: [APIEntry] = [
    .function(
      "share", "(options: ShareOptions)",
      """
      Shares limits, tokens, caches and updates with other hosts through a Valkey or Redis server.
      """,
      """
      From now on, all hosts with the same server and namespace share limits, tokens, cache \
      entries and updates. Limits with `shared` are counted on the server exactly, with the \
      server's clock. Tokens of `lull.auth.oauth2_client_credentials` and `oauth2_refresh` are \
      stored on the server, encrypted with the client's credential, and renewed by one host at a \
      time. Entries of `lull.cache.shared()` are also stored on the server, and hosts are notified \
      when entries are written. If `lull.share` is called again, the last call applies.

      The call returns at once and raises errors only for wrong settings. If the server is absent, \
      slow, full or lost, Lull works without the server until it can be used again, and prints one \
      warning on standard error. Meanwhile, each machine counts its part of a limit in its own \
      file: the limit divided by the last known number of hosts. Caches use files, each host \
      requests its own tokens with client credentials, and a refresh token that may be valid only \
      once is used only if a `token_file` records its use.

      The environment variable `LULL_SHARE` sets the server for programs that do not call \
      `lull.share`. If `--allow-host` is used, it must allow the server's host and port, or \
      `unix:` and the path of the server's socket. Neither `lull.share` nor `LULL_SHARE` is \
      available in the sandbox.
      """,
      example: """
        lull.share { url = "rediss://cache.internal:6380/2", namespace = "team-a",
          password = lull.secret { env = "VALKEY_PASSWORD" } }
        """, swift: "Home.share(_:)", rules: "SHR-11 SHR-20 SHR-32"
    ) { call throws(Misuse) in
      try call.permissions.refuseUnlessInspecting("lull.share")
      let share = try share(call)
      do throws(ShareError) {
        // During an inspection, the options are only checked, and nothing is shared.
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
        `redis://[user:password@]host[:port][/db]`, `rediss://…` for TLS, or \
        `unix:///path[?db=2]`; `valkey://` and `valkeys://` are the same. `?namespace=team-a` sets \
        `namespace`, as in `LULL_SHARE=redis://host/0?namespace=team-a`.
        """, swift: "Share.url"),
      .field(
        "password", "Secret|string|nil",
        "The password, instead of one in the URL.", swift: "Share.password"),
      .field(
        "namespace", "string?",
        "The name that separates users of one server; letters, digits and `-_.:/`; default `lull`.",
        swift: "Share.namespace"),
      .field(
        "secret", "Secret|string|nil",
        """
        A key that is known to the programs, but not to the server that they share. Without a key, \
        the server could guess credentials from the digests that it stores.
        """,
        swift: "Share.secret"),
      .field(
        "ca_file", "string?",
        "A PEM file of certificates to trust instead of the system's.",
        swift: "Share.certificateAuthorities"),
    ])
}

extension APIOwner {
  static let shareKeys = ["url", "password", "namespace", "secret", "ca_file"]

  /// Reads the options `{ url =, password =, namespace =, secret =, ca_file = }` of `lull.share`.
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
      throw .message(
        "'url' is missing: the address of the server, such as redis://127.0.0.1:6379")
    }
    return share
  }

  /// Reads a credential from a secret or a string. The error messages must not contain the
  /// credential.
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
