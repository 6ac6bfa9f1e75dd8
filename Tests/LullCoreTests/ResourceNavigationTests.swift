import LullCore
import LullTestSupport
import LullTesting
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ResourceNavigationTests {
  /// The URL text a walk from `…/v1/a/b` ends at, and whether that is the resource of that URL.
  private func reached(_ walk: (Resource) -> Resource) -> String {
    var text = ""
    withHarness(base: "https://zingle.frotz/v1") { harness in
      let target = walk(harness.service.resource("/a/b"))
      #expect(target.service === harness.service, "PATH-01")
      #expect(harness.service.resource(absoluteURL: target.url.text) === target, "SVC-25")
      text = target.url.text
    }
    return text
  }

  @Test(arguments: [
    ("c", "/c"), ("/c", "/c"), ("", "/"), ("./c", "/./c"), ("../c", "/../c"),
    ("//other.host/c", "//other.host/c"), ("?foo", "/%3Ffoo"),
  ])
  func `PATH-02 to PATH-07 child appends a path, whatever it looks like`(
    path: String, expected: String
  ) {
    #expect(reached { $0.child(path) } == "https://zingle.frotz/v1/a/b" + expected)
  }

  @Test(arguments: [
    ("c", "https://zingle.frotz/v1/a/c"), ("../c", "https://zingle.frotz/v1/c"),
    ("/c", "https://zingle.frotz/c"), ("ftp://other.host/c", "ftp://other.host/c"),
    ("?foo=1&bar=2", "https://zingle.frotz/v1/a/b?foo=1&bar=2"),
  ])
  func `PATH-09 to PATH-17 relative resolves like an href`(href: String, expected: String) {
    #expect(reached { $0.relative(href) } == expected)
    #expect(reached { $0.optionalRelative(href) ?? $0 } == expected, "PATH-19")
  }

  @Test
  func `PATH-18 PATH-19 an href that is none gives an invalid resource, a missing one gives nil`() {
    withHarness { harness in
      let resource = harness.service.resource("/a")
      #expect(resource.optionalRelative(nil) == nil)
      let request = resource.relative("http://[").load()
      #expect(request.isCompleted)
      guard case .invalidURL(let source?)? = request.response?.error?.cause else {
        Issue.record("the cause is \(String(describing: request.response?.error?.cause))")
        return
      }
      #expect(source == "http://[")
    }
  }

  @Test
  func
    `PATH-20 to PATH-30 parameters are set and removed, sorted, and their order does not matter`()
  {
    let base = "https://zingle.frotz/v1/a/b"
    #expect(reached { $0.withParam("foo", "bar") } == base + "?foo=bar")
    #expect(reached { $0.withParam("a b", "=+") } == base + "?a%20b=%3D%2B")
    #expect(reached { $0.withParam("foo", "") } == base + "?foo")
    #expect(reached { $0.withParam("foo", "bar").withParam("foo", nil) } == base)
    #expect(
      reached { $0.relative("?foo=bar&zoogle=oogle").withParam("plop", "blop") }
        == base + "?foo=bar&plop=blop&zoogle=oogle")
    #expect(
      reached {
        $0.relative("?foo=bar&zoogle=oogle").withParams(["foo": nil, "dogcow": "moof"])
      } == base + "?dogcow=moof&zoogle=oogle")
    #expect(
      reached { $0.withParams(["b": "2", "a": "1"]) }
        == reached { $0.withParam("a", "1").withParam("b", "2") })
  }

  @Test func `PATH-31 from an invalid resource every way leads to one with the same cause`() {
    withHarness { harness in
      let ways: [(Resource) -> Resource?] = [
        { $0.child("c") }, { $0.relative("c") }, { $0.relative("http://other.host/c") },
        { $0.optionalRelative("?a=b") }, { $0.withParam("a", "b") }, { $0.withParam("a", nil) },
        { $0.withParams(["a": "b", "c": nil]) },
        { $0.withParams([("a", .secret(SecretText("b")))]) },
        { $0.child("c").relative("d").withParam("a", "b") },
      ]
      for (source, invalid) in [
        ("http://[", harness.service.resource(absoluteURL: "http://[")),
        (nil, harness.service.resource(absoluteURL: nil)),
      ] {
        for way in ways {
          let request = way(invalid)?.load()
          guard case .invalidURL(let echoed)? = request?.response?.error?.cause else {
            Issue.record("the cause is \(String(describing: request?.response?.error?.cause))")
            continue
          }
          #expect(echoed == source)
        }
      }
      #expect(harness.sent == [])
    }
  }

  @Test func `SVC-34 no configuration runs on the way`() {
    withHarness { harness in
      var runs = 0
      harness.service.configure { _ in runs += 1 }
      let resource = harness.service.resource("/a").child("b").relative("?c=d").withParam("e", "f")
      #expect(runs == 0)
      _ = resource.isUpToDate
      #expect(runs == 1)
    }
  }
}
