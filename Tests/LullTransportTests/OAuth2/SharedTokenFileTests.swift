import LullCore
import LullLibC
import LullTestSupport
import LullTesting
import Synchronization
import Testing

@testable import LullTransport

extension TransportSuite {
  /// Renewals of tokens that others have, where something goes wrong.
  @Suite struct SharedTokenFileTests {
    let harness: TransportHarness
    let directory: TemporaryDirectory
    private var path: String { directory.path + "/tokens.json" }

    init() throws {
      harness = try TransportHarness()
      directory = try #require(TemporaryDirectory())
    }

    /// As another process has it: everything but the file is its own.
    private func auth(_ url: String, _ change: (inout OAuth2.Settings) -> Void = { _ in }) -> OAuth2
    {
      var settings = OAuth2.Settings(
        tokenURL: url + "/token", clientID: "me", clientSecret: nil,
        grant: .refresh(SecretText(Secret(.literal("first"), name: "REFRESH"))))
      settings.tokenFile = path
      change(&settings)
      return OAuth2(settings)
    }

    /// What becomes of a request that needs a token.
    private func outcome(_ auth: OAuth2) throws -> String {
      var request = HTTPRequest(method: "GET", url: "https://api.test/")
      request.secrets = SecretUses(origin: "https://api.test")
      request.limits.connectTimeout = 0.2
      let context = AuthContext(networking: harness.provider, pump: harness.loop.pump)
      var result: Result<AuthorizedRequest, TransportError>?
      _ = auth.authorize(request, in: context) { result = $0 }
      harness.turn { result != nil }
      switch try #require(result) {
      case .success: return "authorized"
      case .failure(let error): return error.message
      }
    }

