import LullCassettes
import LullCore
import LullTesting
import Testing

/// What is hidden, in places where nothing can be put in its place.
@Suite(.timeLimit(.minutes(20))) struct ConcealedTests {
  /// `{"key":"planted-0815-xyz"}`, compressed.
  private static let coded: [String: String] = [
    "gzip": "H4sIAAAAAAAC/6tWyk6tVLJSKshJzCtJTdE1sDA01a2orFKqBQBuBJOlGgAAAA==",
    "deflate": "eJyrVspOrVSyUirIScwrSU3RNbAwNNWtqKxSqgUAczUIfw==",
    "br": "iwyAeyJrZXkiOiJwbGFudGVkLTA4MTUteHl6In0D",
    "zstd": "KLUv/SAa0QAAeyJrZXkiOiJwbGFudGVkLTA4MTUteHl6In0=",
  ]

  private func redaction() -> Redaction {
    var redaction = Redaction()
    redaction.hide(Array("planted-0815-xyz".utf8), as: "‹secret KEY›")
    return redaction
  }

  private func entry(
    request: HARBody? = nil, _ headers: [HARHeader] = [], response: HARBody? = nil
  ) -> HAREntry {
    HAREntry(
      started: 0, milliseconds: 0,
      request: HARRequest(
        method: "PUT", url: "https://a.test/", headers: headers, body: request),
      response: HARResponse(status: 200, body: response))
  }

  @Test(arguments: ["gzip", "deflate", "br", "zstd"])
  func `CAS-71 a secret in compressed data is found, and cannot be taken out`(coding: String)
    throws
  {
    let bytes = try Base64.decode(Array((ConcealedTests.coded[coding] ?? "").utf8))
    var redaction = redaction()
    let sent = [entry(request: HARBody(bytes), [HARHeader("Content-Encoding", coding)])]
    #expect(redaction.redacted(sent) == sent)
    #expect(
      redaction.concealed(in: sent) == [
        0: "exchange 1, request body, has ‹secret KEY› in compressed data"
      ])
    // What begins so is looked into, whatever is said of it; also in base64.
    guard coding == "gzip" || coding == "zstd" else { return }
    let file = entry(response: HARBody(bytes))
    let text = Array(#"{"file":""#.utf8) + Base64.encode(bytes) + Array("\"}".utf8)
    let found = redaction.concealed(in: [file, entry(response: HARBody(text))])
    #expect(found.count == 2, "\(found)")
    #expect(Redaction().concealed(in: [file]).isEmpty)
  }

  @Test func `CAS-71 what nobody can look into is told of`() {
    let sent = entry(request: HARBody([1, 2, 3]), [HARHeader("Content-Encoding", "compress")])
    #expect(
      redaction().suspicions(in: [sent]) == [
        "exchange 1, request body, which is encoded with 'compress'"
      ])
  }

  @Test func `CAS-72 parts of a token are told of, and words that it has by chance are not`() {
    var redaction = Redaction()
    let token = "ghs_16C7e42F292c6912E7710c838347Ae178B4a"
    redaction.hide(Array(token.utf8), as: "lull-token-1")
    redaction.hide(Array("development-environment-key".utf8), as: "‹secret KEY›")
    let said = entry(
      response: HARBody(
        Array("…\(token.suffix(16)), of the environment-key, \(token.prefix(8))".utf8)))
    #expect(
      redaction.suspicions(in: [said]).contains("exchange 1, response body: a part of lull-token-1")
    )
    #expect(!redaction.suspicions(in: [said]).contains { $0.contains("KEY") })
  }

  @Test(arguments: 1...3)
  func `CAS-70 codings inside of each other are made anew with what stands for a secret`(
    count: Int
  ) throws {
    var redaction = redaction()
    func encoded(_ text: String) -> [UInt8] {
      (0..<count).reduce(Array(text.utf8)) { text, _ in Base64.encode(text) }
    }
    let body = Array("is ".utf8) + encoded("user:planted-0815-xyz") + Array(", or ".utf8)
    let made = redaction.redacted([entry(response: HARBody(body))])[0].response?.body?.bytes
    #expect(made == Array("is ".utf8) + encoded("user:‹secret KEY›") + Array(", or ".utf8))
  }

  @Test(arguments: [
    ("PLANTED-0815-XYZ", "‹secret KEY›"), ("Planted-0815-Xyz", "‹secret KEY›"),
    ("706c616e7465642d303831352d78797a", Hexadecimal.text("‹secret KEY›".utf8)),
    ("706C616E7465642D303831352D78797A", Hexadecimal.text("‹secret KEY›".utf8).uppercased()),
    ("%70lanted%2d0815%2Dxyz", "‹secret KEY›"),
  ])
  func `CAS-70 a secret is found in other letters`(said: String, shown: String) {
    var redaction = redaction()
    let made = redaction.redacted([entry(response: HARBody(Array("a \(said).".utf8)))])[0]
    #expect(
      String(decoding: made.response?.body?.bytes ?? [], as: UTF8.self) == "a \(shown).")
  }

  private static let hexadecimal = Array(Hexadecimal.text("planted-0815-xyz".utf8))
  private static let pairs = stride(from: 0, to: hexadecimal.count, by: 2).map {
    String(hexadecimal[$0..<($0 + 2)])
  }

  /// The same in notations of programs and mails, and as numbers of its bytes.
  private static var notations: [String] {
    let escapes: [String] = [
      #"\x70\x6c\x61\x6e\x74\x65\x64\x2d\x30\x38\x31\x35\x2d\x78\x79\x7a"#,
      #"\x70lan\x74ed\x2D0815-xy\x7A"#, #"\\x70lan\\x74ed-0815-xyz"#,
      #"\u{70}lan\x{74}ed-0815-xyz"#, "=70lan=74ed=2d0815=2Dxyz", "plan=\nted-08=\r\n15-xyz",
      #"plan=\nted-08=\r\n15-xyz"#, "plan= \t\nted-0815-xyz",
    ]
    let numbers: [String] = [
      "706c 616e 7465 642d 3038 3135 2d78 797a",
      "112, 108, 97, 110, 116, 101, 100, 45, 48, 56, 49, 53, 45, 120, 121, 122",
      #"\160\154\141\156\164\145\144\055\060\070\061\065\055\170\171\172"#,
    ]
    let parts: [String] = [
      ":", " ", "-", ", ", " 0x", ", 0x", ",\n    0x", #"\x"#, #"\\x"#, #"",""#, ".", "|",
    ]
    var parted: [String] = []
    for part in parts {
      let prefix = part.hasSuffix("x") ? String(part.suffix(2)) : ""
      let text = prefix + pairs.joined(separator: part)
      parted += [text, text.uppercased().replacing(#"\X"#, with: #"\x"#)]
    }
    return escapes + numbers + parted
  }

  @Test(arguments: notations)
  func `CAS-160 a secret is found in escapes of programs and mails, and in numbers of its bytes`(
    said: String
  ) {
    var redaction = redaction()
    for text in ["a \(said).", #"{"echo":"\#(said)"}"#, "[\(said)]"] {
      let made = redaction.redacted([entry(response: HARBody(Array(text.utf8)))])[0]
      #expect(
        String(decoding: made.response?.body?.bytes ?? [], as: UTF8.self)
          == text.replacing(said, with: "‹secret KEY›"))
    }
  }

  @Test func `CAS-160 other numbers and escapes stay as they are`() {
    var redaction = redaction()
    let text =
      #"{"data":[1,2,3,4,255,256],"at":"2024-05-01 12:30:00","mac":"70:6c:61:6e:74:65","#
      + #""path":"C:\\x70\\n","query":"a=70&b=6c"} planted-0815 =\n xyz"#
    let entries = [entry(response: HARBody(Array(text.utf8)))]
    #expect(redaction.redacted(entries) == entries)
  }

  @Test func `CAS-70 parts of a JWT stay parts of one`() throws {
    var redaction = redaction()
    func token(_ text: String) -> String {
      let parts = [#"{"alg":"none"}"#, #"{"for":"\#(text)"}"#].map {
        String(
          decoding: Base64.encode(Array($0.utf8), alphabet: .url, isPadded: false), as: UTF8.self)
      }
      return parts.joined(separator: ".") + "."
    }
    for said in ["planted-0815-xyz", "planted-0815-xyz?", "planted-0815-xyz??"] {
      let body = HARBody(Array("see \(token(said))".utf8))
      let made = redaction.redacted([entry(response: body)])[0].response?.body?.bytes
      let shown = said.replacing("planted-0815-xyz", with: "‹secret KEY›")
      #expect(String(decoding: made ?? [], as: UTF8.self) == "see \(token(shown))")
    }
  }

  @Test(arguments: ["\n", "\r\n", "\\n"])
  func `CAS-70 base64 of several lines is made anew in lines`(separator: String) {
    var redaction = redaction()
    func lines(_ text: String) -> String {
      let whole = Base64.encode(Array(text.utf8))
      let lines = stride(from: 0, to: whole.count, by: 20).map {
        String(decoding: whole[$0..<min($0 + 20, whole.count)], as: UTF8.self)
      }
      return "{\"content\":\"" + lines.joined(separator: separator) + separator + "\"}"
    }
    let text =
      "A text that goes on over more than one line, with planted-0815-xyz in it, and goes on."
    let made = redaction.redacted([entry(response: HARBody(Array(lines(text).utf8)))])[0]
    let shown = text.replacing("planted-0815-xyz", with: "‹secret KEY›")
    #expect(String(decoding: made.response?.body?.bytes ?? [], as: UTF8.self) == lines(shown))
  }

  @Test func `CAS-70 base64 with escapes is made anew with escapes`() {
    var redaction = redaction()
    // Both of what URLs escape are in it.
    let text = "???>>>planted-0815-xyz???>>>"
    func url(_ text: String) -> String {
      let digits = String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self)
      return "https://a.test/?a="
        + digits.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }
    var entry = entry()
    entry.request.url = url(text)
    let made = redaction.redacted([entry])[0].request.url
    let shown = url(text.replacing("planted-0815-xyz", with: "‹secret KEY›"))
    #expect(CredentialMask.decoded(made) == CredentialMask.decoded(shown))
  }
}
