import CLullBridge
import LullCore
import LullTransport

extension APIOwner {
  static let moduleSecrets: [APIEntry] = [
    .function(
      "secret", "(source: SecretSource): Secret",
      "A credential by where it comes from, to be used without being seen.",
      """
      Reads nothing: it becomes text only when a request with it is sent, and everything else shows \
      `‹secret NAME›`. It is sent to the origin of the service that uses it only; a request to \
      another one fails with kind `secret_origin` before sending, and so does a redirect that would \
      take it along. A source that is missing fails the request with kind `secret_unavailable`. Files \
      and commands are read once per process. It does not cover text that the script reads itself, as \
      with `os.getenv`, nor what a server sends back. Not available in the sandbox.
      """,
      example: """
        local token = lull.secret{ env = "GITHUB_TOKEN" }
        local github = lull.service{ base_url = "https://api.github.com",
          headers = { Authorization = "Bearer " .. token } }
        print(github:configuration_for("/user").headers.authorization)
        --> Bearer ‹secret GITHUB_TOKEN›
        """,
      swift: "Secret.init(_:name:origins:)"
    ) { call throws(Misuse) in
      let secret = try call.reading.credentials.secret(table: call.index(0), in: call.state)
      call.return(call.values.of(SecretBox(SecretText(secret)), .secret))
    }
  ]

