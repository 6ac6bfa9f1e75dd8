import LullCore
import Testing

@testable import LullTransport

extension TransportSuite {
  /// What a token file keeps, and for whom.
  @Suite struct OAuth2TokenKeeperTests {
    let directory: TemporaryDirectory

    init() throws {
      directory = try #require(TemporaryDirectory())
    }

    private func keeper(_ change: (inout OAuth2.Settings) -> Void = { _ in }) -> OAuth2TokenKeeper {
      var settings = OAuth2.Settings(
        tokenURL: "https://login.test/token", clientID: "me",
        clientSecret: SecretText(Secret(.literal("client secret"))),
        grant: .refresh(SecretText(Secret(.literal("refresh token")))))
      change(&settings)
      return OAuth2TokenKeeper(TokenFile(directory.path + "/tokens.json"), settings)
    }

    private func keeper(of secret: Secret) -> OAuth2TokenKeeper {
      keeper { $0.grant = .refresh(SecretText(secret)) }
    }

    /// What is kept; `token` takes its place, if that is one.
    private func kept(_ keeper: OAuth2TokenKeeper, saving token: String? = nil) throws -> String? {
      let entry = try keeper.open { false }.get()
      if let token {
        let tokens = OAuth2Tokens(access: token, refresh: nil, lifetime: nil, now: 0)
        #expect(keeper.save(tokens, in: entry) == nil)
      } else {
        keeper.close(entry)
      }
      return entry.tokens?.access
    }

    @Test func `tokens belong to whoever began`() throws {
      let ann = keeper(of: Secret(.literal("ann-refresh"), name: "RT"))
      let bob = keeper(of: Secret(.literal("bob-refresh"), name: "RT"))
      #expect(try kept(ann, saving: "a") == nil)
      #expect(try kept(bob) == nil)
      #expect(try kept(bob, saving: "b") == nil)
      #expect(try kept(ann) == "a")
      #expect(try kept(bob) == "b")
      let file = contents(directory.path + "/tokens.json") ?? []
      #expect(!String(decoding: file, as: UTF8.self).contains("-refresh"))
      directory.remove()
    }

    @Test func `a file that says something else begins anew`() throws {
      let keeper = keeper(of: Secret(.file(directory.path + "/refresh")))
      directory.write("refresh", "one".utf8)
      #expect(try kept(keeper, saving: "a") == nil)
      #expect(try kept(keeper) == "a")
      directory.write("refresh", "two".utf8)
      #expect(try kept(keeper) == nil)
      directory.remove()
    }

    @Test func `a client's secret counts where it is all there is`() throws {
      let other = SecretText(Secret(.literal("other")))
      #expect(try kept(keeper(), saving: "a") == nil)
      #expect(try kept(keeper { $0.clientSecret = other }) == "a")
      #expect(try kept(keeper { $0.grant = .clientCredentials }, saving: "b") == nil)
      #expect(try kept(keeper { $0.grant = .clientCredentials }) == "b")
      let changed = keeper {
        $0.grant = .clientCredentials
        $0.clientSecret = other
      }
      #expect(try kept(changed) == nil)
      directory.remove()
    }

    @Test func `parts of a client are not taken for one another`() throws {
      #expect(try kept(keeper { $0.scope = "a b" }, saving: "1") == nil)
      let changes: [(inout OAuth2.Settings) -> Void] = [
        { ($0.scope, $0.audience) = ("a", "b") }, { $0.audience = "a b" },
        { ($0.clientID, $0.scope) = ("me a", "b") }, { $0.scope = "a" },
      ]
      for change in changes { #expect(try kept(keeper(change)) == nil) }
      #expect(try kept(keeper { $0.scope = "a b" }) == "1")
      directory.remove()
    }

    @Test func `of one client the last eight are kept`() throws {
      let keepers = (0..<10).map { keeper(of: Secret(.literal("refresh \($0)"))) }
      #expect(try kept(keeper { $0.clientID = "other" }, saving: "other") == nil)
      for (number, keeper) in keepers.enumerated() {
        #expect(try kept(keeper, saving: "\(number)") == nil)
      }
      #expect(try keepers.map { try kept($0) } == [nil, nil] + (2..<10).map { "\($0)" })
      #expect(try kept(keeper { $0.clientID = "other" }) == "other")
      directory.remove()
    }

    @Test(arguments: ["a\nb", "a b", "é", ""])
    func `a token that fits no header is none`(_ token: String) throws {
      #expect(try kept(keeper(), saving: token) == nil)
      #expect(try kept(keeper()) == nil)
      directory.remove()
    }

    @Test(arguments: ["inf", "nan", "-inf", "1e999", "soon"])
    func `a lifetime that is no number of seconds does not count`(_ lifetime: String) throws {
      let body = Array("{\"access_token\":\"t\",\"expires_in\":\"\(lifetime)\"}".utf8)
      let result = NetworkResult(response: HTTPResponse(status: 200), body: body)
      let answer = OAuth2Answer(result, from: "https://a.test", hiding: SecretSearch())
      let tokens = try answer.tokens(now: 0, known: nil).get()
      #expect(tokens == OAuth2Tokens(access: "t", refresh: nil, lifetime: nil, now: 0))
      let entry = try keeper().open { false }.get()
      #expect(keeper().save(tokens, in: entry) == nil)
      #expect(try kept(keeper()) == "t")
      directory.remove()
    }
  }
}