    private func server(_ answers: [String]) throws -> RawServer {
      let answers = Answers(answers)
      return try #require(
        RawServer { connection in
          connection.readRequest()
          guard let answer = answers.next() else { return }
          connection.write(
            "HTTP/1.1 \(answer.prefix(3)) Said\r\nContent-Type: application/json\r\nConnection: close\r\n"
              + "Content-Length: \(answer.utf8.count - 3)\r\n\r\n\(answer.dropFirst(3))")
        })
    }

    /// Answers in turn, and then none.
    private final class Answers: Sendable {
      private let left: Mutex<[String]>
      init(_ answers: [String]) { left = Mutex(answers) }
      func next() -> String? { left.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }

    private static let cut =
      "a renewal was interrupted, so the refresh token may already have been used"

    private func finish(_ servers: RawServer...) {
      harness.finish(timers: 5)
      for server in servers { server.stop() }
      directory.remove()
    }

    @Test(arguments: [nil, "502{}", "504", "200{}", #"200{"access_token":"#])
    func `TOK-02 a refresh token whose renewal has an unknown end is not used again`(
      answer: String?
    ) throws {
      let server = try server(answer.map { [$0] } ?? [])
      let first = auth(server.url)
      #expect(try !outcome(first).contains(SharedTokenFileTests.cut))
      let message =
        "no token from \(server.url)/token: \(SharedTokenFileTests.cut): set a new refresh_token, or "
        + "remove \(path) if the server accepts a refresh token twice"
      #expect(try outcome(first) == message)
      #expect(try outcome(auth(server.url)) == message)
      #expect(server.requests.count == 1)
      finish(server)
    }

    @Test func `TOK-02 another refresh token, or none of the file, begins anew`() throws {
      let server = try server(["502", #"200{"access_token":"a","refresh_token":"b"}"#])
      _ = try outcome(auth(server.url))
      let second = auth(server.url) { $0.grant = .refresh(SecretText(Secret(.literal("second")))) }
      #expect(try outcome(second) == "authorized")
      #expect(try outcome(auth(server.url)).contains(SharedTokenFileTests.cut))
      unlink(path)
      #expect(try !outcome(auth(server.url)).contains(SharedTokenFileTests.cut))
      finish(server)
    }

    @Test(arguments: [
      #"400{"error":"invalid_grant"}"#, #"200{"error":"server_error"}"#, "503", "500{}", "429",
    ])
    func `TOK-03 an answer that is none of tokens leaves the refresh token as it is`(
      answer: String
    ) throws {
      let tokens = #"200{"access_token":"a","refresh_token":"b","expires_in":3600}"#
      let server = try server([answer, tokens])
      #expect(try outcome(auth(server.url)).contains("it responded with \(answer.prefix(3))"))
      #expect(try outcome(auth(server.url)) == "authorized")
      #expect(try outcome(auth(server.url)) == "authorized")
      #expect(server.requests.count == 2)
      finish(server)
    }

    @Test func `TOK-03 so does an endpoint that was not reached`() throws {
      let (listener, port) = try #require(RawSocket.listen())
      close(listener)
      for url in ["http://127.0.0.1:\(port)", "http://no.such.host.invalid", "http://10.255.255.1"]
      {
        for _ in 0..<2 {
          let message = try outcome(auth(url))
          #expect(!message.contains(SharedTokenFileTests.cut), "\(message)")
          #expect(message.hasPrefix("no token from \(url)/token: "))
        }
      }
      finish()
    }

    @Test(arguments: ["", #","refresh_token":"first""#])
    func `TOK-04 a refresh token that earlier renewals have left is used again`(again: String)
      throws
    {
      let server = try server([#"200{"access_token":"a","expires_in":0\#(again)}"#, "502"])
      #expect(try outcome(auth(server.url)) == "authorized")
      #expect(try outcome(auth(server.url)).contains("it responded with 502"))
      #expect(try outcome(auth(server.url)).contains("without a response"))
      #expect(server.requests.count == 3)
      finish(server)
    }

    @Test
    func `TOK-04 tokens that need none are asked for again, and at once where others are stuck`()
      throws
    {
      let server = try server(["502", #"200{"access_token":"a"}"#])
      let change: (inout OAuth2.Settings) -> Void = { $0.grant = .clientCredentials }
      #expect(try outcome(auth(server.url, change)).contains("it responded with 502"))
      let settings = auth(server.url, change).settings
      let lock = try TokenFile(path).lock()
      var keeper = OAuth2TokenKeeper(TokenFile(path), settings)
      keeper.patience = 0.1
      let need = OAuth2TokenNeed(now: 0, rejected: nil, unsaved: nil)
      guard
        case .success(.due(nil, known: nil, mark: nil)) = keeper.beginRenewal(
          need, unless: { false })
      else {
        Issue.record("others hold it up")
        return
      }
      lock.release()
      #expect(try outcome(auth(server.url, change)) == "authorized")
      finish(server)
    }

    @Test func `TOK-05 what could not be kept is used by the process that has it`() throws {
      let server = try server([
        #"200{"access_token":"a","refresh_token":"b","expires_in":0}"#,
        #"200{"access_token":"c","refresh_token":"d","expires_in":3600}"#,
      ])
      let first = auth(server.url)
      let keeper = OAuth2TokenKeeper(TokenFile(path), first.settings)
      let now = OAuth2TokenNeed(now: 0, rejected: nil, unsaved: nil)
      let got = OAuth2Tokens(access: "x", refresh: "y", lifetime: 0, now: 0)
      guard
        case .success(.due(let entry?, known: nil, mark: let mark?)) =
          keeper.beginRenewal(now, unless: { false })
      else {
        Issue.record("it is not due")
        return
      }
      #expect(keeper.note(entry.begun.adding(mark), in: entry) == nil)
      // As if it had not been written.
      keeper.close(entry)
      #expect(try outcome(auth(server.url)).contains(SharedTokenFileTests.cut))
      let need = OAuth2TokenNeed(now: 1, rejected: nil, unsaved: got)
      guard
        case .success(.due(let own?, known: got, mark: _?)) =
          keeper.beginRenewal(need, unless: { false })
      else {
        Issue.record("the one that has them cannot go on")
        return
      }
      #expect(keeper.save(got.renewed(from: got, with: "x", given: "y"), in: own) == nil)
      #expect(try outcome(auth(server.url)) == "authorized")
      #expect(server.requests.last?.contains("refresh_token=y") == true)
      finish(server)
    }

    @Test func `TOK-16 what another renewal surely has not used says nothing of the first one`()
      throws
    {
      let server = try server([])
      let keeper = OAuth2TokenKeeper(TokenFile(path), auth(server.url).settings)
      let need = OAuth2TokenNeed(now: 0, rejected: nil, unsaved: nil)
      let got = OAuth2Tokens(access: "x", refresh: "y", lifetime: 0, now: 0)
      guard
        case .success(.due(let entry?, known: nil, mark: let mark?)) =
          keeper.beginRenewal(need, unless: { false })
      else {
        Issue.record("it is not due")
        return
      }
      #expect(keeper.note(entry.begun.adding(mark), in: entry) == nil)
      // As if its tokens had not been written.
      keeper.close(entry)
      let own = OAuth2TokenNeed(now: 1, rejected: nil, unsaved: got)
      for isCertain in [true, false] {
        guard
          case .success(.due(let entry?, known: got, mark: let mark?)) =
            keeper.beginRenewal(own, unless: { false })
        else {
          Issue.record("the one that has them cannot go on")
          return
        }
        #expect(keeper.note(entry.begun.adding(mark), in: entry) == nil)
        #expect(keeper.giveUp(entry, isCertain: isCertain) == nil)
        #expect(try outcome(auth(server.url)).contains(SharedTokenFileTests.cut))
      }
      finish(server)
    }

    @Test func `TOK-06 a home that ends in the middle of a renewal waits for what it brings`()
      throws
    {
      let server = try #require(
        RawServer { connection in
          connection.readRequest()
          usleep(300_000)
          connection.answer(#"{"access_token":"a","refresh_token":"b","expires_in":3600}"#)
        })
      let (url, path) = (server.url, path)
      try Lull.run { _ in
        let api = Service(baseURL: url)
        api.configure {
          $0.auth = .oauth2Refresh(
            tokenURL: url + "/token", clientID: "me", refreshToken: "first", tokenFile: path)
        }
        api.resource("/a").load()
        while server.requests.isEmpty { await Task.yield() }
      }
      let kept = String(decoding: contents(path) ?? [], as: UTF8.self)
      #expect(kept.contains(#""refresh_token":"b""#), "\(kept)")
      #expect(!kept.contains("renewal"))
      finish(server)
    }

    @Test func `TOK-01 what another has got is taken without waiting for the lock`() throws {
      let server = try server([#"200{"access_token":"a","expires_in":3600}"#])
      #expect(try outcome(auth(server.url)) == "authorized")
      let lock = try TokenFile(path).lock()
      #expect(try outcome(auth(server.url)) == "authorized")
      lock.release()
      #expect(server.requests.count == 1)
      finish(server)
    }
  }
}