  static let secret = APIOwner.object(
    .secret, receiver: "secret",
    "A text some parts of which are not to be seen: `lull.secret{…}`, or what `..` made of one.",
    """
    Values of request headers, query parameters, forms and JSON bodies may be secrets. `tostring`, \
    `string.format`, `lull.json.encode`, logs and errors show its mask; it has no length, no order and \
    no methods of strings.
    """,
    swift: "SecretText",
    entries: [
      // The bridge passes the secret, the other operand, and whether the secret was the right
      // operand.
      .operation(
        "__concat", "(other: string|number|Secret): Secret", shown: "secret .. other",
        "A secret with text before or behind it.",
        example: """
          print("token " .. lull.secret{ env = "X", name = "x" } .. "!")  --> token ‹secret x›!
          """
      ) { call throws(Misuse) in
        let text = try call.selfObject(.secret, as: SecretBox.self).text
        let raw = call.raw(1)
        guard let other = call.handles.secret(raw) ?? raw.text.map({ SecretText($0) }) else {
          throw .message("attempt to concatenate a \(raw.typeName) value")
        }
        try raw.requireText("what is put beside a secret")
        let isRight = call.raw(2).bool ?? false
        let joined = isRight ? other + text : text + other
        call.return(call.values.of(SecretBox(joined), .secret))
      }
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        call.return(.string(try call.selfObject(.secret, as: SecretBox.self).text.masked))
      }
    ])

  static let secretSource = APIOwner.table(
    "SecretSource", "What `lull.secret{…}` takes: one of `env`, `file` and `command`.",
    swift: "Secret.Source",
    entries: [
      .field("env", "string?", "The name of an environment variable; read for each request."),
      .field(
        "file", "string?",
        "A file, `~/` being the home folder; a line break at its end does not count."),
      .field(
        "command", "string|string[]|nil",
        """
        A line for the shell, or a program and its arguments: what it prints, without the line break \
        at its end. It gets nothing to read and has a minute.
        """),
      .field("name", "string?", "What its mask says; by default what its source is called."),
      .field(
        "origins", "string[]?",
        "Where it may be sent besides the service's own origin, as `https://host:port`."),
    ])

  static let auth = APIOwner.module(
    "lull.auth", "Ways to prove who sends a request, for the setting `auth`.",
    """
    They are put on when everything else of a request is there, unless it has a header, or a parameter, of that name. \
    A string in place of a secret is masked like one. `auth = false` takes them away from a pattern.
    """,
    entries: [
      .function(
        "bearer", "(token: Secret|string): Auth", "Sends `Authorization: Bearer …`.",
        example: """
          api:configure{ auth = lull.auth.bearer(lull.secret{ env = "TOKEN" }) }
          print(api:configuration_for(user).auth)   --> authorization: Bearer ‹secret TOKEN›
          api:configure("/login", { auth = false })
          print(api:configuration_for(api("/login")).auth)       --> nil
          """,
        swift: "Auth.bearer(_:)"
      ) { call throws(Misuse) in
        let auth = Auth.bearer(try headerCredential(call, 0))
        call.return(call.values.of(AuthBox(auth), .auth))
      },
      .function(
        "basic", "(user: string|Secret, password: Secret|string): Auth",
        "Sends `Authorization: Basic …`, made of a user and a password.",
        """
        A user with a colon in it raises. Beside a user that is a secret the password may be empty, as APIs \
        want it that take a key in the user's place: `lull.auth.basic(lull.secret{ env = "KEY" }, "")`.
        """,
        example: """
          api:configure{ auth = lull.auth.basic("ann", lull.secret{ file = "~/.password" }) }
          print(api:configuration_for(user).auth)   --> authorization: Basic ‹secret .password›
          """,
        swift: "Auth.basic(user:password:)"
      ) { call throws(Misuse) in
        let user = try call.reading.credentials.user(call.raw(0), argument: 1)
        // RFC 7617, section 2: the user name ends at the first colon.
        guard !user.secrets.isEmpty || !user.masked.contains(":") else {
          throw .argument(1, "a user without a colon expected")
        }
        // API keys without a password.
        let isKey = !user.secrets.isEmpty && call.raw(1).string == ""
        let auth = Auth.basic(
          user: user, password: isKey ? SecretText("") : try credential(call, 1))
        call.return(call.values.of(AuthBox(auth), .auth))
      },
      .function(
        "digest", "(user: string|Secret, password: Secret|string): Auth",
        "Answers a server that asks for a digest: the password is never sent.",
        """
        MD5, SHA-256 and SHA-512-256, of the strongest that the server offers, and of whole bodies too \
        where it wants that (RFC 7616). The first request goes out without; the server's 401 says what to \
        answer, and the request is sent once more, its body too. All after it, to that origin, carry an \
        answer of their own. Make it once, outside of settings functions: what was made anew has been \
        asked for nothing yet. A server that asks for no digest is answered nothing: its 401 stands.
        """,
        example: """
          api:configure{ auth = lull.auth.digest("ann", lull.secret{ file = "~/.password" }) }
          print(api:configuration_for(user).auth)   --> authorization: Digest ‹secret .password›
          """,
        swift: "Auth.digest(user:password:)"
      ) { call throws(Misuse) in
        let auth = Auth.digest(
          user: try call.reading.credentials.user(call.raw(0), argument: 1),
          password: try credential(call, 1))
        call.return(call.values.of(AuthBox(auth), .auth))
      },
      .function(
        "netrc", "(options?: NetrcOptions): Auth",
        "Sends `Authorization: Basic …` with the login that a netrc file has for the host.",
        """
        The file is the one that the variable `NETRC` names, else `~/.netrc`; it is read when the first \
        request needs it, and again once it has changed. One that others may read is not used. Without a \
        file, or a login for the host in it, the request fails with kind `secret_unavailable`, unless \
        `optional` says otherwise. Not available in the sandbox.
        """,
        example: """
          api:configure{ auth = lull.auth.netrc{ path = "/etc/api.netrc" } }
          print(api:configuration_for(user).auth)   --> authorization: Basic ‹netrc /etc/api.netrc›
          """,
        swift: "Auth.netrc(_:login:isOptional:)"
      ) { call throws(Misuse) in
        let auth = try call.reading.credentials.netrc(
          table: call.isNil(0) ? nil : call.index(0), in: call.state)
        call.return(call.values.of(AuthBox(auth), .auth))
      },
      .function(
        "aws_sigv4", "(credentials: AWSCredentials): Auth",
        "Signs each request for Amazon's services, and those that work like them (version 4).",
        """
        Signed are the method, the URL, the body, and all headers but those that change on their way. \
        Service and region are told by names such as `s3.eu-central-1.amazonaws.com`; elsewhere say them. \
        A body from a file is read twice, once to be signed; for S3 by https it is not, and goes as \
        `UNSIGNED-PAYLOAD`. Every attempt and every redirect within the origin is signed anew. Where the \
        service's clock differs by more than four minutes, requests are signed by that.
        """,
        example: """
          api:configure{ auth = lull.auth.aws_sigv4{ service = "s3", region = "eu-central-1",
            access_key = lull.secret{ env = "S3_KEY" }, secret_key = lull.secret{ env = "S3_SECRET" } } }
          print(api:configuration_for(user).auth)
          --> authorization: AWS4-HMAC-SHA256 ‹secret S3_SECRET›
          """,
        swift: "Auth.awsSignature(_:)"
      ) { call throws(Misuse) in
        let auth = try call.reading.credentials.aws(table: call.index(0), in: call.state)
        call.return(call.values.of(AuthBox(auth), .auth))
      },
      .function(
        "header", "(name: string, value: Secret|string): Auth", "Sends a header of your own.",
        "A name that is no HTTP token raises.",
        example: """
          api:configure{ auth = lull.auth.header("X-API-Key", lull.secret{ env = "KEY" }) }
          print(api:configuration_for(user).auth)   --> x-api-key: ‹secret KEY›
          """,
        swift: "Auth.header(_:_:)"
      ) { call throws(Misuse) in
        let name = call.string(0)
        guard Headers.isName(name) else {
          throw .argument(1, "'\(name)' is not a valid header name")
        }
        let auth = Auth.header(name, try headerCredential(call, 1))
        call.return(call.values.of(AuthBox(auth), .auth))
      },
      .function(
        "query", "(name: string|table<string, Secret|string>, value?: Secret|string): Auth",
        "Sends a parameter of the query, or several.",
        """
        They are put behind the query that the request has, except where that has one of the name. The \
        resource's URL, by which it is cached, shown and found, has none of them, and a link of the \
        server's to a next page that has them is taken without. A redirect goes where the server \
        says, and gets none. Several stand in a table, and are sent sorted by name.
        """,
        example: """
          api:configure{ auth = lull.auth.query("api_key", lull.secret{ env = "KEY" }) }
          print(api:configuration_for(user).auth)   --> ?api_key=‹secret KEY›
          """,
        swift: "Auth.query(_:_:)"
      ) { call throws(Misuse) in
        let credentials = call.reading.credentials
        let parameters =
          call.raw(0).kind == Int32(LULL_TABLE)
          ? try credentials.query(table: call.index(0), in: call.state)
          : [(try credentials.queryName(call.raw(0)), try credential(call, 1))]
        guard call.raw(0).kind != Int32(LULL_TABLE) || call.isNil(1) else {
          throw .argument(2, "nothing expected behind a table")
        }
        call.return(call.values.of(AuthBox(.query(parameters)), .auth))
      },
      .function(
        "token", "(options: TokenOptions): Auth",
        "Tokens that a function of yours gets, for logins that are not OAuth.",
        """
        `fetch(service, old)` is called when the first request needs a token; all others wait for that one. \
        It may wait, and gives the token, a string or a Secret, and for how many seconds it is good if that \
        is known; or nil and an error, which fails the requests with kind `auth_failed`. A token that ends \
        soon, or that the service answers 401 to, is fetched again, with the old one as second argument, and \
        the request is sent once more. Requests that `fetch` itself makes go without the token. \
        Make it once, outside of settings functions: what was made anew knows no token.
        """,
        example: """
          api:configure{ auth = lull.auth.token{
            header = "X-Session",
            fetch = function(service)
              local entity, err = service("/users"):post{ json = { name = "Cid" } }:await()
              if not entity then return nil, err end
              return "session-" .. entity.content.id, 3600
            end } }
          print(assert(user:load():await()).content.name)      --> Ann
          print(api:configuration_for(user).auth)  --> x-session: ‹token›
          """,
        rules: "OAU-120 OAU-121 OAU-122 OAU-123 OAU-124 OAU-125"
      ) { call throws(Misuse) in
        let (auth, function) = try call.reading.credentials.token(call, table: call.index(0))
        call.return(
          call.values.of(AuthBox(auth, function: function), .auth, anchor: function))
      },
      .function(
        "oauth2_client_credentials", "(client: OAuth2Client): Auth",
        "Bearer tokens that a token endpoint gives to the client itself.",
        """
        Asks for nothing before a request needs a token; all others wait for that answer. A token that \
        ends soon, or that the service answers 401 to, is renewed, and the request is sent once more. \
        Make it once, outside of settings functions: what was made anew knows no token. Without a \
        token the request fails with kind `auth_failed`.
        """,
        example: """
          local auth = lull.auth.oauth2_client_credentials{
            token_url = "https://login.example.com/token", client_id = "me",
            client_secret = lull.secret{ env = "CLIENT_SECRET" } }
          api:configure{ auth = auth }
          print(auth)  --> Auth(authorization: Bearer ‹token of https://login.example.com/token›)
          """,
        swift: "Auth.oauth2ClientCredentials(…)"
      ) { call throws(Misuse) in
        try returnOAuth2(call, .clientCredentials)
      },
      .function(
        "oauth2_refresh", "(client: OAuth2RefreshClient): Auth",
        "Bearer tokens that a token endpoint gives for a refresh token.",
        """
        As above. A new refresh token takes the place of the old one; with a `token_file` it outlives \
        the script.
        """,
        example: """
          api:configure{ auth = lull.auth.oauth2_refresh{
            token_url = "https://login.example.com/token", client_id = "me",
            refresh_token = lull.secret{ file = "~/.refresh-token" }, token_file = "~/.tokens.json" } }
          """,
        swift: "Auth.oauth2Refresh(…)"
      ) { call throws(Misuse) in
        try returnOAuth2(call, .refresh)
      },
      .function(
        "oauth2_code", "(client: OAuth2CodeLogin): Auth",
        "Bearer tokens that a person gets for the script, by a browser on this machine.",
        """
        The tokens are fetched by `lull login API`, once, and renewed as above; they stand in \
        `lull/tokens/NAME.json` in `$XDG_STATE_HOME` or `~/.local/state`. A request without any fails \
        with kind `auth_failed` and says what to run: no script asks a person by itself. `lull login` \
        listens on 127.0.0.1 for the answer to its one request, with PKCE (S256) and a `state`; \
        `lull logout API` takes the tokens away. Not available in the sandbox.
        """,
        example: """
          api:configure{ auth = lull.auth.oauth2_code{
            authorization_url = "https://login.example.com/authorize",
            token_url = "https://login.example.com/token", client_id = "me", name = "shop" } }
          """,
        swift: "Auth.oauth2Code(…)"
      ) { call throws(Misuse) in
        try call.permissions.refuseUnlessInspecting("lull.auth.oauth2_code")
        try returnOAuth2(call, .code)
      },
      .function(
        "oauth2_device", "(client: OAuth2DeviceLogin): Auth",
        "Bearer tokens that a person gets for the script, by a code typed into a browser anywhere.",
        "As above, for machines without a browser: `lull login API` shows a URL and a code, and waits.",
        example: """
          api:configure{ auth = lull.auth.oauth2_device{
            device_url = "https://login.example.com/device", name = "shop",
            token_url = "https://login.example.com/token", client_id = "me" } }
          """,
        swift: "Auth.oauth2Device(…)"
      ) { call throws(Misuse) in
        try call.permissions.refuseUnlessInspecting("lull.auth.oauth2_device")
        try returnOAuth2(call, .device)
      },
    ])

  static let tokenOptions = APIOwner.table(
    "TokenOptions", "What `lull.auth.token{…}` takes.",
    entries: [
      .field(
        "fetch",
        "fun(service: Service, old?: string): string|Secret|nil, number|RequestError|string|nil",
        "Gets a token: itself and for how many seconds it is good, or nil and an error.",
        rules: "OAU-120"),
      .field("header", "string?", "The header it is sent in; default `Authorization`."),
      .field(
        "prefix", "string?",
        "What stands before it there; default `\"Bearer \"` in `Authorization`, else nothing."),
      .field(
        "token_file", "string?",
        "Where it is kept for other processes, for its owner alone; not in the sandbox.",
        rules: "OAU-124"),
      .field(
        "name", "string?",
        "Whose token it is: several can be in one file, and caches find what they have kept by it.",
        rules: "OAU-124 OAU-126"),
    ])

  private static let oauth2Fields: [APIEntry] = [
    .field(
      "token_url", "string",
      "The token endpoint: secrets go to its origin, tokens come from there; no redirect leads away."
    ),
    .field("client_id", "string", "Who asks."),
    .field("scope", "string?", "What the token is to be good for, by words with spaces between."),
    .field("audience", "string?", "Whom it is for, where the endpoint wants to know."),
    .field(
      "secret_in", "\"header\"|\"body\"|nil",
      "Where the client's secret goes; default `\"header\"`."),
    .field(
      "token_file", "string?",
      "Where tokens are kept for other processes, for its owner alone; not in the sandbox."),
  ]

  static let oauth2Client = APIOwner.table(
    "OAuth2Client", "A client of a token endpoint, as in RFC 6749, section 4.4.",
    entries: oauth2Fields + [
      .field("client_secret", "Secret|string", "What proves who asks.")
    ])

  static let oauth2RefreshClient = APIOwner.table(
    "OAuth2RefreshClient", "A client with a refresh token, as in RFC 6749, section 6.",
    entries: oauth2Fields + [
      .field(
        "client_secret", "Secret|string|nil", "What proves who asks, if the endpoint wants it."),
      .field("refresh_token", "Secret|string", "The refresh token to begin with."),
    ])

  private static let loginFields: [APIEntry] =
    oauth2Fields + [
      .field(
        "client_secret", "Secret|string|nil", "What proves who asks, if the endpoint wants it."),
      .field(
        "name", "string?",
        """
        As the tokens' file is called; by default as the file that says it, without `.lua`. Two logins \
        of one file need two.
        """),
      .field(
        "revocation_url", "string?",
        "Where `lull logout` gives tokens back (RFC 7009); without it they are only removed here."),
    ]

  static let oauth2CodeLogin = APIOwner.table(
    "OAuth2CodeLogin",
    """
    A client that a person lets in by a browser on this machine, as in RFC 6749, section 4.1, and RFC \
    8252. Its URLs are https ones, or http ones of this machine.
    """,
    entries: loginFields + [
      .field(
        "authorization_url", "string",
        "What the browser opens; parameters that stand in it already are sent as well."),
      .field(
        "issuer", "string?",
        "Who has to have sent the answer, as its `iss` says (RFC 9207); if not given that is not asked."
      ),
      .field(
        "port", "integer?",
        "Where `lull login` listens, if the server wants to know; by default a free port."),
      .field("redirect_path", "string?", "The path of that address; default `\"/callback\"`."),
    ])

  static let oauth2DeviceLogin = APIOwner.table(
    "OAuth2DeviceLogin",
    """
    A client that a person lets in by a code, as in RFC 8628. Its URLs are https ones, or http ones of \
    this machine.
    """,
    entries: loginFields + [
      .field("device_url", "string", "The endpoint that gives the code.")
    ])

  static let netrcOptions = APIOwner.table(
    "NetrcOptions", "What `lull.auth.netrc{…}` takes.",
    entries: [
      .field("path", "string?", "The file, `~/` being the home folder."),
      .field("login", "string?", "The name to log in with, where there are several for a host."),
      .field(
        "optional", "boolean?",
        "Whether a host without a login, or without the file, is asked without; default false."),
    ])

  static let awsCredentials = APIOwner.table(
    "AWSCredentials", "Who signs, and for which service: what `lull.auth.aws_sigv4{…}` takes.",
    swift: "AWSCredentials",
    entries: [
      .field("access_key", "Secret|string|nil", "The name of the key."),
      .field("secret_key", "Secret|string|nil", "The key itself, which is never sent."),
      .field("session_token", "Secret|string|nil", "What belongs to a key that ends some time."),
      .field(
        "env", "boolean?",
        """
        Takes all three, and perhaps the region, from the environment by their usual names, \
        `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` and \
        `AWS_DEFAULT_REGION`; not in the sandbox.
        """),
      .field(
        "service", "string?", "As signatures call it, such as `s3`; default what the host says."),
      .field(
        "region", "string?", "Such as `eu-central-1`; default what the host says, then `env`."),
      .field(
        "unsigned_payload", "boolean?",
        "Whether bodies are not signed; default only from files, for S3 by https."),
    ])

  static let authObject = APIOwner.object(
    .auth, receiver: "auth", "What a function of `lull.auth` gives.",
    "It has no members; `tostring` masks it.", swift: "Auth", entries: [],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let auth = try call.selfObject(.auth, as: AuthBox.self).auth
        call.return(.string("Auth(\(auth.description))"))
      }
    ])
}

