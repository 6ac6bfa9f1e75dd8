import CLullBridge
import LullCore
import LullTransport

extension Method {
  private static func credential(_ call: Call, _ position: Int) throws(Misuse) -> SecretText {
    try call.reading.credentials.credential(call.raw(position), argument: position + 1)
  }

  /// The same for the value of a header as it stands.
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

  static let secretMethods: [Method] = [
    .function("secret", "t") { call throws(Misuse) in
      let secret = try call.reading.credentials.secret(table: call.index(0), in: call.state)
      call.return(call.values.of(SecretBox(SecretText(secret)), .secret))
    },
    // As `lull.secret` and `lull.env`, in a file that has variables of its own.
    .method(.variables, "secret", "t") { call throws(Misuse) in
      let secret = try call.reading.credentials.secret(
        table: call.index(1), in: call.state,
        variables: call.selfObject(.variables, as: FileVariables.self))
      call.return(call.values.of(SecretBox(SecretText(secret)), .secret))
    },
    .method(.variables, "env", "sV") { call throws(Misuse) in
      let variables = try call.selfObject(.variables, as: FileVariables.self)
      if let text = variables.text(call.string(1)) { return call.return(.string(text)) }
      try call.returnVariable(1)
    },
    .function("auth.bearer", "v") { call throws(Misuse) in
      let auth = Auth.bearer(try headerCredential(call, 0))
      call.return(call.values.of(AuthBox(auth), .auth))
    },
    .function("auth.basic", "vv") { call throws(Misuse) in
      let user = try call.reading.credentials.user(call.raw(0), argument: 1)
      // RFC 7617, section 2: the colon would end it.
      guard !user.secrets.isEmpty || !user.masked.contains(":") else {
        throw .argument(1, "a user without a colon expected")
      }
      // Keys of APIs that have no password.
      let isKey = !user.secrets.isEmpty && call.raw(1).string == ""
      let auth = Auth.basic(
        user: user, password: isKey ? SecretText("") : try credential(call, 1))
      call.return(call.values.of(AuthBox(auth), .auth))
    },
    .function("auth.digest", "vv") { call throws(Misuse) in
      let auth = Auth.digest(
        user: try call.reading.credentials.user(call.raw(0), argument: 1),
        password: try credential(call, 1))
      call.return(call.values.of(AuthBox(auth), .auth))
    },
    .function("auth.netrc", "T") { call throws(Misuse) in
      let auth = try call.reading.credentials.netrc(
        table: call.isNil(0) ? nil : call.index(0), in: call.state)
      call.return(call.values.of(AuthBox(auth), .auth))
    },
    .function("auth.aws_sigv4", "t") { call throws(Misuse) in
      let auth = try call.reading.credentials.aws(table: call.index(0), in: call.state)
      call.return(call.values.of(AuthBox(auth), .auth))
    },
    .function("auth.header", "sv") { call throws(Misuse) in
      let name = call.string(0)
      guard Headers.isName(name) else {
        throw .argument(1, "'\(name)' is not a valid header name")
      }
      let auth = Auth.header(name, try headerCredential(call, 1))
      call.return(call.values.of(AuthBox(auth), .auth))
    },
    .function("auth.query", "vV") { call throws(Misuse) in
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
    .function("auth.token", "t") { call throws(Misuse) in
      let (auth, function) = try call.reading.credentials.token(call, table: call.index(0))
      call.return(
        call.values.of(AuthBox(auth, function: function), .auth, anchor: function))
    },
    .function("auth.oauth2_client_credentials", "t") { call throws(Misuse) in
      try returnOAuth2(call, .clientCredentials)
    },
    .function("auth.oauth2_refresh", "t") { call throws(Misuse) in
      try returnOAuth2(call, .refresh)
    },
    .function("auth.oauth2_device", "t") { call throws(Misuse) in
      try call.permissions.refuseUnlessInspecting("lull.auth.oauth2_device")
      try returnOAuth2(call, .device)
    },
    .function("auth.oauth2_code", "t") { call throws(Misuse) in
      try call.permissions.refuseUnlessInspecting("lull.auth.oauth2_code")
      try returnOAuth2(call, .code)
    },
    .method(.auth, "__tostring") { call throws(Misuse) in
      let auth = try call.selfObject(.auth, as: AuthBox.self).auth
      call.return(.string("Auth(\(auth.description))"))
    },
    .method(.secret, "__tostring") { call throws(Misuse) in
      call.return(.string(try call.selfObject(.secret, as: SecretBox.self).text.masked))
    },
    // The bridge puts the secret first, then the other, then whether the secret stood right.
    .method(.secret, "__concat", "vV") { call throws(Misuse) in
      let text = try call.selfObject(.secret, as: SecretBox.self).text
      let raw = call.raw(1)
      guard let other = call.handles.secret(raw) ?? raw.text.map({ SecretText($0) }) else {
        throw .message("attempt to concatenate a \(raw.typeName) value")
      }
      try raw.requireText("what is put beside a secret")
      let isRight = call.raw(2).bool ?? false
      let joined = isRight ? other + text : text + other
      call.return(call.values.of(SecretBox(joined), .secret))
    },
  ]
}
