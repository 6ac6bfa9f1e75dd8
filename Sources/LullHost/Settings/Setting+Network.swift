import CLullBridge
import LullCore

extension Setting {
  /// The settings for other network options of requests.
  static let network: [Setting] = [
    Setting(
      "ca_file", .file, ofTransfer: \.connection.certificateAuthorities,
      SettingDocumentation(
        "string?", "A PEM file of certificates to trust, instead of the system's",
        """
        If the file cannot be read, the request fails with kind `tls`. This setting takes \
        precedence over the environment variable `SSL_CERT_FILE`.
        """,
        swift: "ConnectionOptions.certificateAuthorities")),
    Setting(
      "insecure", .oppositeFlag, ofTransfer: \.connection.verifiesServer,
      SettingDocumentation(
        "boolean",
        """
        Whether to skip the verification of TLS certificates; for tests
        """, default: "false",
        """
        The first request to each host prints a warning on standard error. The certificates of \
        redirect targets are not verified either.
        """,
        swift: "ConnectionOptions.verifiesServer")),
    Setting(
      "client_cert", .file, ofTransfer: \.connection.clientCertificate,
      SettingDocumentation(
        "string?", "A PEM file with the client certificate for servers that require one",
        """
        The certificate is not sent on a redirect to another origin. Its key must not require a \
        passphrase.
        """,
        swift: "ConnectionOptions.clientCertificate")),
    Setting(
      "client_key", .file, ofTransfer: \.connection.clientKey,
      SettingDocumentation(
        "string?",
        """
        A PEM file with the key of `client_cert`, if the certificate's file does not contain the \
        key
        """,
        swift: "ConnectionOptions.clientKey")),
    Setting(
      "proxy", .proxy, ofTransfer: \.connection.proxy,
      fingerprint: { "\($0.options?.connection.proxy ?? .environment)".hashValue },
      SettingDocumentation(
        "string|false|nil",
        "The URL of a proxy, or false for no proxy, even if the environment sets one",
        """
        The URL may begin with `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h`, and \
        may contain a user and a password. Reading the setting returns the URL without user and \
        password. If the setting is a URL, the environment variable `no_proxy` is ignored. If \
        `--allow-host` limits the hosts, it must also allow the proxy's host.
        """,
        swift: "ConnectionOptions.proxy")),
    Setting(
      "no_proxy", .hosts, ofTransfer: \.connection.hostsWithoutProxy,
      SettingDocumentation(
        "string?", "Hosts that are requested without the proxy, separated by commas",
        """
        The format is that of the environment variable `no_proxy`: host names, endings such as \
        `.example.com`, addresses, or `*` for all hosts. A list of strings can also be assigned.
        """,
        swift: "ConnectionOptions.hostsWithoutProxy")),
    Setting(
      "resolve", .addresses, ofTransfer: \.connection.addresses,
      SettingDocumentation(
        "table<string, string>?",
        "Addresses to connect to, by the `host:port` of the URL that they replace",
        """
        Each value is an address or another host, optionally with a port: `{ \
        ["api.example.com:443"] = "127.0.0.1:8443" }`. The header `Host` and the host name that \
        the server's certificate must match stay those of the URL.
        """,
        swift: "ConnectionOptions.addresses")),
    Setting(
      "unix_socket", .socket, ofTransfer: \.connection.unixSocket,
      SettingDocumentation(
        "string|false|nil", "The path of a Unix socket of this machine to send requests through",
        """
        The host in `base_url`, such as `localhost`, is then only sent to the server as the header \
        `Host`. The socket is used only for the service's own origin: a request to another origin \
        fails, and a redirect to another origin is followed over the network. The socket cannot be \
        combined with a `proxy` or an address in `resolve`: the request fails. If `--allow-host` \
        is set, it must include `unix:PATH`. Not available in the sandbox.
        """,
        swift: "ConnectionOptions.unixSocket")),
    Setting(
      "http_version", .httpVersion, ofTransfer: \.connection.httpVersion,
      SettingDocumentation(
        "\"1.1\"|\"2\"|\"3\"|nil", "The highest version of HTTP to use",
        """
        Use `"1.1"` for servers whose HTTP/2 is broken. `"2"` uses HTTP/2 also without TLS, then \
        with a new connection for each request. With `"3"`, requests fail if the system's libcurl \
        does not support HTTP/3. By default, HTTP/2 is used if the server offers it over TLS, else \
        HTTP/1.1.
        """,
        swift: "ConnectionOptions.httpVersion")),
    Setting(
      "first_byte_timeout", .wait, ofTransfer: \.firstByteTimeout,
      SettingDocumentation(
        "number?",
        "How long the first byte of a response may take after the request is sent, in seconds",
        swift: "TransferOptions.Fields.firstByteTimeout")),
    Setting(
      "idle_timeout", .silence, ofTransfer: \.idleTimeout,
      SettingDocumentation(
        "number|false|nil",
        "How long a connection may be idle, without data sent or received, in seconds",
        """
        With false or 0, only the time of the whole exchange is limited. For an exchange that \
        sends a file or writes the response to a file, the default is 60 seconds, or `timeout` if \
        that is longer, and the whole exchange has no time limit.
        """,
        swift: "TransferOptions.Fields.idleTimeout")),
    Setting(
      "response_type", .responseType, ofTransfer: \.responseType,
      SettingDocumentation(
        "\"json\"|\"ndjson\"|\"text\"|\"csv\"|false|nil",
        """
        The type as which response bodies are parsed, whatever their Content-Type; `"csv"` returns \
        a list of records
        """,
        """
        The setting replaces the Content-Type of the response before the pipeline starts. Use it \
        for servers that send JSON as `text/plain`, or text as JSON.
        """,
        swift: "TransferOptions.Fields.responseType",
        rules: (inObject: "JSN-93", inTable: "JSN-93"))),
    Setting(
      "redirects", .redirects, ofTransfer: \.redirects,
      SettingDocumentation(
        "integer|false|\"same_origin\"",
        """
        How many redirects are followed; with false, the redirect itself is the response
        """, default: "10",
        """
        If there are more redirects, the request fails with kind `too_many_redirects`. With \
        `"same_origin"`, a redirect to another scheme, host or port fails the request with kind \
        `redirect_refused`.
        """,
        swift: "TransferOptions.Fields.redirects")),
    Setting(
      "cookies", .cookies, ofTransfer: \.cookies,
      SettingDocumentation(
        "boolean|string", "Whether cookies are stored and sent, or the file to store them in",
        default: "false",
        """
        With true, the service has one cookie jar in memory, which is lost when the service ends. \
        A string is the path of a file in the format of curl and wget. The file is read at the \
        first use, and written with mode 0600 when cookies change; services with the same file \
        share the cookies. A cookie is sent only to the hosts and paths that the server allowed \
        when it set the cookie. If the file cannot be read, the request fails.
        """,
        swift: "TransferOptions.Fields.cookies")),
    Setting(
      "allow_truncated", .flag, ofTransfer: \.allowsTruncatedBodies,
      SettingDocumentation(
        "boolean", "Whether a body over TLS may end without the server's close_notify alert",
        default: "false",
        """
        The setting applies to HTTP/1 bodies that have neither a length nor chunks and therefore \
        end with their connection. Without the alert, such a body may have been truncated, so by \
        default the request fails with kind `truncated_body`. Set this to true for servers that \
        never send the alert.
        """,
        swift: "TransferOptions.Fields.allowsTruncatedBodies")),
    Setting(
      "record_timings", .flag, ofTransfer: \.recordsTimings,
      SettingDocumentation(
        "boolean",
        "Whether responses have timings of the parts of their exchange", default: "false",
        swift: "TransferOptions.Fields.recordsTimings")),
  ]
}

