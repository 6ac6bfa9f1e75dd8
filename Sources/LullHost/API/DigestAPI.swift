import CLullBridge
import LullCore
import LullSystem
import LullTransport

extension APIOwner {
  static let base64 = APIOwner.module(
    "lull.base64", "Functions that encode bytes as Base64 text and decode such text (RFC 4648).",
    entries: [
      .function(
        "encode", "(text: string|Secret, options?: Base64Options): string|Secret",
        "The Base64 of any bytes, without line breaks. The Base64 of a secret is also a secret.",
        example: """
          print(lull.base64.encode("ann:pass"))                --> YW5uOnBhc3M=
          print(lull.base64.encode("\\255\\254", { url = true }))  --> __4
          """, rules: "ENC-06"
      ) { call throws(Misuse) in
        var isForURLs = false
        var isPadded: Bool?
        if !call.isNil(1) {
          try call.reading.options.forEach(of: call.index(1), in: call.state, known: base64Keys) {
            name, value throws(Misuse) in
            if name == "url" {
              isForURLs = try value.flag(name)
            } else {
              isPadded = try value.flag(name)
            }
          }
        }
        switch try call.secretInput(0) {
        case .secret(let text):
          guard !isForURLs, isPadded != false else {
            throw .argument(
              1, "a Secret can only be encoded in the standard alphabet, with padding")
          }
          call.return(secret: SecretText([.base64(text)]))
        case .bytes(let bytes):
          try call.makeRoom(4 * bytes.count / 3)
          call.return(
            .bytes(
              Base64.encode(
                bytes, alphabet: isForURLs ? .url : .standard, isPadded: isPadded ?? !isForURLs)))
        }
      },
      .function(
        "decode", "(text: string): string?, string?",
        "The decoded bytes; nil and an error message with the position if the text is not Base64.",
        """
        Accepts the standard and the URL alphabet, with or without padding, and skips white space. \
        Text is not valid if decoding would lose bits: if the text ends inside a byte, or has \
        extra bits after the last byte.
        """,
        example: """
          print(lull.base64.decode("YW5uOnBhc3M="))    --> ann:pass
          print(lull.base64.decode("__4") == "\\255\\254")  --> true
          print(select(2, lull.base64.decode("YW*u")))   --> '*' is not a base64 character (at byte 3)
          """, rules: "ENC-06 ENC-07"
      ) { call throws(Misuse) in
        try call.makeRoom(call.length(0))
        let outcome = call.raw(0).withBytes { text -> Result<[UInt8], Base64.Problem> in
          do throws(Base64.Problem) {
            return .success(try Base64.decode(text))
          } catch {
            return .failure(error)
          }
        }
        switch outcome ?? .success([]) {
        case .success(let bytes): call.return(.bytes(bytes))
        case .failure(let problem): call.fail("\(problem.message) (at byte \(problem.offset + 1))")
        }
      },
    ])

  static let base64Options = APIOwner.table(
    "Base64Options", "Options of `lull.base64.encode`.",
    entries: [
      .field("url", "boolean?", "Use `-` and `_` instead of `+` and `/`, for URLs; default false."),
      .field(
        "padding", "boolean?",
        "Pad with `=` to a multiple of 4 characters; default true, or false if `url` is true."),
    ])

  static let digestOptions = APIOwner.table(
    "DigestOptions", "Options of `lull.sha256` and `lull.hmac`.",
    entries: [
      .field(
        "raw", "boolean?",
        "Return the digest as bytes instead of hexadecimal digits; default false.")
    ])

  static let moduleDigests: [APIEntry] = [
    .function(
      "sha256", "(text: string|Secret|File, options?: DigestOptions): string|Secret|nil, string?",
      """
      The SHA-256 of any bytes, in 64 hexadecimal digits. The digest of a secret is also a secret.
      """,
      """
      Raises an error if libcrypto is missing, as `lull.hmac` does. A `lull.file` is read in \
      parts, on another thread if the caller can wait. If the file cannot be read, returns nil and \
      an error message.
      """,
      example: """
        print(lull.sha256("abc"):sub(1, 16))                 --> ba7816bf8f01cfea
        """, rules: "ENC-08 ENC-121"
    ) { call throws(Misuse) in
      if let file = call.handles.uploadFile(call.raw(0)) {
        return try digestFile(call, file, isRaw: try isRaw(call, 1))
      }
      let message = try call.secretInput(0)
      try finish(call, SecretDigest(.sha256, message, isRaw: try isRaw(call, 1)))
    },
    .function(
      "hmac",
      """
      (name: "md5"|"sha1"|"sha224"|"sha256"|"sha384"|"sha512"|"sha512-256", key: string|Secret, \
      text: string|Secret, options?: DigestOptions): string|Secret
      """,
      "The HMAC of a text with a key (RFC 2104), in hexadecimal digits.",
      """
      Use this function for signatures of requests and webhooks. With `raw`, the result can be the \
      key of another HMAC, or the argument of `lull.base64.encode`. If the key or the text is a \
      secret, the result is a secret too. Such an HMAC is computed when a request with it is sent, \
      and is sent only to origins to which both the key and the text may be sent.
      """,
      example: """
        print(lull.hmac("sha256", "key", "text"):sub(1, 16))  --> 6afa9046a9579cad
        print(#lull.hmac("sha1", "key", "text", { raw = true }))  --> 20
        api:configure{ mutate_requests = function(request)
          request.headers["X-Signature"] = lull.hmac("sha256", lull.secret{ env = "KEY" }, request.url)
        end }
        """, rules: "ENC-08"
    ) { call throws(Misuse) in
      guard let kind = Digest(rawValue: call.string(0)) else {
        let known = Digest.allCases.map(\.rawValue).joined(separator: ", ")
        throw .argument(
          1, "there is no digest '\(LogText.part(call.string(0), limit: 40))'; there are \(known)")
      }
      let key = try call.secretInput(1)
      let message = try call.secretInput(2)
      try finish(call, SecretDigest(kind, key: key, message, isRaw: try isRaw(call, 3)))
    },
    .function(
      "uuid", "(version?: \"v4\"|\"v7\"): string",
      "A unique identifier (RFC 9562), for example for `Idempotency-Key`.",
      """
      `"v4"`, the default, is random and comes from the system's generator. `"v7"` begins with the \
      time, so that later identifiers sort after earlier identifiers.
      """,
      example: """
        print(#lull.uuid(), lull.uuid("v7"):sub(15, 15))      --> 36 7
        """, rules: "ENC-09"
    ) { call throws(Misuse) in
      var generator = SystemRandomNumberGenerator()
      switch call.optionalString(0) ?? "v4" {
      case "v4": call.return(.string(UUIDText.random(using: &generator)))
      case "v7":
        call.return(.string(UUIDText.ordered(at: max(0, call.pump.clock.now), using: &generator)))
      default:
        throw .argument(1, "\"v4\" or \"v7\" expected, got \(call.raw(0).described)")
      }
    },
  ]
}

