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
      Everywhere else it is shown as `‹secret NAME›`. A secret is sent only to the origin of the \
      service that uses it. A request with a secret to another origin fails with kind \
      `secret_origin` before it is sent, and so does a request whose redirect would send the \
      secret to another origin. A missing source fails the request with kind `secret_unavailable`. \
      Files and commands are read once per process. A secret does not protect text that the script \
      reads itself, as with `os.getenv`, or text that a server sends back. Not available in the \
      sandbox.
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
    """
    A text with hidden parts: the result of `lull.secret{…}`, or a concatenation of text and a \
    secret.
    """,
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
      .field(
        "env", "string?",
        "The name of an environment variable, which is read for each request."),
      .field(
        "file", "string?",
        """
        The path of a file; `~/` is the home folder. A line break at the end of the file is \
        ignored.
        """),
      .field(
        "command", "string|string[]|nil",
        """
        A command line for the shell, or a list of a program and its arguments. Its output is the \
        secret, without the line break at the end. The command gets no input and must end within a \
        minute.
        """),
      .field(
        "name", "string?",
        "The name shown in the mask of the secret; default the name of the source."),
      .field(
        "origins", "string[]?",
        """
        The origins to which the secret may be sent besides the service's own origin, as \
        `https://host:port`.
        """),
    ])

  static let auth = APIOwner.module(
    "lull.auth", "Credentials for requests, for the setting `auth`.",
    """
    Credentials are added after the rest of the request is built, unless the request already has \
    that header or parameter. A string in place of a secret is masked like a secret. To send no \
    credentials to some URLs, configure `auth = false` for a pattern.
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
        // If the user name is a secret, it is an API key, and the password may be empty.
        let isKey = !user.secrets.isEmpty && call.raw(1).string == ""
        let auth = Auth.basic(
          user: user, password: isKey ? SecretText("") : try credential(call, 1))
        call.return(call.values.of(AuthBox(auth), .auth))
      },
      .function(
        "digest", "(user: string|Secret, password: Secret|string): Auth",
        "Answers a server's digest challenge: the password is never sent.",
        """
        Supports MD5, SHA-256 and SHA-512-256 and uses the strongest algorithm that the server \
        offers, with body integrity if the server requires it (RFC 7616). The first request is \
        sent without credentials. The server responds with a 401 that contains the challenge, and \
        the request is sent again with its body. Every later request to that origin is sent with \
        its own digest. Make this object once, outside settings functions: a new object has no \
        challenge yet. If the server offers no digest, the response is the server's 401.
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
        The option `path`, or else the environment variable `NETRC`, sets the path of the file; \
        default `~/.netrc`. The file is read when the first request needs it, and again after it \
        has changed. A file that other users can read is not used. Without a file, or without a \
        login for the host, the request fails with kind `secret_unavailable`, unless `optional` is \
        set. Not available in the sandbox.
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
        The signature covers the method, the URL, the body, and all headers except those that \
        change in transit. Service and region are taken from hosts such as \
        `s3.eu-central-1.amazonaws.com`; for other hosts, set `service` and `region`. A body from \
        a file is read twice, the first time to sign it; for S3 with https, such a body is not \
        signed (`UNSIGNED-PAYLOAD`). Every attempt and every redirect within the origin is signed \
        again. If the service's clock differs by more than four minutes, requests are signed with \
        the service's time.
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
        The parameters are added to the end of the query, unless the query already has a parameter \
        of that name. The URL of the resource, which is used for caches, logs and lookups, does \
        not include the parameters, and they are removed from the server's links to a next page. A \
        redirect is followed to exactly the URL that the server sends, without adding the \
        parameters. Pass several parameters as a table; they are sent sorted by name.
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
        for the token. The function may wait. It returns the token, a string or a Secret, and \
        optionally the token's lifetime in seconds; or it returns nil and an error, and the \
        requests fail with kind `auth_failed`. If a token expires soon, or if the service rejects \
        it with 401, `fetch` is called again, with the old token as second argument. A request \
        that was rejected is sent again. Requests made by `fetch` are sent without the token. Make \
        this object once, outside settings functions: a new object has no token.
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
        The first token is requested when a request needs a token; other requests wait for it. A \
        token that expires soon, or that the service rejects with 401, is renewed, and a rejected \
        request is sent again. Make this object once, outside settings functions: a new object has \
        no token. If no token can be obtained, the request fails with kind `auth_failed`.
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
        Otherwise like `lull.auth.oauth2_client_credentials`. A new refresh token from the server \
        replaces the old one; with a `token_file`, the new one is available to the next run of the \
        script.
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
        The command `lull login API` gets the tokens once. The tokens are renewed as by \
        `lull.auth.oauth2_refresh` and stored in `lull/tokens/NAME.json` in `$XDG_STATE_HOME` or \
        `~/.local/state`. A request without tokens fails with kind `auth_failed` and a message \
        with the command to run: scripts never start a login. `lull login` listens on 127.0.0.1 \
        for the single response, with PKCE (S256) and a `state`. `lull logout API` removes the \
        tokens. Not available in the sandbox.
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
      .field(
        "header", "string?", "The header in which the token is sent; default `Authorization`."),
      .field(
        "prefix", "string?",
        """
        The text before the token; default `"Bearer "` in the header `Authorization`, else empty.
        """),
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
        The user that the token belongs to. One token file can hold the tokens of several users, \
        and caches keep the entries of different users apart.
        """,
        rules: "OAU-124 OAU-126"),
    ])

  private static let oauth2Fields: [APIEntry] = [
    .field(
      "token_url", "string",
      """
      The URL of the token endpoint. Secrets are sent to its origin, and tokens come from there; \
      redirects to other origins are not followed.
      """
    ),
    .field("client_id", "string", "The ID of the client."),
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
        in one API file need different names.
        """),
      .field(
        "revocation_url", "string?",
        """
        The endpoint where `lull logout` revokes tokens (RFC 7009). Without this endpoint, `lull \
        logout` only deletes the tokens on this machine.
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
        "The URL that the browser opens; parameters in this URL are kept."),
      .field(
        "issuer", "string?",
        """
        The issuer that the parameter `iss` of the response must contain (RFC 9207); by default, \
        the issuer is not checked.
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
        "The path of the local URL at which `lull login` listens; default `\"/callback\"`."
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
      .field(
        "path", "string?",
        """
        The path of the file; `~/` is the home folder. Default: the environment variable `NETRC`, \
        else `~/.netrc`.
        """),
      .field(
        "login", "string?", "The login name to use if the file has several logins for a host."),
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
        """
        The name of the service in signatures, such as `s3`; by default, it is taken from the \
        host.
        """),
      .field(
        "region", "string?",
        """
        The region, such as `eu-central-1`; by default, it is taken from the host, or else from \
        the environment if `env` is set.
        """),
      .field(
        "unsigned_payload", "boolean?",
        """
        Whether to leave bodies unsigned; by default, only bodies from files for S3 with https are \
        unsigned.
        """),
    ])

  static let authObject = APIOwner.object(
    .auth, receiver: "auth", "The result of a function of `lull.auth`.",
    "The object has no members; `tostring` shows it with masked secrets.", swift: "Auth",
    entries: [],
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
      // These functions work like `lull.secret` and `lull.env`, but look up a name in the file of
      // variables first.
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