extension SettingType<String?> {
  /// The path of a socket; false removes a path that was set earlier.
  fileprivate static var socket: Self {
    Self(
      read: { given throws(Misuse) in
        if given.value.bool == false { return nil }
        guard let path = given.plainString, !path.isEmpty else {
          throw given.mustBe("the path of a socket, or false")
        }
        guard path.utf8.count <= ConnectionOptions.longestSocketPath else {
          throw .message(
            "'unix_socket' must be a path of \(ConnectionOptions.longestSocketPath) bytes at most, got "
              + "\(path.utf8.count)")
        }
        try given.refuseInSandbox("unix_socket")
        return path
      }, show: { $0.map { .string($0) } })
  }

  /// The name of a file; false removes a name that was set earlier.
  fileprivate static var file: Self {
    Self(
      read: { given throws(Misuse) in
        if given.value.bool == false { return nil }
        guard let path = given.plainString, !path.isEmpty else {
          throw given.mustBe("the name of a file, or false")
        }
        // No file is opened here, because it is opened when a request is sent.
        try given.refuseInSandbox("a file of the network settings")
        return path
      }, show: { $0.map { .string($0) } })
  }

  /// A list of hosts: a string, a list of strings, or false for none.
  fileprivate static var hosts: Self {
    Self(
      read: { given throws(Misuse) in
        if given.value.bool == false { return nil }
        if let text = given.plainString { return text }
        let expectation = "a string such as \"localhost,.example.com\", a list of strings, or false"
        guard given.isTable else { throw given.mustBe(expectation) }
        var hosts: [(position: Int64, name: String)] = []
        try LuaTable(given.index, in: given.state).forEachField { key, element throws(Misuse) in
          guard key.kind == Int32(LULL_INTEGER), let name = element.string,
            !name.utf8.contains(0)
          else {
            throw .message("'\(given.name)' must be \(expectation), got \(element.described)")
          }
          try element.requireText("a string of '\(given.name)'")
          hosts.append((key.integer, name))
        }
        return hosts.sorted { $0.position < $1.position }.map(\.name).joined(separator: ",")
      }, show: { $0.map { .string($0) } })
  }
}

