import LullCore
import LullTesting
import LullTransport
import Testing

extension TransportSuite {
  /// Content as types of the program's, waited for: by public names only.
  @Suite struct TypedContentTests {
    struct User: Codable, Sendable, Equatable {
      var id: Int
      var name: String
    }

    /// Counts how often it has been decoded.
    struct Counted: Decodable, Sendable {
      var id: Int

      init(from decoder: any Decoder) throws {
        enum Keys: CodingKey { case id }
        id = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .id)
        Counted.journal("decoded")
      }

      static let journal = Journal()
    }

    private static let ada = #"{"id": 1, "name": "Ada"}"#
    private static let bob = #"{"id": 2, "name": "Bob"}"#

    private func stubbed(
      _ answers: StubProvider.Answer...
    ) -> (user: Resource, service: Service, provider: StubProvider) {
      let provider = StubProvider()
      provider.stub("GET", "https://api.test/me", answers: answers)
      let service = Service(baseURL: "https://api.test", networking: provider)
      return (service.resource("/me"), service, provider)
    }

    // MARK: fresh

    @Test func `COD-10 fresh loads once, and gives fresh data without a request`() throws {
      try Lull.run { home in
        let (user, _, provider) = stubbed(.json(Self.ada))
        #expect(try await user.fresh(User.self) == User(id: 1, name: "Ada"))
        let again: User = try await user.fresh()
        #expect(again.name == "Ada" && provider.requests.count == 1)
        user.invalidate()
        _ = try await user.fresh(User.self)
        #expect(provider.requests.count == 2)
      }
    }

    @Test func `COD-10 however many ask, one request goes out and one decodes`() throws {
      _ = Counted.journal.take()
      try Lull.run { home in
        let (user, _, provider) = stubbed(.json(Self.ada))
        let tasks = (0..<50).map { _ in home.spawn { try await user.fresh(Counted.self).id } }
        var sum = 0
        for task in tasks { sum += try await task.value }
        #expect(sum == 50 && provider.requests.count == 1)
      }
      #expect(Counted.journal.take() == ["decoded"])
    }

    @Test func `COD-10 a 304 leaves what was decoded as it is`() throws {
      _ = Counted.journal.take()
      try Lull.run { home in
        let (user, _, provider) = stubbed(.json(Self.ada, etag: "\"1\""), .init(status: 304))
        _ = try await user.fresh(Counted.self)
        user.invalidate()
        #expect(try await user.fresh(Counted.self).id == 1)
        #expect(provider.requests.count == 2)
      }
      #expect(Counted.journal.take() == ["decoded"])
    }

    @Test func `COD-11 a recent error is thrown again without a request, and then asked anew`()
      throws
    {
      try Lull.run { home in
        let (user, service, provider) = stubbed(
          .json("{}", status: 503), .json(Self.ada), .json("{}", status: 500))
        for _ in 0..<2 {
          do throws(RequestError) {
            _ = try await user.fresh(User.self)
            Issue.record("it did not throw")
          } catch {
            #expect(error.httpStatusCode == 503)
          }
        }
        #expect(provider.requests.count == 1)
        service.configure { $0.retryTime = 0 }
        let loaded = try await user.fresh(User.self)
        #expect(loaded.id == 1)
        // Data that is there does not stand for a load that has failed.
        user.invalidate()
        await #expect(throws: RequestError.self) { try await user.fresh(User.self) }
        #expect(user.latestData != nil)
      }
    }

