import LullTesting
import Testing

/// Options that say by which way a request goes, and who sends it.
@Suite("Options of the network", .timeLimit(.minutes(20)))
struct NetworkOptionTests {
  private func sent(_ words: String..., environment: [String: String] = [:]) throws -> String {
    let server = try HeldServer([[HeldServer.head("200 OK", "Content-Length: 0")]])
    defer { server.stop() }
    let ending = try Child(
      Binaries.lull, ["get", server.url] + words, environment: environment
    ).wait()
    #expect(ending.code == 0, "\(ending.errors)")
    return server.requests.first?.lowercased() ?? ""
  }

  // MARK: Who asks

  @Test func `CMD-08 a user and a password are sent as Basic`() throws {
    let server = try HeldServer([[HeldServer.head("200 OK", "Content-Length: 0")]])
    defer { server.stop() }
    #expect(try lull("get", server.url, "-a", "ann:p:w").code == 0)
    #expect(server.requests[0].contains("uthorization: Basic YW5uOnA6dw==\r\n"))
    #expect(try lull("get", server.url, "-a", ":key").code == 0)
    #expect(server.requests[1].contains("uthorization: Basic OmtleQ==\r\n"))
  }

  @Test func `CMD-08 a header without a value takes away what an API's file says`() throws {
    let folder = try TemporaryFolder()
    let api = try folder.write(
      "a.lua",
      """
      local lull = require "lull"
      local service = lull.service("http://a.example")
      service:configure{ auth = lull.auth.bearer(lull.secret{ env = "TOK" }) }
      return { service = service }
      """)
    for (words, isSent) in [
      ([], true), (["Authorization:"], false), (["-H", "authorization:"], false),
    ] {
      let ending = try Child(
        Binaries.lull, ["get", api, "/c", "--dry-run"] + words, environment: ["TOK": "tt"]
      ).wait()
      #expect(ending.output.lowercased().contains("authorization") == isSent, "\(ending)")
      #expect(ending.code == 0)
    }
    let both = try lull("get", api, "/c", "-a", "u:p", "Authorization:")
    #expect(both.errors.hasPrefix("lull: -a cannot be combined with a header Authorization"))
    #expect(both.code == 2)
  }

  @Test func `CMD-08 a token is sent as Bearer`() throws {
    #expect(try sent("-A", "bearer", "-a", "a:b").contains("authorization: bearer a:b\r\n"))
  }

  @Test func `CMD-08 a digest answers what the server asks for`() throws {
    let server = try HeldServer([
      [
        HeldServer.head(
          "401 Unauthorized", "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"",
          "Content-Length: 0")
      ], [HeldServer.head("200 OK", "Content-Length: 0")],
    ])
    defer { server.stop() }
    #expect(try lull("get", server.url, "-A", "digest", "-a", "ann:pw").code == 0)
    #expect(!server.requests[0].contains("uthorization"))
    #expect(server.requests[1].contains("uthorization: Digest username=\"ann\", realm=\"r\""))
  }