extension SettingType<Double?> {
  /// A number of seconds; false for no limit.
  fileprivate static var wait: Self {
    Self(
      read: { given throws(Misuse) in
        if given.value.bool == false { return nil }
        guard let seconds = given.value.double, NumberRule.wait.allows(seconds) else {
          throw given.mustBe("\(NumberRule.wait.expectation), or false")
        }
        return seconds.isFinite ? seconds : nil
      }, show: { $0.map { .number($0) } })
  }
}

extension SettingType<Double?> {
  /// A number of seconds without data; false or 0 for no limit, even where a default limit would
  /// apply.
  fileprivate static var silence: Self {
    Self(
      read: { given throws(Misuse) in
        if given.value.bool == false { return .infinity }
        guard let seconds = given.value.double, seconds >= 0 else {
          throw given.mustBe("a number of seconds above 0, or false")
        }
        return seconds > 0 ? seconds : .infinity
      }, show: { $0.map { $0.isFinite ? .number($0) : .bool(false) } })
  }
}

extension SettingType<ProxyRule> {
  fileprivate static var proxy: Self {
    Self(
      read: { given throws(Misuse) in
        if given.value.bool == false { return .none }
        guard let url = given.plainString, ProxyAddress(url) != nil else {
          // The error message must not contain the value, because a URL may contain a password.
          let problem = given.plainString.flatMap { ProxyAddress.problem(with: $0) }
          throw .message(
            "'proxy' must be false or a URL such as \"http://host:3128\", got "
              + (problem.map { "an invalid URL: \($0)" } ?? given.value.described))
        }
        return .url(url)
      },
      show: { rule in
        switch rule {
        case .environment: nil
        case .none: .bool(false)
        // The returned value may be printed, so it contains neither user nor password.
        case .url(let url): .string(LogText.url(url))
        }
      })
  }
}

extension SettingType<[String: String]> {
  fileprivate static var addresses: Self {
    Self(
      read: { given throws(Misuse) in
        if given.value.bool == false { return [:] }
        let expectation = "a table such as { [\"api.example.com:443\"] = \"127.0.0.1\" }"
        guard given.isTable else { throw given.mustBe(expectation) }
        var addresses: [String: String] = [:]
        try LuaTable(given.index, in: given.state).forEachField { key, element throws(Misuse) in
          guard let name = key.string, HostAndPort(name)?.port != nil else {
            throw .message(
              "'resolve' must be \(expectation), got the key \(key.described), which is not "
                + "host:port")
          }
          guard let address = element.string, HostAndPort(address) != nil else {
            throw .message(
              "'resolve' must be \(expectation), got \(element.described) for '\(name)'")
          }
          addresses[name] = address
        }
        return addresses
      },
      show: { addresses in
        guard !addresses.isEmpty else { return nil }
        return .map(addresses.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
      })
  }
}

extension SettingType<HTTPVersion?> {
  fileprivate static var httpVersion: Self {
    Self(
      read: { given throws(Misuse) in
        if given.value.bool == false { return nil }
        guard let version = given.value.string.flatMap({ HTTPVersion(rawValue: $0) }) else {
          throw given.mustBe("\"1.1\", \"2\", \"3\" or false")
        }
        return version
      }, show: { $0.map { .string($0.rawValue) } })
  }
}

extension SettingType<RedirectRule> {
  fileprivate static var redirects: Self {
    Self(
      read: { given throws(Misuse) in
        if given.value.bool == false { return .answer }
        if given.value.string == "same_origin" { return .followWithinOrigin }
        let rule = NumberRule.count(in: 0...100)
        guard let number = given.value.double, rule.allows(number),
          let limit = Int(exactly: number)
        else { throw given.mustBe("\(rule.expectation), false, or \"same_origin\"") }
        return .follow(atMost: limit)
      },
      show: { rule in
        switch rule {
        case .follow(let limit): .int(Int64(limit))
        case .followWithinOrigin: .string("same_origin")
        case .answer: .bool(false)
        }
      })
  }
}

extension SettingType<CookieJar?> {
  fileprivate static var cookies: Self {
    Self(
      read: { given throws(Misuse) in
        if let flag = given.value.bool { return flag ? given.service.cookieJar : nil }
        guard let path = given.plainString, !path.isEmpty else {
          throw given.mustBe("true, false, or the name of a file")
        }
        try given.refuseInSandbox("a file of cookies")
        return CookieJar(file: path)
      }, show: { $0.map { $0.file.map { .string($0) } ?? .bool(true) } ?? .bool(false) })
  }
}

extension GivenSetting {
  /// Throws in the sandbox. During an inspection it does not throw, because an inspection opens no
  /// files.
  fileprivate func refuseInSandbox(_ what: StaticString) throws(Misuse) {
    if !call.permissions.isInspecting { try call.permissions.refuseInSandbox(what) }
  }
}
