import Testing

/// What is sent, and shown of it, is what was asked for.
@Suite("Calls that must not do what they are not asked for", .timeLimit(.minutes(20)))
struct CautiousCallTests {
  private let sample: SampleAPI
  private let folder: TemporaryFolder

  init() throws {
    sample = try SampleAPI()
    folder = try TemporaryFolder()
  }

  private func count() throws -> String {
    try lull("get", sample.url + "/counter", "-o", "raw").output
  }

  @Test(arguments: ["--curl", "--dry-run"])
  func `pages are not loaded to be shown`(option: String) throws {
    for pages in [["--all"], ["--pages", "2"]] {
      let ending = try Child(
        Binaries.lull, ["get", sample.url + "/users", option] + pages
      ).wait()
      #expect(ending.code == 0)
      #expect(ending.errors == "")
      #expect(!ending.output.contains("["), "\(ending.output)")
      #expect(ending.output.contains("/users"))
    }
  }

  @Test func `an expression that is none is noticed before anything is sent`() throws {
    let before = try count()
    let ending = try lull("get", sample.url + "/counter", "-f", "x[")
    #expect(ending.code == 1)
    #expect(ending.output == "")
    #expect(ending.errors.contains("near <eof>"))
    #expect(before.contains("1"))
    #expect(try count().contains("2"))
  }

  @Test func `output that cannot be written is an error`() throws {
    let ending = try shell("lull get \(sample.url)/users/1 > /dev/full")
    #expect(ending.code == 1)
    #expect(ending.errors.contains("cannot write the output: No space left on device"))
  }

  @Test func `output that has nowhere to go is an error of commands`() throws {
    for words in ["get \(sample.url)/users/1", "\(sample.url)/users/1", "help get"] {
      let ending = try shell("lull \(words) >&-")
      #expect(ending.code == 1, "\(words)")
      #expect(ending.errors.contains("cannot write the output"), "\(ending.errors)")
    }
    // Nor may the socket be what is written to.
    #expect(
      try shell("lull get \(sample.url)/users/1 -O \(folder.path)/users.json <&- >&- 2>&-").code
        == 0)
  }

  @Test func `the user of a URL is named without the password`() throws {
    let url = sample.url.replacing("http://", with: "http://ann:hunter2@") + "/echo?x=[1]"
    let curl = try lull("get", url, "--curl").output
    #expect(curl.contains("--user 'ann:***'"), "\(curl)")
    #expect(curl.contains("--globoff"))
    #expect(try lull("get", url, "--dry-run").output.contains("authorization: ***"))
    let logged = try lull("get", url, "-v", environment: ["LULL_LOG": "all"])
    #expect(logged.code == 0)
    #expect(!(curl + logged.errors).contains("hunter2"))
    let shown = try lull(
      "-e", "local s = lull.service('\(url)') print(s, s('/a'), s:resource_at('\(url)'))")
    #expect(shown.output.contains("Service(http://127.0.0.1"))
    #expect(!shown.output.contains("hunter2"), "\(shown.output)")
  }

  @Test func `parameters of one name are all sent`() throws {
    let ending = try lull("get", sample.url + "/echo?a=0", "a==1", "b==x y", "a==2&3", "--dry-run")
    #expect(ending.output.contains("/echo?a=0&a=1&b=x+y&a=2%263\n"), "\(ending.output)")
  }

  @Test func `what is shown of an exchange is of this one`() throws {
    try folder.write(
      "apis/s.lua",
      """
      local lull = require "lull"
      return lull.service{ base_url = "\(sample.url)", expiration_time = 0,
        retry = { times = 2, backoff = { base = 0.01 } },
        pipeline = { parsing = { cache = lull.cache.file() } } }
      """)
    func show(_ words: String...) throws -> String {
      try Child(
        Binaries.lull, ["get", "s"] + words + ["-v"], environment: ["XDG_CACHE_HOME": folder.path],
        folder: folder.path, input: .nothing
      ).wait().errors
    }
    let retried = try show("/flaky", "fail==2", "key==v")
    #expect(retried.contains("* attempt 1: 503"), "\(retried)")
    #expect(retried.contains("* attempt 2: 503"))
    #expect(retried.contains("< HTTP/1.1 200 OK"))
    #expect(try show("/users/1").contains("< HTTP/1.1 200 OK"))
    let again = try show("/users/1")
    #expect(again.contains("> if-none-match: "), "\(again)")
    #expect(again.contains("< HTTP/1.1 304 Not Modified\n"), "\(again)")
    #expect(!again.contains("* total"))
  }

  @Test func `headers of the first page stay with its origin`() throws {
    try folder.write(
      "apis/s.lua",
      """
      local lull = require "lull"
      return {
        service = lull.service{ base_url = "\(sample.url)", headers = { ["X-Service"] = "hush" } },
        calls = {
          list = { path = "/headers", params = { link = "string" }, pages = { cross_origin = true } },
        },
      }
      """)
    let index = try lull("get", sample.url + "/", "-f", "x.other_origin", "-o", "lines").output
    let link = "<\(index.prefix { $0 != "\n" })/echo>; rel=\"next\""
    let ending = try Child(
      Binaries.lull,
      [
        "call", "s", "list", "--link", link, "--all", "-H", "X-Tag: hush", "-H", "Accept: a/b",
      ], folder: folder.path, input: .nothing
    ).wait()
    #expect(ending.code == 0, "\(ending.errors)")
    let received = try lull("get", sample.url + "/received", "-o", "raw").output
    #expect(received.contains(#""accept":"a/b""#), "\(received)")
    #expect(!received.contains("hush"))
  }

  @Test func `what a DELETE answers fits the example`() throws {
    let ending = try lull(
      "delete", "sample", "/users/7", environment: ["SAMPLE_API": sample.url],
      folder: Binaries.tests + "/../Examples")
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }
}
