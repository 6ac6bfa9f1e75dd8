import LullTesting
import Testing

@testable import LullTransport

/// URLs of servers that are shared by.
@Suite(.timeLimit(.minutes(20)))
struct ShareAddressTests {
  private func host(
    _ host: String, _ port: Int = 6379, isTLS: Bool = false
  ) -> ShareAddress.Place { .host(host, port: port, isTLS: isTLS) }

  @Test func `SHR-01 a URL names the server, its database, and who asks`() throws {
    let full = try ShareAddress("rediss://me:p%40ss@Cache.Internal:6380/2")
    #expect(full.place == host("cache.internal", 6380, isTLS: true))
    #expect((full.user, full.password, full.database) == ("me", "p@ss", 2))
    #expect(full.shown == "rediss://cache.internal:6380/2")
    #expect(try ShareAddress("redis://127.0.0.1").place == host("127.0.0.1"))
    #expect(try ShareAddress("valkey://[::1]:7000/").place == host("[::1]", 7000))
    #expect(try ShareAddress("redis://:word@h").password == "word")
    let socket = try ShareAddress("unix:///run/a%20b.sock?db=3")
    #expect(socket.place == .socket("/run/a b.sock"))
    #expect((socket.database, socket.isInClear) == (3, false))
  }

  @Test func `SHR-57 a URL says the namespace too, and nothing twice`() throws {
    func settings(_ url: String, _ namespace: String? = nil) throws -> ShareSettings {
      try ShareSettings(Share(url: url, namespace: namespace))
    }
    #expect(try settings("redis://h/2?namespace=team-a").namespace == "team-a")
    #expect(try settings("redis://h/2?namespace=team-a").address.database == 2)
    let socket = try settings("unix:///run/a.sock?namespace=team%2Fa&db=3")
    #expect((socket.namespace, socket.address.database) == ("team/a", 3))
    #expect(socket.address.shown == "unix:///run/a.sock?db=3")
    #expect(try settings("redis://h", "b").namespace == "b")
    #expect(try settings("redis://h").namespace == "lull")
    for (url, namespace) in [
      ("redis://h?namespace=a", "a"), ("redis://h?namespace=", nil), ("redis://h?namespace", nil),
      ("redis://h?namespace=a+b", nil), ("redis://h?namespace=a&namespace=a", nil),
      ("redis://h?namespace=%ff", nil), ("redis://h?name=a", nil), ("redis://h/2?db=2", nil),
      ("redis://h?password=geheim", nil), ("redis://h?geheim", nil),
      ("redis://h?password=geheim&password=geheim", nil),
    ] as [(String, String?)] {
      let error = #expect(throws: ShareError.self, "\(url)") { try settings(url, namespace) }
      let text = error?.description ?? ""
      #expect(!text.contains("\n") && !text.contains("geheim"), "\(text)")
    }
  }

  @Test(arguments: [
    "", "nowhere", "http://host", "redis://", "redis://host:0", "redis://host:65536",
    "redis://host/two", "redis://host/-1", "redis://host/1?x=1", "redis://ho st", "redis://host#a",
    "unix://relative.sock", "unix://", "redis://:p%zz@host", "redis://:%ff@host",
    "redis://host/1/2",
    "unix:///" + String(repeating: "a", count: 200), "redis://host?db=x",
  ])
  func `SHR-02 what is no URL of a server is refused in one line`(_ url: String) throws {
    let problem = #expect(throws: ShareAddress.Problem.self) { try ShareAddress(url) }
    #expect(problem?.message.contains("\n") == false)
    #expect((problem?.message.utf8.count ?? 0) < 300)
  }

  @Test func `SHR-03 a password is shown nowhere`() throws {
    for url in [
      "redis://u:geheim@host/x", "redis://u:geheim@", "u:geheim@host", "x://u:geheim@host",
    ] {
      let problem = #expect(throws: ShareAddress.Problem.self) { try ShareAddress(url) }
      #expect(problem?.message.contains("geheim") == false, "\(url): \(problem?.message ?? "")")
    }
    #expect(try ShareAddress("redis://u:geheim@host").shown == "redis://host")
  }

  @Test func `SHR-04 what goes to another machine without TLS can be read on the way`() throws {
    #expect(try ShareAddress("redis://example.com").isInClear)
    #expect(try ShareAddress("redis://10.0.0.1").isInClear)
    for url in ["rediss://example.com", "redis://localhost", "redis://127.0.0.2", "redis://[::1]"] {
      #expect(try !ShareAddress(url).isInClear, "\(url)")
    }
  }
}
