import Testing

/// Nothing that is shown of an exchange, for whatever reason, says what lets one in.
@Suite("Masks of the shell's verbs", .timeLimit(.minutes(20)))
struct MaskTests {
  private let sample: SampleAPI

  init() throws { sample = try SampleAPI() }

  private static let items = [
    "api_key==hush-1", "sig==hush-2", "X-Key:hush-3", "X-Session:hush-4", "Signature:hush-5",
    "Cookie:sid=hush-6",
  ]

  @Test(arguments: [["-v"], ["-vv"], ["-i"], ["--curl"], ["--dry-run"]])
  func `of requests`(options: [String]) throws {
    for body in [["password=hush-7", "n:=1"], ["--form", "password=hush-8", "n=1"]] {
      let words = ["post", sample.url + "/status/404"] + MaskTests.items + body + options
      let ending = try Child(Binaries.lull, words, environment: ["LULL_LOG": "all"]).wait()
      #expect(!(ending.output + ending.errors).contains("hush"), "\(ending.output)\(ending.errors)")
      #expect((ending.output + ending.errors).contains("api_key=***&sig=***"))
    }
  }

  @Test func `of answers`() throws {
    let url = sample.url + "/headers?Set-Cookie=sid%3Dhush-1&X-Session=hush-2&X-Page=7"
    for option in ["-v", "-i"] {
      let ending = try lull("get", url, option, "-f", "1")
      // -v shows them as they came.
      let text = (ending.output + ending.errors).lowercased()
      #expect(text.contains("set-cookie: ***\n"), "\(text)")
      #expect(text.contains("x-session: ***\n"))
      #expect(text.contains("x-page: 7\n"))
    }
  }

  @Test func `of error lines and the network log`() throws {
    let missing = try lull(
      "get", sample.url + "/nothing", "api_key==hush",
      environment: ["LULL_LOG": "network,network_details"])
    #expect(missing.code == 4)
    #expect(missing.errors.contains("/nothing?api_key=*** → 404)"), "\(missing.errors)")
    #expect(missing.errors.contains("/nothing?api_key=*** → 404 ("))
    #expect(!missing.errors.contains("hush"))
    let refused = try lull("get", "http://127.0.0.1:9/?token=hush")
    #expect(refused.errors.contains("(GET http://127.0.0.1:9/?token=***)"), "\(refused.errors)")
  }

  @Test(arguments: [
    "http://ann:hush@ho st/", "http://ann:hush/@h:1/", "http://ann:hush@h:99999999/",
  ])
  func `of what is no URL`(url: String) throws {
    let ending = try lull("get", url)
    #expect(ending.code != 0)
    #expect(!ending.errors.contains("hush"), "\(ending.errors)")
    let script = try lull(
      "-e",
      "local r = lull.service{}:resource_at('\(url)') print(r, select(2, r:load():await()))",
      environment: ["LULL_LOG": "all"])
    #expect(script.output.contains("invalid URL"))
    #expect(!(script.output + script.errors).contains("hush"), "\(script.output)\(script.errors)")
  }
}