    @Test func `COD-11 content of another type is an error with path, method and URL`() throws {
      try Lull.run { home in
        let (user, _, provider) = stubbed(.json(#"{"id": "1", "name": ""}"#))
        do throws(RequestError) {
          _ = try await user.fresh([String: User].self)
          Issue.record("it did not throw")
        } catch {
          #expect(error.cause?.kind == "wrong_content")
          #expect(
            error.cause?.message
              == "cannot decode Dictionary<String, User>: id: expected an object, found a string"
          )
          #expect(error.httpStatusCode == 200 && error.jsonDict["id"] == "1")
        }
        // The data stays, for who wants another type.
        let texts = try await user.fresh([String: String].self)
        #expect(texts["id"] == "1")
        #expect(provider.requests.count == 1 && user.latestError == nil)
      }
    }

    @Test func `COD-11 what is no JSON says what it is`() throws {
      try Lull.run { home in
        let rows: [(StubProvider.Answer, String)] = [
          (.text(Self.ada), "the content is text, not JSON"),
          (.init(status: 204, body: nil), "the content is nothing: the body is empty"),
          (.bytes([1], type: "image/png"), "the content is bytes that were not parsed"),
        ]
        for (answer, message) in rows {
          let (user, _, _) = stubbed(answer)
          do throws(RequestError) {
            _ = try await user.fresh(User.self)
            Issue.record("it did not throw")
          } catch {
            #expect(error.cause?.message == "cannot decode User: \(message)")
          }
        }
        let (text, _, _) = stubbed(.text("plain"))
        let plain = try await text.fresh(String.self)
        #expect(plain == "plain")
        let (json, _, _) = stubbed(.json("\"plain\""))
        #expect(try await json.fresh(String.self) == "plain")
        let (nothing, _, _) = stubbed(.json("null"))
        #expect(try await nothing.fresh(User?.self) == nil)
      }
    }

    @Test
    func `COD-11 errors that a type throws are the cause, and a RequestError is thrown as it is`()
      throws
    {
      struct Own: Error {}
      struct Picky: Decodable, Sendable {
        init(from decoder: any Decoder) throws {
          if try decoder.singleValueContainer().decode(Int.self) == 1 { throw Own() }
          throw RequestError(userMessage: "mine")
        }
      }
      try Lull.run { home in
        let (one, _, _) = stubbed(.json("1"))
        do throws(RequestError) {
          _ = try await one.fresh(Picky.self)
        } catch {
          #expect(error.cause?.kind == "custom")
        }
        let (two, _, _) = stubbed(.json("2"))
        do throws(RequestError) {
          _ = try await two.fresh(Picky.self)
        } catch {
          #expect(error.userMessage == "mine" && error.cause == nil)
        }
      }
    }

    @Test func `COD-12 content can be asked for at once, of resources, entities and errors`() throws
    {
      try Lull.run { home in
        let (user, _, _) = stubbed(.json(Self.ada), .json(#"{"id": 9, "name": "E"}"#, status: 400))
        #expect(throws: RequestError.self) { try user.decoded(User.self) }
        let entity = try await user.load().entity()
        #expect(try entity.decoded(User.self) == user.decoded())
        user.overrideLocalContent(
          with: .value(JSONValue.object([.init("id", 3), .init("name", "J")])))
        #expect(try user.decoded(User.self).id == 3)
        user.overrideLocalContent(with: .value(User(id: 4, name: "M")))
        #expect(try user.decoded(User.self).id == 4)
        #expect(throws: RequestError.self) { try user.decoded(Int.self) }
        user.overrideLocalContent(with: .json(try JSONDocument(encoding: User(id: 5, name: "D"))))
        #expect(try user.decoded(User.self).id == 5)
        let error = await user.load().completed().error
        #expect(try error?.decoded(User.self).id == 9)
      }
    }

    // MARK: Transformers

    @Test func `COD-13 a transformer makes content a type, and fails what does not fit`() throws {
      try Lull.run { home in
        let (user, service, _) = stubbed(
          .json(Self.ada), .json("{\"id\": 7}"), .init(status: 204, body: nil))
        service.configureTransformer("/*", as: User.self)
        #expect(try await user.load().entity().typedContent() == User(id: 1, name: "Ada"))
        #expect(try await user.fresh(User.self).id == 1)
        let error = await user.load().completed().error
        #expect(
          error?.cause?.message == "cannot decode User: the field 'name' is missing")
        // As it was received, as of any transformer. (TRF-16)
        #expect(error?.entity?.content.cast(to: [UInt8].self)?.count == 9)
        let kept: User? = user.typedContent()
        #expect(kept?.id == 1)
        _ = try await user.load().entity()
      }
    }

    @Test func `COD-13 a large document is decoded in the pool`() throws {
      let json = "[" + Array(repeating: Self.ada, count: 20_000).joined(separator: ",") + "]"
      try Lull.run { home in
        let (users, service, _) = stubbed(.json(json))
        service.configureTransformer(as: [User].self)
        let all = try await users.fresh([User].self)
        #expect(all.count == 20_000)
      }
    }
  }
}