extension APIOwner {
  /// The functions passed to code that reads a file of variables.
  static let variablesFunctions = APIOwner.unseen(
    .variables,
    hidden: [
      // As `lull.secret` and `lull.env`, for a file with its own variables.
      .hidden("secret", "t") { call throws(Misuse) in
        let secret = try call.reading.credentials.secret(
          table: call.index(1), in: call.state,
          variables: call.selfObject(.variables, as: FileVariables.self))
        call.return(call.values.of(SecretBox(SecretText(secret)), .secret))
      },
      .hidden("env", "sV") { call throws(Misuse) in
        let variables = try call.selfObject(.variables, as: FileVariables.self)
        if let text = variables.text(call.string(1)) { return call.return(.string(text)) }
        try call.returnVariable(1)
      },
    ])

  private static func credential(_ call: Call, _ position: Int) throws(Misuse) -> SecretText {
    try call.reading.credentials.credential(call.raw(position), argument: position + 1)
  }

  /// Returns a credential that is used unchanged as a header value.
  private static func headerCredential(_ call: Call, _ position: Int) throws(Misuse) -> SecretText {
    if let text = call.raw(position).bytes, let problem = Headers.valueProblem(text) {
      throw .argument(position + 1, "the value of a header \(problem)")
    }
    return try credential(call, position)
  }

  private static func returnOAuth2(_ call: Call, _ kind: OAuth2Options.Kind) throws(Misuse) {
    let auth = try call.reading.credentials.oauth2(table: call.index(0), in: call.state, kind)
    call.return(call.values.of(AuthBox(auth), .auth))
  }
}
