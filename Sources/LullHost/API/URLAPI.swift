import CLullBridge
import LullCore

extension APIOwner {
  static let url = APIOwner.module(
    "lull.url", "Functions to parse and build URLs, with the rules that requests use.",
    entries: [
      .function(
        "parse", "(text: string): URLParts?, string?",
        """
        Returns the parts of a URL, or of a reference such as `/a?b=1`; nil and an error message \
        if the text is neither.
        """,
        "Sends no request. A `+` in a query stays a plus sign.",
        example: """
          local url = assert(lull.url.parse("https://ann@Example.com/a%20b?tag=x&tag=y&q=1%2B1#top"))
          print(url.scheme, url.user, url.host, url.port)  --> https ann example.com 443
          print(url.path, url.query, url.fragment)         --> /a%20b tag=x&tag=y&q=1%2B1 top
          print(url.params.q, #url.params.tag)             --> 1+1 2
          """, rules: "ENC-01 ENC-02"
      ) { call throws(Misuse) in parse(call) },
      .function(
        "join", "(base: string, reference: string): string?, string?",
        """
        Resolves a reference against a base URL (RFC 3986, section 5); nil and an error message if \
        either is not valid.
        """,
        "A reference is resolved as by `resource:relative(href)`: dot segments are removed.",
        example: """
          print(lull.url.join("https://example.com/a/b?c", "../d"))  --> https://example.com/d
          """, rules: "ENC-03 PATH-09"
      ) { call throws(Misuse) in join(call) },
      .function(
        "encode", "(text: string): string",
        "A text escaped for use in a URL: `%XX` for every byte except letters, digits and `-._~`.",
        """
        Use this for a segment of a path, or for a name or value of a query. Do not pass a whole \
        URL: its slashes would be escaped too.
        """,
        example: """
          print(lull.url.encode("50 % & more/less"))  --> 50%20%25%20%26%20more%2Fless
          """, rules: "ENC-04"
      ) { call throws(Misuse) in
        let bytes = call.raw(0).withBytes { PercentEncoding.encode($0) }
        call.return(.bytes(bytes ?? []))
      },
      .function(
        "decode", "(text: string): string?, string?",
        """
        The unescaped text, which may be any bytes; nil and an error message with the position if \
        an escape is not valid.
        """,
        """
        A `+` stays unchanged. If a `+` means a space, as in forms, replace it with `gsub` before \
        decoding.
        """,
        example: """
          print(lull.url.decode("caf%C3%A9"))       --> café
          print(select(2, lull.url.decode("50%")))  --> '%' is not an escape (at byte 3)
          """, rules: "ENC-04 ENC-05"
      ) { call throws(Misuse) in
        let outcome = call.raw(0).withBytes { text -> Result<[UInt8], PercentEncoding.BadEscape> in
          do throws(PercentEncoding.BadEscape) {
            return .success(try PercentEncoding.decode(text))
          } catch {
            return .failure(error)
          }
        }
        switch outcome ?? .success([]) {
        case .success(let bytes): call.return(.bytes(bytes))
        case .failure(let escape):
          call.fail("'\(escape.text)' is not an escape (at byte \(escape.offset + 1))")
        }
      },
    ])

  static let urlParts = APIOwner.table(
    "URLParts", "The result of `lull.url.parse`; missing parts are nil.",
    entries: [
      .field("scheme", "string?", "The scheme, in lower case."),
      .field("user", "string?", "The user before `@`, unescaped."),
      .field("password", "string?", "The password, which follows the user and a colon, unescaped."),
      .field(
        "host", "string?",
        """
        The host in canonical form: lower case, an international name as `xn--`, an IPv6 address \
        in brackets.
        """
      ),
      .field(
        "port", "integer?",
        "The port as written, else the default port of the scheme: 80, 443 or 21."
      ),
      .field("path", "string", "The path as written; `/` if a URL with a host has no path."),
      .field("query", "string?", "The query as written, without the question mark."),
      .field("fragment", "string?", "The fragment as written, without the number sign."),
      .field(
        "params", "table<string, string|string[]>",
        "The names and values of the query, unescaped; the value is a list if a name is repeated."),
    ])
}

extension APIOwner {
  /// Implements `lull.url.parse(text)`.
  private static func parse(_ call: Call) {
    guard let parts = url(call, 0)?.parts else { return }
    var fields: [(String, LuaValue)] = [("path", .string(parts.path))]
    func add(_ name: String, _ value: LuaValue?) {
      if let value { fields.append((name, value)) }
    }
    add("scheme", parts.scheme.map { .string($0) })
    add("user", parts.user.map { .bytes($0) })
    add("password", parts.password.map { .bytes($0) })
    add("host", parts.host.map { .string($0) })
    add("port", parts.port.map { .int(Int64($0)) })
    add("query", parts.query.map { .string($0) })
    add("fragment", parts.fragment.map { .string($0) })
    var values: [[UInt8]: [LuaValue]] = [:]
    for (name, value) in parts.params { values[name, default: []].append(.bytes(value)) }
    add(
      "params",
      .table(
        values.map { name, values in
          (.bytes(name), values.count == 1 ? values[0] : .list(values))
        }))
    call.return(.map(fields))
  }

  /// Implements `lull.url.join(base, reference)`.
  private static func join(_ call: Call) {
    guard let base = url(call, 0) else { return }
    let joined = call.raw(1).withBytes { base.relative(hrefBytes: $0) } ?? base
    guard let joined else {
      let text = call.raw(1).urlText ?? ""
      return call.fail(
        """
        '\(LogText.url(text))' is not a reference: \(ResourceURL.problem(in: text))
        """)
    }
    call.return(.string(joined.text))
  }

  /// Returns the URL in the argument at a position. If the text is not a URL, returns nil and sets
  /// the results of the call to nil and an error message.
  private static func url(_ call: Call, _ position: Int) -> ResourceURL? {
    let text = call.raw(position).urlText ?? ""
    guard let url = ResourceURL(absolute: text) else {
      call.fail("'\(LogText.url(text))' is not a URL: \(ResourceURL.problem(in: text))")
      return nil
    }
    return url
  }
}

extension Call {
  /// Sets the results of the call to nil and an error message.
  func fail(_ problem: String) {
    self.return(.nil)
    self.return(.string(problem))
  }
}
