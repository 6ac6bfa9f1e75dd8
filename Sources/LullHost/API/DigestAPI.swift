extension APIOwner {
  static let base64 = APIOwner.module(
    "lull.base64", "Bytes as text of 64 letters (RFC 4648).",
    entries: [
      .function(
        "encode", "(text: string|Secret, options?: Base64Options): string|Secret",
        "Base64 of any bytes, without line breaks; of a secret it is one itself.",
        example: """
          print(lull.base64.encode("ann:pass"))                --> YW5uOnBhc3M=
          print(lull.base64.encode("\\255\\254", { url = true }))  --> __4
          """, rules: "ENC-06"),
      .function(
        "decode", "(text: string): string?, string?",
        "The bytes again; nil and where if it is no base64.",
        """
        Takes either alphabet, with padding or without, and skips white space. What would lose a bit is \
        refused: a text that ends inside a byte, and bits behind the last one.
        """,
        example: """
          print(lull.base64.decode("YW5uOnBhc3M="))    --> ann:pass
          print(lull.base64.decode("__4") == "\\255\\254")  --> true
          print(select(2, lull.base64.decode("YW*u")))   --> '*' is no letter of base64 (at byte 3)
          """, rules: "ENC-06 ENC-07"),
    ])

  static let base64Options = APIOwner.table(
    "Base64Options", "Options of `lull.base64.encode`.",
    entries: [
      .field("url", "boolean?", "`-` and `_` in place of `+` and `/`, for URLs; default false."),
      .field("padding", "boolean?", "`=` up to a whole group; default true, with `url` false."),
    ])

  static let digestOptions = APIOwner.table(
    "DigestOptions", "Options of `lull.sha256` and `lull.hmac`.",
    entries: [
      .field("raw", "boolean?", "The bytes themselves in place of digits; default false.")
    ])

  static let moduleDigests: [APIEntry] = [
    .function(
      "sha256", "(text: string|Secret|File, options?: DigestOptions): string|Secret|nil, string?",
      "The SHA-256 of any bytes, in 64 hexadecimal digits; of a secret it is one itself.",
      """
      Raises where libcrypto is missing, as `lull.hmac` does. A file that `lull.file` names is read part by \
      part, in another thread where the call can wait; nil and why if it cannot be read.
      """,
      example: """
        print(lull.sha256("abc"):sub(1, 16))                 --> ba7816bf8f01cfea
        """, rules: "ENC-08 ENC-121"),
    .function(
      "hmac",
      """
      (name: "md5"|"sha1"|"sha224"|"sha256"|"sha384"|"sha512"|"sha512-256", key: string|Secret, \
      text: string|Secret, options?: DigestOptions): string|Secret
      """,
      "What only who has the key can make of a text (RFC 2104), in hexadecimal digits.",
      """
      For signatures of requests and of webhooks. With `raw` it is the key of the next one, or goes into \
      `lull.base64.encode`. With a secret as key or text it is a secret itself, made when the request with it \
      is sent, to where each of them may go.
      """,
      example: """
        print(lull.hmac("sha256", "key", "text"):sub(1, 16))  --> 6afa9046a9579cad
        print(#lull.hmac("sha1", "key", "text", { raw = true }))  --> 20
        api:configure{ mutate_requests = function(request)
          request.headers["X-Signature"] = lull.hmac("sha256", lull.secret{ env = "KEY" }, request.url)
        end }
        """, rules: "ENC-08"),
    .function(
      "uuid", "(version?: \"v4\"|\"v7\"): string",
      "An identifier that nobody else makes (RFC 9562), as for `Idempotency-Key`.",
      """
      `"v4"`, the default, is random, by the system's generator; `"v7"` begins with the time, so that later \
      ones are sorted behind.
      """,
      example: """
        print(#lull.uuid(), lull.uuid("v7"):sub(15, 15))      --> 36 7
        """, rules: "ENC-09"),
  ]
}
