import CLullBridge
import LullCore
import LullTransport

extension APIOwner {
  static let moduleSecrets: [APIEntry] = [
    .function(
      "secret", "(source: SecretSource): Secret",
      "A credential, named by its source, that can be used without being shown.",
      """
      This call reads nothing: a secret becomes text only when a request with it is sent. \
      Everywhere else it is shown as `‹secret NAME›`. It is only sent to the origin of the service \
      that uses it. A request with it to another origin fails with kind `secret_origin` before it \
      is sent, and so does a redirect that would send it there. A missing source fails the request \
      with kind `secret_unavailable`. Files and commands are read once per process. It does not \
      protect text that the script reads itself, as with `os.getenv`, or text that a server sends \
      back. Not available in the sandbox.
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
    "A text with hidden parts: `lull.secret{…}`, or a concatenation with one.",
    """
    A secret can be a value of a request header, a query parameter, a form or a JSON body. \
    `tostring`, `string.format`, `lull.json.encode`, logs and errors show its mask. A secret has \
    no length, no order and no string methods.
    """,
    swift: "SecretText",
    entries: [
      // The bridge passes the secret, the other operand, and whether the secret was the right
      // operand.
      .operation(
        "__concat", "(other: string|number|Secret): Secret", shown: "secret .. other",
        "A secret with text before or after it.",
        example: """
          print("token " .. lull.secret{ env = "X", name = "x" } .. "!")  --> token ‹secret x›!
          """
      ) { call throws(Misuse) in
        let text = try call.selfObject(.secret, as: SecretBox.self).text
        let raw = call.raw(1)
        guard let other = call.handles.secret(raw) ?? raw.text.map({ SecretText($0) }) else {
          throw .message("attempt to concatenate a \(raw.typeName) value")
        }
        try raw.requireText("the text joined with a secret")
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
    "SecretSource", "The source of a secret: one of `env`, `file` and `command`.",
    swift: "Secret.Source",
    entries: [
      .field("env", "string?", "The name of an environment variable; read for each request."),
      .field(
        "file", "string?",
        "A file; `~/` is the home folder. A line break at its end is ignored."),
      .field(
        "command", "string|string[]|nil",
        """
        A command line for the shell, or a list of a program and its arguments. Its output is the \
        secret, without the line break at its end. The command gets no input and must end within a \
        minute.
        """),
      .field("name", "string?", "The name shown in its mask; default the name of its source."),
      .field(
        "origins", "string[]?",
        "The origins it may be sent to besides the service's own, as `https://host:port`."),
    ])

  static let auth = APIOwner.module(
    "lull.auth", "Credentials for requests, for the setting `auth`.",
    """
    They are added after the rest of the request is built, unless it already has that header or \
    parameter. A string in place of a secret is masked like one. `auth = false` removes them for a \
    pattern.
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
        "Sends `Authorization: Basic …` with a user and a password.",
        """
        A user with a colon raises an error. If the user is a secret, the password may be empty, \
        for APIs that expect a key as the user: `lull.auth.basic(lull.secret{ env = "KEY" }, "")`.
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
        // If the user is a secret, it is an API key, and its password may be empty.
        let isKey = !user.secrets.isEmpty && call.raw(1).string == ""
        let auth = Auth.basic(
          user: user, password: isKey ? SecretText("") : try credential(call, 1))
        call.return(call.values.of(AuthBox(auth), .auth))
      },
      .function(
        "digest", "(user: string|Secret, password: Secret|string): Auth",
        "Answers a server's digest challenge: the password is never sent.",
        """
        Supports MD5, SHA-256 and SHA-512-256 and uses the strongest that the server offers, also \
        with body integrity if the server requires it (RFC 7616). The first request is sent \
        without credentials. The server's 401 has the challenge, and the request is sent again \
        with its body. Every later request to that origin is sent with its own digest. Make this \
        object once, outside settings functions: a new one has no challenge yet. If the server \
        offers no digest, its 401 is the response.
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
        "Sends `Authorization: Basic …` with the login for the host from a netrc file.",
        """
        The file is named by the variable `NETRC`, else it is `~/.netrc`. It is read when the \
        first request needs it, and again after it has changed. A file that other users can read \
        is not used. Without a file, or without a login for the host, the request fails with kind \
        `secret_unavailable`, unless `optional` is set. Not available in the sandbox.
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
        "Signs each request for AWS and compatible services (Signature Version 4).",
        """
        It signs the method, the URL, the body, and all headers except those that change in \
        transit. Service and region are taken from hosts such as `s3.eu-central-1.amazonaws.com`; \
        set them for other hosts. A body from a file is read twice, the first time to sign it; for \
        S3 with https it is sent as `UNSIGNED-PAYLOAD` instead. Every attempt and every redirect \
        within the origin is signed again. If the service's clock differs by more than four \
        minutes, requests are signed with its time.
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
        "header", "(name: string, value: Secret|string): Auth", "Sends a header with a credential.",
        "A name that is not an HTTP token raises an error.",
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
        "Sends one or more query parameters with credentials.",
        """
        They are added to the end of the query, unless it already has a parameter of that name. \
        The URL of the resource, which is used for caches, logs and lookups, does not include \
        them; they are removed from the server's links to a next page. A redirect is followed \
        unchanged, without them. Pass several as a table; they are sent sorted by name.
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
          throw .argument(2, "no second argument expected after a table")
        }
        call.return(call.values.of(AuthBox(.query(parameters)), .auth))
      },
      .function(
        "token", "(options: TokenOptions): Auth",
        "Tokens from your own function, for logins other than OAuth.",
        """
        `fetch(service, old)` is called when the first request needs a token; other requests wait \
        for it. It may wait, and returns the token, a string or a Secret, and optionally its \
        lifetime in seconds; or nil and an error, which fails the requests with kind \
        `auth_failed`. A token that expires soon, or that the service rejects with 401, is fetched \
        again, with the old one as second argument, and the request is sent again. Requests made \
        by `fetch` are sent without the token. Make it once, outside settings functions: a new one \
        has no token.
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
        "Bearer tokens that a token endpoint issues to the client (client credentials grant).",
        """
        It requests no token before a request needs one; other requests wait for it. A token that \
        expires soon, or that the service rejects with 401, is renewed, and the request is sent \
        again. Make it once, outside settings functions: a new one has no token. Without a token \
        the request fails with kind `auth_failed`.
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
        "Bearer tokens that a token endpoint issues for a refresh token.",
        """
        Otherwise like `lull.auth.oauth2_client_credentials`. A new refresh token replaces the old \
        one; with a `token_file` it is available to the next run of the script.
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
        "Bearer tokens from a login of the user in a browser on this machine.",
        """
        `lull login API` gets the tokens once; they are renewed as by `lull.auth.oauth2_refresh` \
        and stored in `lull/tokens/NAME.json` in `$XDG_STATE_HOME` or `~/.local/state`. A request \
        without tokens fails with kind `auth_failed` and a message with the command to run: \
        scripts never start a login. `lull login` listens on 127.0.0.1 for the single response, \
        with PKCE (S256) and a `state`. `lull logout API` removes the tokens. Not available in the \
        sandbox.
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
        "Bearer tokens from a login of the user with a code, in a browser on any machine.",
        """
        Like `lull.auth.oauth2_code`, but for machines without a browser: `lull login API` shows a \
        URL and a code, and waits.
        """,
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
    "TokenOptions", "The options of `lull.auth.token{…}`.",
    entries: [
      .field(
        "fetch",
        "fun(service: Service, old?: string): string|Secret|nil, number|RequestError|string|nil",
        "Returns a token and optionally its lifetime in seconds, or nil and an error.",
        rules: "OAU-120"),
      .field("header", "string?", "The header it is sent in; default `Authorization`."),
      .field(
        "prefix", "string?",
        "The text before the token; default `\"Bearer \"` in `Authorization`, else nothing."),
      .field(
        "token_file", "string?",
        """
        The file where the token is stored for other processes of the same user. Not available in \
        the sandbox.
        """,
        rules: "OAU-124"),
      .field(
        "name", "string?",
        """
        The user of the token. One file can hold the tokens of several users, and caches keep the \
        entries of different users apart.
        """,
        rules: "OAU-124 OAU-126"),
    ])

  private static let oauth2Fields: [APIEntry] = [
    .field(
      "token_url", "string",
      """
      The token endpoint: secrets are sent to its origin and tokens come from it; redirects to \
      other origins are not followed.
      """
    ),
    .field("client_id", "string", "Who asks."),
    .field("scope", "string?", "The scopes of the token, separated by spaces."),
    .field("audience", "string?", "The audience of the token, if the endpoint requires one."),
    .field(
      "secret_in", "\"header\"|\"body\"|nil",
      "Where the client secret is sent; default `\"header\"`."),
    .field(
      "token_file", "string?",
      """
      The file where tokens are stored for other processes of the same user. Not available in the \
      sandbox.
      """),
  ]

  static let oauth2Client = APIOwner.table(
    "OAuth2Client", "A client of a token endpoint, as in RFC 6749, section 4.4.",
    entries: oauth2Fields + [
      .field("client_secret", "Secret|string", "The client secret.")
    ])

  static let oauth2RefreshClient = APIOwner.table(
    "OAuth2RefreshClient", "A client with a refresh token, as in RFC 6749, section 6.",
    entries: oauth2Fields + [
      .field(
        "client_secret", "Secret|string|nil", "The client secret, if the endpoint requires one."),
      .field("refresh_token", "Secret|string", "The first refresh token."),
    ])

  private static let loginFields: [APIEntry] =
    oauth2Fields + [
      .field(
        "client_secret", "Secret|string|nil", "The client secret, if the endpoint requires one."),
      .field(
        "name", "string?",
        """
        The name of the token file; default the name of the API file, without `.lua`. Two logins \
        of one file need two names.
        """),
      .field(
        "revocation_url", "string?",
        """
        The endpoint where `lull logout` revokes tokens (RFC 7009). Without it they are only \
        deleted on this machine.
        """),
    ]

  static let oauth2CodeLogin = APIOwner.table(
    "OAuth2CodeLogin",
    """
    A client for a login in a browser on this machine, as in RFC 6749, section 4.1, and RFC 8252. \
    Its URLs must be https, or http on this machine.
    """,
    entries: loginFields + [
      .field(
        "authorization_url", "string",
        "The URL that the browser opens; parameters in it are kept."),
      .field(
        "issuer", "string?",
        """
        The expected issuer of the response, as in its `iss` (RFC 9207); by default it is not \
        checked.
        """
      ),
      .field(
        "port", "integer?",
        """
        The port where `lull login` listens, if the server requires a fixed one; default a free \
        port.
        """),
      .field(
        "redirect_path", "string?",
        "The path of the URL where `lull login` listens; default `\"/callback\"`."
      ),
    ])

  static let oauth2DeviceLogin = APIOwner.table(
    "OAuth2DeviceLogin",
    """
    A client for a login with a code, as in RFC 8628. Its URLs must be https, or http on this \
    machine.
    """,
    entries: loginFields + [
      .field("device_url", "string", "The endpoint that issues the code.")
    ])

  static let netrcOptions = APIOwner.table(
    "NetrcOptions", "The options of `lull.auth.netrc{…}`.",
    entries: [
      .field("path", "string?", "The file; `~/` is the home folder."),
      .field("login", "string?", "The login name, if a host has several."),
      .field(
        "optional", "boolean?",
        """
        Whether a request is sent without credentials if the file or the login is missing; default \
        false.
        """),
    ])

  static let awsCredentials = APIOwner.table(
    "AWSCredentials", "The credentials and service for `lull.auth.aws_sigv4{…}`.",
    swift: "AWSCredentials",
    entries: [
      .field("access_key", "Secret|string|nil", "The ID of the access key."),
      .field("secret_key", "Secret|string|nil", "The secret access key, which is never sent."),
      .field("session_token", "Secret|string|nil", "The session token of a temporary key."),
      .field(
        "env", "boolean?",
        """
        Whether to read the keys and the session token, and the region if nothing else sets it, \
        from the usual environment variables: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, \
        `AWS_SESSION_TOKEN`, `AWS_REGION` and `AWS_DEFAULT_REGION`. Not available in the sandbox.
        """),
      .field(
        "service", "string?",
        "The name of the service in signatures, such as `s3`; default from the host."),
      .field(
        "region", "string?", "Such as `eu-central-1`; default from the host, then from `env`."),
      .field(
        "unsigned_payload", "boolean?",
        "Whether to leave bodies unsigned; default only those from files, for S3 with https."),
    ])

  static let authObject = APIOwner.object(
    .auth, receiver: "auth", "The result of a function of `lull.auth`.",
    "It has no members; `tostring` masks it.", swift: "Auth", entries: [],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let auth = try call.selfObject(.auth, as: AuthBox.self).auth
        call.return(.string("Auth(\(auth.description))"))
      }
    ])
}

extension APIOwner {
  /// The functions `env` and `secret` that a script gets if it runs with a file of variables.
  static let variablesFunctions = APIOwner.unseen(
    .variables,
    hidden: [
      // These functions work like `lull.secret` and `lull.env`, but read the file's own variables
      // first.
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

  /// Returns the credential at a position, which is sent unchanged as a header value.
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
