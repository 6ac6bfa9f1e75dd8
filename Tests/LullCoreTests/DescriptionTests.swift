import LullCore
import LullTestSupport
import LullTesting
import Testing

/// What is printed of errors, values and objects.
@Suite(.timeLimit(.minutes(20)))
struct DescriptionTests {
  private struct User: Decodable, Sendable {
    var name: String
  }

  @Test func `ERR-160 an error prints what its cause adds, with the coding path`() {
    withHarness { harness in
      let resource = harness.loaded("/a", .json(#"[{"name": "Ann"}, {"name": null}]"#))
      do throws(RequestError) {
        _ = try resource.decoded([User].self)
        Issue.record("it fits")
      } catch {
        let start = "Cannot parse server response (GET https://api.test/v1/a"
        #expect(error.description.hasPrefix(start))
        #expect(error.description.contains("[1].name: expected a string, found null"))
        #expect(error.localizedDescription == error.description)
        #expect(error.errorDescription == error.description)
      }
      harness.stub("GET", "/b", .json("{"))
      harness.service.resource("/b").load()
      harness.settle()
      let text = harness.service.resource("/b").latestError?.description ?? ""
      #expect(text.hasPrefix("Cannot parse server response (GET https://api.test/v1/b → 200): "))
      #expect(text.contains("at byte"))
    }
  }

  @Test func `ERR-160 a message is not repeated, and credentials are not shown`() {
    let refused = RequestError(
      httpStatusCode: nil, entity: nil,
      cause: .transport(TransportError(.connection, "no one listens")), timestamp: 0)
    #expect(refused.description == "no one listens")
    let own = RequestError(
      userMessage: "No shop", cause: .transport(TransportError(.connection, "no one listens")),
      timestamp: 0)
    #expect(own.description == "No shop: no one listens")
    let secret = RequestError(
      userMessage: "No shop",
      cause: .transport(TransportError(.dns, "no host in https://u:hunter2@a.test/?token=abc")),
      timestamp: 0)
    #expect(secret.description == "No shop: no host in https://a.test/?token=***")
    let cancelled = RequestError.cancelled(at: 0)
    #expect(cancelled.description == "Request cancelled")
    let lines = RequestError(
      userMessage: "No", cause: .malformedJSON(message: "a\n b"), timestamp: 0)
    #expect(lines.description == "No: a b")
    #expect("\(TransportError(.dns, "no such host"))" == "no such host")
  }

  @Test func `SWF-160 JSON prints as JSON, without credentials`() throws {
    let value: JSONValue = ["id": 7, "share": 0.5, "tags": ["a", .null, true], "name": "A\"n"]
    #expect("\(value)" == #"{"id":7,"share":0.5,"tags":["a",null,true],"name":"A\"n"}"#)
    let secret: JSONValue = ["user": "ann", "password": "hunter2", "deep": [["api_key": "k1"]]]
    #expect("\(secret)" == #"{"user":"ann","password":"***","deep":[{"api_key":"***"}]}"#)
    let infinite = JSONValue.array([.double(.infinity)])
    #expect("\(JSONValue.double(.nan)) \(infinite)" == #""nan" ["inf"]"#)
    let link: JSONValue = ["url": "https://ann:hunter2@a.test/?token=t"]
    #expect("\(link)" == #"{"url":"https://a.test/?token=***"}"#)
    let document = try JSONDocument(parsing: Array(#"{"token": "t", "a": 1}"#.utf8))
    #expect("\(document)" == #"{"token":"***","a":1}"#)
    #expect("\(document.root["a"].map { "\($0)" } ?? "")" == "1")
  }

  private final class Songs: Service {}

  @Test func `SWF-160 a service prints its type, name and base, without credentials`() {
    withHarness { harness in
      #expect("\(harness.service)" == "Service at https://api.test/v1/")
      let shop = Service(
        baseURL: "https://ann:hunter2@api.test/v1", name: "shop", networking: harness.provider,
        pump: harness.pump)
      #expect("\(shop)" == "Service shop at https://api.test/v1/")
      let songs = Songs(networking: harness.provider, pump: harness.pump)
      #expect("\(songs)" == "Songs without a base URL")
    }
  }

  @Test func `SWF-161 resources are equal and hashed by what object they are`() {
    withHarness { harness in
      let one = harness.service.resource("/a")
      let two = harness.service.resource("/b")
      #expect(one == harness.service.resource("/a") && one != two)
      var counts: [Resource: Int] = [:]
      counts[one] = 1
      counts[harness.service.resource("/a"), default: 0] += 1
      counts[two] = 5
      #expect(counts == [one: 2, two: 5])
      #expect(Set([one, two, one]).count == 2)
      let other = harness.makeService(base: "https://api.test/v1")
      #expect(one != other.resource("/a"))
    }
  }
}
