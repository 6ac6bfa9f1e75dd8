import Testing

/// What `lull mock` answers by the file of schemas alone.
@Suite("lull mock: examples of documents", .timeLimit(.minutes(20)))
struct MockExampleTests {
  private static let schemas = ##"""
    {"calls":{
    "gone":{"answers":{"204":{}}},
    "moved":{"answers":{"302":{}}},
    "page":{"answers":{"200":{"type":"text/html","examples":["<p>"]},"201":{}}},
    "media":{"responses":{"200":{"type":"object"}},"answers":{"200":{"examples":[5,{"n":1}]}}},
    "either":{"responses":{"202":true,"default":{"type":"object"}},"answers":{"202":{}}},
    "bare":{"answers":{"200":{"examples":[false]}}},
    "vendor":{"responses":{"200":{"const":1}},"answers":{"200":{"type":"application/x+json","examples":[1]}}},
    "wrong":{"responses":{"200":{"type":"object","required":["n","m"],"properties":{"n":{"type":"integer","examples":["7"]},"m":{"type":"string","examples":["mail"]}}}}},
    "pet":{"responses":{"200":{"anyOf":[{"$ref":"#/$defs/Cat"},{"$ref":"#/$defs/Dog"}],"discriminator":{"propertyName":"kind","mapping":{"feline":"#/$defs/Cat","dog":"#/$defs/Dog"}}}}},
    "base":{"responses":{"200":{"$ref":"#/$defs/Base"}}},
    "links":{"responses":{"200":{"type":"object"}},"answers":{"200":{"examples":[{"next":"https://api.shop.test/v2/links?page=2","other":"https://other.test/x","text":"see https://api.shop.test/v2"}]}}},
    "made":{"responses":{"200":{"type":"string","format":"uri"}}},
    "fixed":{"responses":{"200":{"const":"https://api.shop.test/v2/x"}}}
    },"$defs":{
    "Cat":{"type":"object","required":["kind","lives"],"properties":{"kind":{"type":"string"},"lives":{"type":"integer","examples":[9]}}},
    "Dog":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"}}},
    "Base":{"type":"object","required":["t"],"properties":{"t":{"type":"string"}},"discriminator":{"propertyName":"t","mapping":{"sub":"#/$defs/Sub"}}},
    "Sub":{"allOf":[{"$ref":"#/$defs/Base"},{"type":"object","required":["more"],"properties":{"more":{"const":true}}}]}
    }}
    """##

  private func mock() throws -> MockProcess {
    let names = [
      "gone", "moved", "page", "media", "either", "bare", "vendor", "wrong", "pet", "base", "links",
      "made", "fixed",
    ]
    return try MockProcess(
      calls: names.map { "    \($0) = { path = \"/\($0)\" },\n" }.joined(),
      schemas: MockExampleTests.schemas)
  }

  @Test func `MCK-124 a call without a schema is answered with its declared status`() throws {
    let mock = try mock()
    #expect(try mock.curl("/gone").hasPrefix("HTTP/1.1 204 "))
    #expect(try mock.curl("/moved").hasPrefix("HTTP/1.1 302 "))
    let either = try mock.curl("/either")
    #expect(either.hasPrefix("HTTP/1.1 202 ") && either.hasSuffix("\n\n"), "\(either)")
    let page = try mock.curl("/page")
    #expect(page.hasPrefix("HTTP/1.1 200 ") && page.hasSuffix("\n\n<p>"), "\(page)")
    #expect(page.lowercased().contains("\ncontent-type: text/html\n"), "\(page)")
  }

  @Test func `MCK-125 examples of documents answer, the first that fits the schema`() throws {
    let mock = try mock()
    #expect(try mock.body("/media") == #"{"n":1}"#)
    #expect(try mock.body("/bare") == "false")
    #expect(try mock.curl("/vendor").lowercased().contains("\ncontent-type: application/x+json\n"))
    // One of another type does not count, and the others do.
    #expect(try mock.body("/wrong") == #"{"n":0,"m":"mail"}"#)
  }

  @Test func `MCK-126 a property names the schema that a discriminator maps to it`() throws {
    let mock = try mock()
    #expect(try mock.body("/pet") == #"{"kind":"feline","lives":9}"#)
    let base = try mock.body("/base")
    #expect(base.contains(#""t":"sub""#) && base.contains(#""more":true"#), "\(base)")
  }

  @Test func `MCK-127 links of examples lead to the mock, where the schema allows that`() throws {
    let mock = try mock()
    let links = try mock.body("/links")
    #expect(links.contains(#""next":"\#(mock.url)/v2/links?page=2""#), "\(links)")
    #expect(links.contains(#""other":"https://other.test/x""#), "\(links)")
    #expect(links.contains(#""text":"see https://api.shop.test/v2""#), "\(links)")
    #expect(try mock.body("/made") == "\"\(mock.url)/\"")
    #expect(try mock.body("/fixed") == "\"https://api.shop.test/v2/x\"")
  }

  @Test func `MCK-128 lull call --base-url sends a call to another server`() throws {
    let mock = try mock()
    func call(_ words: String...) throws -> Child.Ending {
      try Child(
        Binaries.lull, ["call", "shop"] + words, folder: mock.folder.path
      ).wait()
    }
    #expect(try call("bare", "--base-url", mock.url + "/v2").output == "false\n")
    #expect(try call("bare", "--base-url=" + mock.url).output == "false\n")
    for url in ["", "shop", "ftp://shop.test"] {
      let ending = try call("bare", "--base-url", url)
      #expect(ending.code == 2 && ending.errors.contains("--base-url needs a URL"), "\(ending)")
    }
    try mock.folder.write(
      "apis/early.lua",
      """
      local lull = require "lull"
      local api = lull.service("https://api.shop.test")
      api:resource("/a")
      return { service = api, calls = { a = { path = "/a" } } }
      """)
    let early = try Child(
      Binaries.lull, ["call", "early", "a", "--base-url", mock.url], folder: mock.folder.path
    ).wait()
    #expect(early.code == 2 && early.errors.contains("makes a resource"), "\(early)")
    // A parameter of that name keeps its option.
    try mock.folder.write(
      "apis/own.lua",
      """
      local lull = require "lull"
      return { service = lull.service("\(mock.url)"),
        calls = { bare = { path = "/bare", params = { base_url = "string" } } } }
      """)
    let own = try Child(
      Binaries.lull, ["call", "own", "bare", "--base-url", "x", "--dry-run"],
      folder: mock.folder.path
    ).wait()
    #expect(own.output.contains("base_url=x"), "\(own)")
  }
}
