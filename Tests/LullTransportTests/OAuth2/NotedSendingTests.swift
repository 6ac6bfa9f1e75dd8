import LullCore
import LullTestSupport
import LullTesting
import Testing

@testable import LullTransport

extension TransportSuite {
  /// A refresh token leaves when it has been noted, and not before.
  @Suite struct NotedSendingTests {
    private static func settings(_ url: String) -> OAuth2.Settings {
      OAuth2.Settings(
        tokenURL: url, clientID: "me", clientSecret: nil,
        grant: .refresh(SecretText(Secret(.literal("first"), name: "REFRESH"))))
    }

    /// Starts a renewal; `note` is called with what answers the note.
    private func send(
      to url: String, by harness: TransportHarness, timeout: Double = 60,
      note: @escaping (@escaping (TokenFile.Problem?) -> Void) -> Void,
      take: @escaping (OAuth2Endpoint.Sent) -> Void
    ) {
      let settings = NotedSendingTests.settings(url)
      var waiting = HTTPRequest(method: "GET", url: "https://api.test/")
      waiting.limits.timeout = timeout
      let context = AuthContext(networking: harness.provider, pump: harness.loop.pump)
      OAuth2Endpoint(settings, context, for: waiting).send(
        OAuth2Request(settings, refreshToken: nil, for: waiting), to: url, noting: note, take)
    }

    private func server() throws -> RawServer {
      try #require(
        RawServer { connection in
          guard let head = connection.readHead() else { return }
          connection.note("head")
          guard let line = head.split(separator: "\r\n").first(where: { $0.contains("ength:") }),
            let length = Int(line.drop { $0 != " " }.dropFirst()),
            let body = connection.bytes(length)
          else { return connection.note("nothing more") }
          connection.note(String(decoding: body, as: UTF8.self))
          connection.answer(#"{"access_token":"a"}"#)
        })
    }

    @Test func `TOK-160 the body waits for its note, and is sent then`() throws {
      let (server, harness) = (try server(), try TransportHarness())
      var answer: ((TokenFile.Problem?) -> Void)?
      var sent: OAuth2Endpoint.Sent?
      send(to: server.url + "/token", by: harness, note: { answer = $0 }, take: { sent = $0 })
      harness.turn { answer != nil && !server.requests.isEmpty }
      #expect(server.requests == ["head"])
      answer?(nil)
      harness.turn { sent != nil }
      guard case .answered(let came)? = sent else {
        Issue.record("\(String(describing: sent))")
        return
      }
      #expect(came.text("access_token") == "a")
      #expect(server.requests.last?.contains("refresh_token=first") == true)
      harness.finish()
      server.stop()
    }

    @Test func `TOK-160 what cannot be noted is not sent`() throws {
      let (server, harness) = (try server(), try TransportHarness())
      var sent: OAuth2Endpoint.Sent?
      send(
        to: server.url + "/token", by: harness,
        note: { $0(TokenFile.Problem(message: "the disk is full")) }, take: { sent = $0 })
      harness.turn { sent != nil }
      guard case .refused(let problem)? = sent else {
        Issue.record("\(String(describing: sent))")
        return
      }
      #expect(problem.message == "the disk is full")
      harness.turn { server.closedCount == 1 }
      #expect(!server.requests.contains { $0.contains("first") })
      harness.finish()
      server.stop()
    }

    @Test func `TOK-160 without a connection nothing is noted`() throws {
      let harness = try TransportHarness()
      let port = try #require(RawSocket.freePorts(1).first)
      var (notes, sent) = (0, OAuth2Endpoint.Sent?.none)
      send(
        to: "http://127.0.0.1:\(port)/token", by: harness, note: { _ in notes += 1 },
        take: { sent = $0 })
      harness.turn { sent != nil }
      guard case .unsent(let answer)? = sent else {
        Issue.record("\(String(describing: sent))")
        return
      }
      #expect(notes == 0)
      #expect(answer.text("access_token") == nil)
      harness.finish()
    }

    @Test func `TOK-160 a request that ends before its note is answered waits for that`() throws {
      let server = try #require(
        RawServer { connection in
          _ = connection.readHead()
          connection.waitForClose()
        })
      let harness = try TransportHarness()
      var answer: ((TokenFile.Problem?) -> Void)?
      var sent: OAuth2Endpoint.Sent?
      send(
        to: server.url + "/token", by: harness, timeout: 0.5, note: { answer = $0 },
        take: { sent = $0 })
      harness.turn { answer != nil && server.closedByPeerCount == 1 }
      #expect(sent == nil, "whoever gives the lease back now would race with the note")
      answer?(nil)
      guard case .unsent? = sent else {
        Issue.record("\(String(describing: sent))")
        return
      }
      harness.finish()
      server.stop()
    }

    @Test func `TOK-160 over HTTP/2 it waits in the same way`() throws {
      let nginx = try #require(NginxServer.shared, "nginx (/usr/sbin/nginx) and openssl are needed")
      let harness = try TransportHarness(certificateAuthorities: nginx.authority)
      for _ in 0..<20 {
        var answer: ((TokenFile.Problem?) -> Void)?
        var sent: OAuth2Endpoint.Sent?
        send(
          to: nginx.tlsURL + "/posted", by: harness, note: { answer = $0 },
          take: { sent = $0 })
        harness.turn { answer != nil }
        #expect(sent == nil)
        answer?(nil)
        harness.turn { sent != nil }
        guard case .answered? = sent else {
          Issue.record("\(String(describing: sent))")
          return
        }
      }
      harness.finish()
    }
  }
}