  @Test func `CMD-08 netrc and Amazon's keys come from where they are`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write(
      "netrc", "machine 127.0.0.1 login ann password one\nmachine 127.0.0.1 login bob password two",
      mode: 0o600)
    #expect(
      try sent("-A", "netrc", environment: ["NETRC": file])
        .contains("authorization: basic yw5uom9uzq==\r\n"))
    #expect(
      try sent("-A", "netrc", "-a", "bob", environment: ["NETRC": file])
        .contains("authorization: basic ym9ionr3bw==\r\n"))
    let keys = [
      "AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "SK", "AWS_REGION": "eu-west-1",
    ]
    let refused = try lull("get", "http://127.0.0.1:1", "-A", "aws-sigv4", environment: keys)
    #expect(refused.errors.contains("does not name its AWS service"))
    let shown = try lull(
      "get", "https://s3.eu-west-1.amazonaws.com/x", "-A", "aws-sigv4", "-a", "AK:SK", "--curl")
    #expect(shown.output.contains("--aws-sigv4 aws:amz --user 'AK:***'"))
  }

  @Test(arguments: [
    (["-a", "ann:hunter2"], "--user 'ann:***'"),
    (["-A", "digest", "-a", "ann:hunter2"], "--digest --user 'ann:***'"),
    (["-A", "bearer", "-a", "hunter2"], "--header 'authorization: Bearer ‹secret -a›'"),
    (["-A", "netrc"], "--netrc"),
    (["-A", "aws-sigv4", "-a", "AK:hunter2"], "--aws-sigv4 aws:amz --user 'AK:***'"),
    (["--proxy", "http://me:hunter2@127.0.0.1:1"], "--proxy-user 'me:***'"),
  ])
  func `CMD-09 credentials of options are never shown`(words: [String], curl: String) throws {
    let server = try HeldServer([[HeldServer.head("404 Not Found", "Content-Length: 0")]])
    defer { server.stop() }
    let shown = try Child(Binaries.lull, ["get", server.url, "--curl"] + words).wait()
    #expect(shown.output.contains("  \(curl)\n") || shown.output.contains("  \(curl) \\\n"))
    for option in ["--curl", "--dry-run", "-v"] {
      let ending = try Child(
        Binaries.lull, ["get", server.url, option] + words,
        environment: ["NETRC": "/dev/null/none"]
      ).wait()
      #expect(!(ending.output + ending.errors).contains("hunter2"))
    }
  }

  @Test func `CMD-10 a password is asked for on the terminal, unseen`() throws {
    let server = try HeldServer([
      [HeldServer.head("200 OK", "Content-Length: 2"), Array("ok".utf8)]
    ])
    defer { server.stop() }
    let child = try Child(Binaries.lull, ["get", server.url, "-a", "ann"], terminal: true)
    try child.waitForOutput("lull: password of ann: ")
    child.type("p:w\r")
    let ending = try child.wait()
    #expect(ending.code == 0)
    #expect(!ending.output.contains("p:w"))
    #expect(server.requests[0].contains("uthorization: Basic YW5uOnA6dw==\r\n"))
  }

  @Test func `CMD-10 Ctrl-C while it is asked ends the command, and the terminal echoes again`()
    throws
  {
    let line = "'\(Binaries.lull)' get http://127.0.0.1:1 -a ann; echo ended $?; stty -a"
    let child = try Child(
      "bash", ["-c", "trap : INT; \(line)"], terminal: true)
    try child.waitForOutput("lull: password of ann: ")
    child.type("\u{3}")
    let ending = try child.wait()
    #expect(ending.output.contains("ended 130"))
    #expect(ending.output.contains(" echo "))
  }

  @Test func `CMD-10 where nothing is answered nothing is sent`() throws {
    let child = try Child(
      Binaries.lull, ["get", "http://127.0.0.1:1", "-a", "ann"], terminal: true)
    try child.waitForOutput("lull: password of ann: ")
    child.type(Child.controlD)
    let ending = try child.wait()
    #expect(ending.output.contains("lull: the password of ann was not given: nothing is sent"))
    #expect(ending.code == 2)
  }

  @Test func `CMD-10 without a terminal it is refused, unless nothing is sent`() throws {
    let words = ["-w", Binaries.lull, "get", "http://127.0.0.1:1", "-a", "ann"]
    let refused = try Child("setsid", words).wait()
    #expect(
      refused.errors
        == "lull: cannot ask for the password of ann without a terminal: give -a "
        + "USER[:PASSWORD], or use -A netrc to read ~/.netrc\n")
    #expect(refused.code == 2)
    #expect(try Child("setsid", words + ["--curl"]).wait().output.contains("--user 'ann:***'"))
  }

  @Test func `CMD-08 what an API's file says of who asks is replaced`() throws {
    let server = try HeldServer([[HeldServer.head("200 OK", "Content-Length: 0")]])
    defer { server.stop() }
    let folder = try TemporaryFolder()
    try folder.write(
      "apis/shop.lua",
      """
      local lull = require("lull")
      return { service = lull.service{ base_url = "\(server.url)", headers = { Authorization = "old" } },
        calls = { things = { path = "/things" } } }
      """)
    for words in [["get", "shop", "/x"], ["call", "shop", "things"]] {
      let ending = try Child(
        Binaries.lull, words + ["-a", "ann:pw"], folder: folder.path
      ).wait()
      #expect(ending.code == 0, "\(ending.errors)")
    }
    for request in server.requests {
      #expect(request.contains("uthorization: Basic YW5uOnB3\r\n"))
      #expect(!request.contains("old"))
    }
    #expect(server.requests.count == 2)
  }

  // MARK: By which way

  @Test func `CMD-11 certificates, sockets and versions are those of the command line`() throws {
    let nginx = try Nginx()
    let authority = nginx.file("ca.pem")
    #expect(try lull("get", nginx.url).code == 6)
    #expect(try lull("get", nginx.url, "--ca-file", authority).output == "HTTP/2.0 NONE ")
    #expect(
      try lull("get", nginx.url, "--ca-file", authority, "--http", "1.1").output
        == "HTTP/1.1 NONE ")
    #expect(
      try lull(
        "get", nginx.url, "--ca-file", authority, "--cert", nginx.file("client.pem"), "--key",
        nginx.file("client.key")
      ).output == "HTTP/2.0 SUCCESS CN=client")
    #expect(
      try lull("get", "http://a.example/x", "--unix-socket", nginx.socket).output
        == "socket a.example")
    // A socket is one question by whatever path it is named.
    let folder = try TemporaryFolder()
    #expect(try shell("ln -s '\(nginx.socket)' s", folder: folder.path).code == 0)
    for (path, code) in [("s", 0), (nginx.socket, 7)] as [(String, Int32)] {
      let ending = try lull(
        "changed", "http://a.example/x", "--unix-socket", path,
        environment: ["XDG_STATE_HOME": folder.path], folder: folder.path)
      #expect(ending.code == code, "\(ending)")
    }
    #expect(
      try lull("get", "http://a.example/x", "--unix-socket", nginx.file("none")).code == 6)
  }

  @Test func `CMD-11 a proxy is asked, or none`() throws {
    let proxy = try HeldServer([[HeldServer.head("200 OK", "Content-Length: 0")]])
    defer { proxy.stop() }
    #expect(try lull("get", "http://a.invalid/x", "--proxy", proxy.url).code == 0)
    #expect(proxy.requests.first?.hasPrefix("GET http://a.invalid/x HTTP/1.1\r\n") == true)
    let environment = ["http_proxy": proxy.url]
    let server = try HeldServer([[HeldServer.head("200 OK", "Content-Length: 0")]])
    defer { server.stop() }
    #expect(try lull("get", server.url, "--proxy", "none", environment: environment).code == 0)
    #expect(proxy.requests.count == 1)
    #expect(server.requests.count == 1)
  }

  @Test func `CMD-12 redirects are followed, so far, or answers`() throws {
    let api = try SampleAPI()
    let url = "\(api.url)/redirect/3"
    #expect(try lull("get", url, "--follow", "-f", "x.path").output == "\"/echo\"\n")
    #expect(try lull("get", url, "-f", "x.path").output == "\"/echo\"\n")
    #expect(
      try lull("get", url, "--no-follow").output == "{\"location\":\"/redirect/2\"}\n")
    #expect(try lull("get", url, "--max-redirects", "3").code == 0)
    let refused = try lull("get", url, "--max-redirects", "2")
    #expect(refused.errors.contains("redirected more than 2 times"))
    #expect(refused.code == 6)
  }

  @Test func `CMD-12 no limit of time is one too`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.lua", "return require('lull').service{ base_url = 'http://a.example', timeout = 5 }")
    let words = ["get", "a.lua", "/x", "--curl"]
    let five = try Child(Binaries.lull, words, folder: folder.path).wait()
    #expect(five.output.contains("--max-time 5"))
    let none = try Child(Binaries.lull, words + ["--timeout", "0"], folder: folder.path).wait()
    #expect(!none.output.contains("--max-time"))
    let api = try SampleAPI()
    #expect(try lull("get", "\(api.url)/users/1", "--timeout", "0").code == 0)
  }

  // MARK: Mistakes

  @Test(arguments: [
    (["-a", ""], "-a needs USER[:PASSWORD], got an empty value"),
    (["-a", "a:b\nc"], "the value of -a must not contain line breaks or zero bytes"),
    (["-A", "digest"], "-A digest needs -a USER[:PASSWORD]"),
    (["-A", "basic"], "-A basic needs -a USER[:PASSWORD]"),
    (["-A", "netrc", "-a", "a:b"], "-A netrc reads the password from the netrc file"),
    (["-A", "digets"], "(did you mean 'digest'?)"),
    (["-a", "x:y", "Authorization:z"], "-a cannot be combined with a header Authorization"),
    (["-a", "x:y", "-H", "authorization: z"], "-a cannot be combined with a header Authorization"),
    (["-a", "x:y", "-a", "z:y"], "'--auth' is given twice"),
    (["--cert", "nope"], "--cert: cannot read 'nope': No such file or directory"),
    (["--ca-file", "/tmp"], "--ca-file: cannot read '/tmp': is a directory"),
    (["--ca-file", ""], "--ca-file needs the name of a file"),
    (["--key", "/etc/passwd"], "--key needs --cert FILE"),
    (["--proxy", "nope"], "--proxy needs none, or a URL such as http://host:3128"),
    (["--proxy", "http:http://u:hunter2@x:1"], "--proxy needs none, or a URL"),
    (["--unix-socket", ""], "--unix-socket needs a path of 1 to 107 bytes, got ''"),
    (
      ["--unix-socket", "/x", "--proxy", "http://u:hunter2@x:1"],
      "--unix-socket cannot be combined with --proxy\n"
    ),
    (
      ["--no-follow", "--max-redirects", "3"], "--max-redirects cannot be combined with --no-follow"
    ),
    (["--max-redirects", "101"], "--max-redirects needs a whole number from 0 to 100, got '101'"),
    (["--max-redirects", "x"], "'--max-redirects' must be a whole number, got 'x'"),
    (["--http", "4"], "'--http' must be 1.1, 2 or 3, got '4'"),
    (["--timeout", "-1"], "--timeout needs a number of seconds, or 0 for none, got '-1'"),
    (["-X", "PUT"], "there is no option '-X': write the method first: lull PUT URL"),
    (["-XPUT"], "there is no option '-X': write the method first"),
    (["-u", "a:b"], "there is no option '-u': use -a USER[:PASSWORD]"),
    (["-k"], "there is no option '-k': use --insecure"),
    (["--verify=no"], "there is no option '--verify': use --insecure"),
    (["-L"], "there is no option '-L': redirects are followed by default"),
    (["-s"], "there is no option '-s': only data goes to standard output"),
    (["--print=hb"], "there is no option '--print': use -i for the headers"),
  ])
  func `CMD-13 what cannot be meant is refused, and habits are told what it is called here`(
    words: [String], problem: String
  ) throws {
    let ending = try Child(Binaries.lull, ["get", "http://127.0.0.1:1"] + words).wait()
    #expect(ending.errors.contains(problem))
    #expect(!ending.errors.contains("hunter2"))
    #expect(ending.output == "")
    #expect(ending.code == 2)
  }
}