extension APIOwner {
  static let base64Keys = ["url", "padding"]

  static let digestKeys = ["raw"]

  private static func isRaw(_ call: Call, _ position: Int) throws(Misuse) -> Bool {
    guard !call.isNil(position) else { return false }
    var isRaw = false
    try call.reading.options.forEach(
      of: call.index(position), in: call.state, known: digestKeys
    ) { name, value throws(Misuse) in isRaw = try value.flag(name) }
    return isRaw
  }

  /// Returns the SHA-256 of a file to the script. The file is read in parts, on the thread pool if
  /// the call can wait.
  private static func digestFile(_ call: Call, _ file: UploadFile, isRaw: Bool) throws(Misuse) {
    let values = { (result: Result<[UInt8], TransportError>) -> [LuaValue] in
      switch result {
      case .success(let made): [isRaw ? .bytes(made) : .string(Hexadecimal.text(made))]
      case .failure(let error): [.nil, .string(error.message)]
      }
    }
    let pump = call.pump
    guard call.canWait else {
      for value in values(Digest.sha256.of(file: file)) { call.return(value) }
      return
    }
    let sign = StopSign()
    try call.loop.wait(call, for: "the SHA-256 of \(file.shown)") { completion in
      pump.offload {
        Digest.sha256.of(file: file, unless: { sign.isSet })
      } then: { result in
        if !sign.isSet { completion(values(result), false) }
      }
      return { sign.set() }
    }
  }

  /// Returns the digest to the script. If the digest involves a secret, the script gets a secret
  /// instead. The digest is then computed when that secret is sent.
  private static func finish(_ call: Call, _ digest: SecretDigest) throws(Misuse) {
    guard digest.texts.isEmpty, case .bytes(let message) = digest.message else {
      return call.return(secret: SecretText([.digest(digest)]))
    }
    let made = message.withUnsafeBufferPointer { message in
      guard case .bytes(let key)? = digest.key else { return digest.kind.of(message) }
      return key.withUnsafeBufferPointer { digest.kind.hmac(key: $0, message) }
    }
    guard let made else {
      throw .message("\(digest.kind.rawValue) is not available: it needs libcrypto.so.3 (libssl3)")
    }
    call.return(digest.isRaw ? .bytes(made) : .string(Hexadecimal.text(made)))
  }
}

extension Call {
  /// Returns the argument at a position, which must be a string or a secret.
  fileprivate func secretInput(_ position: Int) throws(Misuse) -> SecretDigest.Input {
    let value = raw(position)
    if let secret = handles.secret(value) { return .secret(secret) }
    guard value.kind == Int32(LULL_STRING) else {
      throw .argument(position + 1, "string or Secret expected, got \(value.typeName)")
    }
    guard let bytes = value.bytes else { throw .message("not enough memory") }
    return .bytes(bytes)
  }

  fileprivate func `return`(secret: SecretText) {
    self.return(values.of(SecretBox(secret), .secret))
  }

  /// Whether the call can wait, either by being suspended or by running the loop.
  fileprivate var canWait: Bool {
    switch Int(lull_wait_mode(bridge.pointer, state)) {
    case Int(LULL_WAIT_YIELD): true
    case Int(LULL_WAIT_BLOCK): environment.canBlock
    default: false
    }
  }

  /// Returns the length in bytes of the string argument at a position.
  func length(_ position: Int) -> Int { Int(raw(position).extra) }

  /// Ends the run if allocating that many more bytes would exceed the memory limit.
  func makeRoom(_ bytes: Int) throws(Misuse) {
    guard MemoryLedger.allows(bytes) else { throw .message("not enough memory") }
  }
}
