import LullCore
import Testing

@testable import LullTransport

/// What a server says of a secret that stands in the URL it was asked by.
struct SecretSpelling: Sendable, CustomStringConvertible {
  let description: String
  let spell: @Sendable (String) -> String

  static func escaped(_ text: String, _ escapes: (UInt8) -> Bool, upper: Bool = true) -> String {
    text.utf8.map { byte in
      guard escapes(byte) else { return String(decoding: [byte], as: UTF8.self) }
      let digits = String(byte, radix: 16)
      return "%" + (digits.count < 2 ? "0" : "") + (upper ? digits.uppercased() : digits)
    }.joined()
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x5A || byte >= 0x61 && byte <= 0x7A
  }

  private static func form(_ text: String) -> String {
    escaped(text.replacing(" ", with: "\u{1}")) { !isPlain($0) && $0 != 1 }
      .replacing("\u{1}", with: "+")
  }

  static let all: [SecretSpelling] = [
    SecretSpelling(description: "raw") { $0 },
    SecretSpelling(description: "what must be escaped in a query") { text in
      escaped(text) { "%\" <>#+&".utf8.contains($0) || $0 >= 0x80 }
    },
    SecretSpelling(description: "escaped") { escaped($0) { !isPlain($0) } },
    SecretSpelling(description: "in lower case") { escaped($0, { !isPlain($0) }, upper: false) },
    SecretSpelling(description: "all of it") { escaped($0) { _ in true } },
    SecretSpelling(description: "some of it") { escaped($0) { $0 % 3 == 0 || !isPlain($0) } },
    SecretSpelling(description: "as a form") { form($0) },
    SecretSpelling(description: "in a URL in a URL") { text in
      form("https://a.test/x?k=" + form(text) + "&l=1")
    },
    SecretSpelling(description: "in a URL in a URL in a URL") { text in
      form("https://a.test/x?k=" + form("/y?k=" + escaped(text) { !isPlain($0) }))
    },
  ]

  static let secrets = [
    "hunter2-é", "base64/key+abc==", "123456:TELEGRAMkey", "pass word", "a&b#c;d?e", "100%25 50%",
    "k=v&k2=v2", "ab/",
  ]
}

extension TransportSuite {
  @Suite struct SecretRedirectTests {
    private func request(_ url: String, _ text: String, _ origins: [String] = []) -> HTTPRequest {
      var template = SecretTemplate()
      template.append("\(url)/?k=".utf8)
      template.append(SecretText(Secret(.literal(text), name: "KEY", origins: origins)), .parameter)
      var request = HTTPRequest(method: "GET", url: template.maskedText)
      request.secrets = SecretUses(origin: url, url: template)
      return request
    }

    private func server(_ location: String) throws -> RawServer {
      try #require(
        RawServer { connection in
          guard let head = connection.readRequest() else { return }
          guard head.hasPrefix("GET /?k") else { return connection.answer("landed") }
          connection.write(
            "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
          _ = connection.readRequest().map { _ in connection.answer("landed") }
        })
    }

    @Test(arguments: SecretSpelling.all, SecretSpelling.secrets)
    func `to another origin it does not go in whatever spelling`(
      _ spelling: SecretSpelling, _ secret: String
    )
      throws
    {
      let other = try #require(RawServer { $0.answer("landed") })
      let harness = try TransportHarness()
      let server = try server("\(other.url)/landed?k=\(spelling.spell(secret))")
      let error = try harness.send(request(server.url, secret)).error
      #expect(error?.kind == .secretOrigin)
      #expect(error?.message.contains("‹secret KEY› in the URL is not sent to") == true)
      #expect(other.connectionCount == 0)
      for said in harness.log + [error?.message ?? ""] {
        #expect(!said.contains(secret) && !said.contains(spelling.spell(secret)))
      }
      harness.finish()
      server.stop()
      other.stop()
    }

    @Test(arguments: SecretSpelling.all, SecretSpelling.secrets)
    func `at its own origin it is sent as the server wrote it and shown nowhere`(
      _ spelling: SecretSpelling, _ secret: String
    ) throws {
      let harness = try TransportHarness()
      let server = try server("/landed?a=b&k=\(spelling.spell(secret))&c=d")
      let result = try harness.send(request(server.url, secret))
      #expect(result.text == "landed")
      let shown = try #require(result.response?.url)
      #expect(shown.contains("‹secret KEY›"))
      for said in harness.log + [shown] {
        #expect(!said.contains(secret) && !said.contains(spelling.spell(secret)))
      }
      let target = try #require(server.requests.last?.split(separator: " ").dropFirst().first)
      // What is no part of a URL as it is, curl escapes; a fragment is not sent.
      if !spelling.spell(secret).contains(where: { " #é".contains($0) }) {
        #expect(target == "/landed?a=b&k=\(spelling.spell(secret))&c=d")
      }
      harness.finish()
      server.stop()
    }

    @Test(arguments: [("abc", false), ("xabc", true), ("abcx", true), ("a%62c", false)])
    func `of a very short one only a whole part is taken for it`(_ said: String, _ isSent: Bool)
      throws
    {
      let other = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.answer("landed")
        })
      let harness = try TransportHarness()
      let server = try server("\(other.url)/landed?k=\(said)&l=1")
      let result = try harness.send(request(server.url, "abc"))
      #expect(result.text == (isSent ? "landed" : nil))
      #expect(result.error?.kind == (isSent ? nil : .secretOrigin))
      harness.finish()
      server.stop()
      other.stop()
    }

    @Test func `what is made of one does not go either`() throws {
      let other = try #require(RawServer { $0.answer("landed") })
      let harness = try TransportHarness()
      let base64 = String(decoding: Base64.encode(Array("ann:open sesame".utf8)), as: UTF8.self)
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          connection.write(
            "HTTP/1.1 302 Found\r\nLocation: \(other.url)/?who=\(base64)\r\n"
              + "Content-Length: 0\r\n\r\n")
        })
      var request = HTTPRequest(method: "GET", url: server.url)
      let auth = Auth.basic(user: "ann", password: SecretText(Secret(.literal("open sesame"))))
      auth.put(on: &request)
      request.secrets = SecretUses(origin: server.url)
      let error = try harness.send(request).error
      #expect(error?.kind == .secretOrigin)
      #expect(other.connectionCount == 0)
      #expect(!harness.log.joined().contains(base64))
      harness.finish()
      server.stop()
      other.stop()
    }

    @Test func `overlapping ones may go only where each may`() {
      var search = SecretSearch()
      search.add(Secret(.literal("abcdef"), name: "A", origins: ["x", "y"]), Array("abcdef".utf8))
      search.add(Secret(.literal("efghij"), name: "B", origins: ["y"]), Array("efghij".utf8))
      let matches = search.matches(in: Array("--abcd%65fghij--".utf8), takesShort: true)
      #expect(matches.map(\.range) == [2..<14])
      #expect(matches.map(\.secret.origins) == [["y"]])
      #expect(search.masked("--abcdefghij-- efghij") == "--‹secret A›-- ‹secret B›")
    }
  }
}
