import LullTestSupport
import LullTesting
import Testing

@testable import LullCore

@Suite(.timeLimit(.minutes(20)))
struct QueryCredentialTests {
  private let key = SecretText(Secret(.environment("KEY")))

  @Test(arguments: [
    ("https://a.test/x", "https://a.test/x?k%20y=‹secret KEY›&z=‹secret KEY›"),
    ("https://a.test/x?", "https://a.test/x?k%20y=‹secret KEY›&z=‹secret KEY›"),
    ("https://a.test/x?a=1&", "https://a.test/x?a=1&k%20y=‹secret KEY›&z=‹secret KEY›"),
    ("https://a.test/x?a#b?c", "https://a.test/x?a&k%20y=‹secret KEY›&z=‹secret KEY›#b?c"),
    ("https://a.test/x#", "https://a.test/x?k%20y=‹secret KEY›&z=‹secret KEY›#"),
    ("https://a.test/x?k%20y=1", "https://a.test/x?k%20y=1&z=‹secret KEY›"),
    ("https://a.test/x?z", "https://a.test/x?z&k%20y=‹secret KEY›"),
    ("https://a.test/x?%7a=&kk%20y=1", "https://a.test/x?%7a=&kk%20y=1&k%20y=‹secret KEY›"),
    ("https://a.test/x?z=1&k%20y=2", "https://a.test/x?z=1&k%20y=2"),
  ])
  func `QRY-01 QRY-02 parameters go behind the query, unless it has them`(url: String, sent: String)
  {
    let credential = QueryCredential([("k y", key), ("z", key), ("z", SecretText("second"))])
    var http = HTTPRequest(method: "GET", url: url)
    credential.put(on: &http)
    #expect(http.url == sent)
    #expect(http.secretURL?.secrets.count ?? 0 == sent.split(separator: "‹").count - 1)
    // Once is enough.
    credential.put(on: &http)
    #expect(http.url == sent)
  }

  @Test func `QRY-01 what a secret is called does not end the query`() throws {
    let odd = SecretText(Secret(.environment("A"), name: "a?b#c&z=1"))
    let credential = QueryCredential([("k", odd), ("z", key)])
    var http = HTTPRequest(method: "GET", url: "https://a.test/x")
    credential.put(on: &http)
    credential.put(on: &http)
    #expect(http.url == "https://a.test/x?k=‹secret a?b#c&z=1›&z=‹secret KEY›")
  }

  @Test(arguments: [
    ("https://a.test/x", "https://a.test/x"), ("https://a.test/x?a=1", "https://a.test/x?a=1"),
    ("https://a.test/x?a=1&b#c", "https://a.test/x?a=1&b#c"),
    ("https://a.test/x?z=own", "https://a.test/x?z=own"),
  ])
  func `QRY-09 a URL is known without its secrets`(url: String, bare: String) {
    var http = HTTPRequest(method: "GET", url: url)
    #expect(http.urlWithoutSecrets == nil)
    QueryCredential([("k", key), ("z", key)]).put(on: &http)
    #expect(http.urlWithoutSecrets == bare)
  }

  @Test func `QRY-03 QRY-05 a service's requests have them, and its resources do not`() throws {
    try withHarness { harness in
      harness.service.configure { $0.auth = .query("key", key) }
      let resource = harness.service.resource("/a").withParams([("id", .secret(key))])
      resource.request(.get)
      let http = try #require(harness.provider.requests.last)
      #expect(http.url == "https://api.test/v1/a?id=‹secret KEY›&key=‹secret KEY›")
      #expect(http.secretPlaces.map(\.place) == ["the URL", "the URL"])
      #expect(resource.url.text == "https://api.test/v1/a?id=‹secret KEY›")
      #expect(
        resource.credentials.map(\.name) == ["?key", "id"], "a header and a parameter told apart")
      let elsewhere = harness.service.resource(absoluteURL: "https://other.test/a").request(.get)
      #expect(elsewhere.response?.error?.cause?.kind == "secret_origin")
    }
  }

  @Test func `QRY-04 QRY-05 a literal is a secret as well`() throws {
    try withHarness { harness in
      harness.service.configure { $0.auth = .query("appid", SecretText("hunter2")) }
      harness.service.resource("/a").request(.get)
      let http = try #require(harness.provider.requests.last)
      #expect(http.url == "https://api.test/v1/a?appid=‹secret literal›")
      let elsewhere = harness.service.resource(absoluteURL: "https://other.test/a").request(.get)
      #expect(elsewhere.response?.error?.cause?.kind == "secret_origin")
    }
  }

  @Test(arguments: [
    ("https://a.test/x?a=1&k=‹secret KEY›", "https://a.test/x?a=1"),
    ("https://a.test/y?k=‹secret KEY›&a=1#f", "https://a.test/y?a=1#f"),
    ("https://a.test/y?k=‹secret KEY›", "https://a.test/y"),
    ("https://a.test/y?k=own&z=‹secret KEY›", "https://a.test/y?k=own&z=‹secret KEY›"),
    ("https://a.test/y", "https://a.test/y"),
  ])
  func `QRY-03 what has answered is told without them`(answered: String, told: String) {
    var http = HTTPRequest(method: "GET", url: "https://a.test/x?a=1")
    #expect(http.withoutCredentials(answered) == answered)
    QueryCredential([("k", key)]).put(on: &http)
    #expect(http.withoutCredentials(answered) == told)
  }

  @Test func `QRY-06 what stands in a page's URL in place of them stays in links`() throws {
    try withHarness { harness in
      harness.service.configure { $0.auth = .query("key", key) }
      let target = try #require(ResourceURL(absolute: "https://api.test/v1/a?key=own&page=2"))
      let own = harness.service.resource("/a").withParams([("key", "own")])
      #expect(own.linkedPage(target).url.text == target.text)
      let secret = harness.service.resource("/a")
        .withParams([("key", .secret(SecretText(Secret(.literal("own"), name: "OWN"))))])
      #expect(secret.linkedPage(target).url.text == "https://api.test/v1/a?key=‹secret OWN›&page=2")
    }
  }

  @Test(arguments: [
    ("https://api.test/v1/a?page=2&key=hunter2", "https://api.test/v1/a?page=2"),
    ("https://api.test/v1/a?key=hunter2", "https://api.test/v1/a"),
    ("https://api.test/v1/a?k%65y&&page=2", "https://api.test/v1/a?&page=2"),
    ("https://api.test/v1/open?key=hunter2", "https://api.test/v1/open?key=hunter2"),
    ("https://other.test/a?key=hunter2", "https://other.test/a?key=hunter2"),
    ("https://api.test/v1/a?keys=2", "https://api.test/v1/a?keys=2"),
  ])
  func `QRY-06 a link is taken without them, where they are put on again`(
    link: String, taken: String
  ) throws {
    try withHarness { harness in
      harness.service.configure { $0.auth = .query("key", key) }
      harness.service.configure("/open") { $0.auth = nil }
      let target = try #require(ResourceURL(absolute: link))
      #expect(harness.service.resource("/a").linkedPage(target).url.text == taken)
    }
  }
}
