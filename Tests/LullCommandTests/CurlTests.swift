import Testing

@Suite("Curl commands and dry runs", .timeLimit(.minutes(20)))
struct CurlTests {
  private let sample: SampleAPI

  init() throws { sample = try SampleAPI() }

  /// Run by the real curl it gives the same answer as the request itself.
  @Test(arguments: [
    ["get", "/echo?a=b%20c&d=%26", "X-Tag:it's \"quoted\" $HOME `id`"],
    ["get", "/users/2"],
    ["post", "/echo", "name=it's; rm -rf \\ \"x\"", "n:=1"],
    ["put", "/echo", "--form", "a=b c&d", "e=ü"],
    ["patch", "/echo", "-d", "{\"a\":\n\"@b\"}"],
    ["delete", "/echo"],
    ["delete", "/echo", "why=old"],
    ["post", "/echo"],
    ["post", "/echo", "-d", ""],
    ["post", "/echo", "-d", "text"],
    ["get", "/echo", "user[name]=Ann", "q==a b", "X-Tag:a", "X-Tag:b"],
    ["put", "/echo", "X-Tag;", "X-Tag:a", "a=b"],
    ["get", "/redirect/2"],
    ["get", "/x/../users/./2"],
    ["get", "/gzip"],
  ])
  func `say the same as the request`(words: [String]) throws {
    let arguments = [words[0], sample.url + words[1]] + words.dropFirst(2)
    let own = try Child(Binaries.lull, arguments + ["-o", "raw", "User-Agent:test", "Accept:*/*"])
      .wait()
    let curl = try Child(
      Binaries.lull, arguments + ["--curl", "-o", "raw", "User-Agent:test", "Accept:*/*"]
    ).wait()
    #expect(curl.errors == "")
    #expect(curl.output.hasPrefix("curl "))
    let theirs = try shell(
      curl.output.replacing("curl ", with: "curl --silent ", maxReplacements: 1))
    #expect(theirs.errors == "")
    // Which encodings a transfer library knows is its own business.
    let encodings = /"accept-encoding":"[^"]*",?/
    #expect(
      own.output.replacing(encodings, with: "") == theirs.output.replacing(encodings, with: ""))
    #expect(!own.output.isEmpty)
  }

  @Test func `do the same with the answer`() throws {
    let folder = try TemporaryFolder()
    for words in [["-i"], ["-O", "a file"], ["-i", "-O", "a file"], ["-O", "-"]] {
      let arguments = ["get", sample.url + "/bytes/30"] + words
      let own = try Child(Binaries.lull, arguments, folder: folder.path).wait()
      let file = try shell("cat 'a file'; rm -f 'a file'", folder: folder.path).output
      let curl = try Child(Binaries.lull, arguments + ["--curl"]).wait().output
      let theirs = try shell(
        curl.replacing("curl ", with: "curl --silent ", maxReplacements: 1), folder: folder.path)
      #expect(theirs.errors == "")
      if words.contains("-i") {
        // Names of headers and the date are written in more than one way.
        for output in [own.output, theirs.output] { #expect(output.hasPrefix("HTTP/1.1 200 OK")) }
        let body = try #require(own.output.firstRange(of: "\n\n")).upperBound
        let theirBody = try #require(theirs.output.firstRange(of: "\r\n\r\n")).upperBound
        #expect(own.output[body...] == theirs.output[theirBody...], "\(curl)")
      } else {
        #expect(own.output == theirs.output, "\(curl)")
      }
      #expect(try shell("cat 'a file'; rm -f 'a file'", folder: folder.path).output == file)
      #expect(file.isEmpty == !words.contains("a file"))
    }
  }

  @Test func `hide credentials`() throws {
    for option in ["--curl", "--dry-run"] {
      let ending = try lull(
        "get", "https://user:hunter2@a.example/x?access_token=hunter3&page=2", option,
        "Authorization:Bearer hunter4", "X-Api-Key:hunter5", "Cookie:sid=hunter6")
      #expect(!ending.output.contains("hunter"), "\(ending.output)")
      #expect(ending.output.contains("authorization: ***"))
      #expect(ending.output.contains("page=2"))
      #expect(ending.code == 0)
    }
  }

  @Test func `name secrets instead of showing them`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require "lull"
      return lull.service{ base_url = "https://a.example", headers = {
        Authorization = "Bearer " .. lull.secret{ env = "SHOP_TOKEN" } } }
      """)
    for option in ["--curl", "--dry-run"] {
      let ending = try lull(
        "get", "shop", "/x", option, environment: ["SHOP_TOKEN": "hunter7"], folder: folder.path)
      #expect(ending.output.contains("authorization: Bearer ‹secret SHOP_TOKEN›"), "\(ending)")
      #expect(!ending.output.contains("hunter7"))
    }
  }

  @Test func `send nothing`() throws {
    let before = try lull("get", sample.url + "/counter", "-o", "raw").output
    for option in ["--curl", "--dry-run"] {
      #expect(try lull("get", sample.url + "/counter", option).code == 0)
    }
    let after = try lull("get", sample.url + "/counter", "-o", "raw").output
    #expect(before.contains("1") && after.contains("2"), "\(before) \(after)")
  }
}
