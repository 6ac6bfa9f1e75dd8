import LullCore
import LullLibC
import Testing

/// The command that checks an installation.
@Suite("lull doctor", .timeLimit(.minutes(20)))
struct DoctorTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The findings of a check, and the exit code.
  private func findings(
    _ check: String? = nil, _ words: [String] = [], environment: [String: String] = [:]
  ) throws -> (found: [JSONElement], ending: Child.Ending) {
    let ending = try folder.runLull(["doctor", "-o", "json"] + words, environment: environment)
    let root = try JSONDocument(parsing: Array(ending.output.utf8)).root
    let found = root.elements.filter { check == nil || $0["check"]?.string == check }
    return (found, ending)
  }

  private func states(_ found: [JSONElement]) -> [String] {
    found.compactMap { $0["state"]?.string }
  }

  private func makeState(_ name: String, _ text: String, mode: mode_t) throws {
    for part in ["state", "state/lull", "state/lull/tokens", "state/lull/sessions"] {
      mkdir(folder.path + "/" + part, 0o700)
    }
    try folder.write("state/lull/" + name, text)
    chmod("\(folder.path)/state/lull/\(name)", mode)
  }

  @Test func `DOC-01 an empty installation has no problem`() throws {
    let (found, ending) = try findings()
    #expect(ending.code == 0 && ending.errors == "", "\(ending.output)")
    #expect(!states(found).contains("problem"))
    let libraries = found.filter { $0["check"]?.string == "library" }
    let names = Set(libraries.compactMap { $0["name"]?.string })
    #expect(
      names.isSuperset(of: [
        "lull", "Lua", "libuv", "simdjson", "libcurl", "OpenSSL", "SQLite", "hiredis", "PCRE2",
        "libyaml", "zlib", "brotli", "zstd",
      ]), "\(names)")
    let curl = try #require(libraries.first { $0["name"]?.string == "libcurl" })
    #expect(curl["version"]?.string?.first?.isNumber == true)
    let text = try folder.runLull(["doctor"])
    #expect(text.code == 0)
    for line in text.output.split(separator: "\n") {
      #expect(["ok ", "warn"].contains { line.hasPrefix($0) }, "\(line)")
    }
  }

  @Test func `DOC-02 files that others may read are problems`() throws {
    try makeState("tokens/shop.json", #"{"access_token":"hunter2"}"#, mode: 0o644)
    try makeState("trust.json", #"{"files":{}}"#, mode: 0o600)
    let (found, ending) = try findings("state")
    let path = folder.path + "/state/lull/tokens/shop.json"
    let problem = try #require(found.first { $0["name"]?.string == path }, "\(ending.output)")
    #expect(problem["state"]?.string == "problem" && problem["mode"]?.string == "644")
    #expect(problem["fix"]?.string?.hasPrefix("chmod 600") == true)
    #expect(ending.code == 1 && !ending.output.contains("hunter2"))
    chmod(path, 0o600)
    #expect(try findings("state").ending.code == 0)
    chmod(folder.path + "/state/lull/tokens", 0o777)
    #expect(try findings("state").ending.code == 1)
    chmod(folder.path + "/state/lull/tokens", 0o700)
  }

  @Test func `DOC-03 an expired token without a way to renew it is a problem`() throws {
    func token(_ expires: Int, _ more: String = "") -> String {
      #"{"access_token":"hunter2","lifetime":60,"expires":\#(expires)\#(more)}"#
    }
    try makeState("tokens/old.json", token(1_000_000), mode: 0o600)
    try makeState("tokens/renewed.json", token(1_000_000, #","refresh_token":"x""#), mode: 0o600)
    try makeState("tokens/good.json", token(4_000_000_000), mode: 0o600)
    try makeState(
      "tokens/named.json", #"{"token shop":{"token":"hunter2","expires":1000000}}"#, mode: 0o600)
    let (found, ending) = try findings("token")
    func state(_ name: String) -> String? {
      found.first { $0["name"]?.string == name }?["state"]?.string
    }
    #expect(state("old") == "problem" && state("renewed") == "ok" && state("good") == "ok")
    #expect(state("named token shop") == "ok", "\(ending.output)")
    #expect(ending.code == 1 && !ending.output.contains("hunter2"))
    let old = found.first { $0["name"]?.string == "old" }
    #expect(old?["expires"]?.string == "1970-01-12T13:46:40Z")
  }

  @Test func `DOC-04 trusted files that have changed or gone are warnings`() throws {
    for name in ["kept", "changed", "gone"] {
      try folder.write("apis/\(name).lua", "return lull.service('https://\(name).example')")
    }
    #expect(try folder.runLull(["trust"]).code == 0)
    try folder.write("apis/changed.lua", "return lull.service('https://b.example')")
    unlink(folder.path + "/apis/gone.lua")
    let (found, ending) = try findings("trust")
    #expect(states(found) == ["warning", "warning", "ok"], "\(ending.output)")
    #expect(found[0]["fix"]?.string?.hasPrefix("lull trust /") == true)
    #expect(found[1]["fix"]?.string?.hasPrefix("lull trust --remove /") == true)
    #expect(ending.code == 0)
  }

  @Test func `DOC-05 the certificates are counted, and a wrong file is a problem`() throws {
    let (found, _) = try findings("certificates")
    #expect(
      found.contains { ($0["certificates"]?.int ?? 0) > 0 || $0["state"]?.string == "problem" })
    let wrong: [(String?, String)] = [(nil, "cannot be read"), ("nothing", "no certificate")]
    for (text, words) in wrong {
      if let text { try folder.write("ca.pem", text) }
      let (found, ending) = try findings(
        "certificates", environment: ["SSL_CERT_FILE": folder.path + "/ca.pem"])
      #expect(found.first?["state"]?.string == "problem", "\(ending.output)")
      #expect(found.first?["message"]?.string?.contains(words) == true, "\(ending.output)")
      #expect(found.first?["fix"]?.string?.contains("SSL_CERT_FILE") == true)
      #expect(ending.code == 1)
    }
    try folder.write("ca.pem", DoctorTests.expired)
    let old = try findings("certificates", environment: ["CURL_CA_BUNDLE": folder.path + "/ca.pem"])
    #expect(old.found.first?["state"]?.string == "problem", "\(old.ending.output)")
    #expect(old.found.first?["message"]?.string?.contains("expired") == true)
    let made = try shell(
      "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=a -days 30 -keyout key.pem -out new.pem",
      folder: folder.path)
    try #require(made.code == 0, "\(made.errors)")
    try folder.write("ca.pem", DoctorTests.expired + (folder.text("new.pem") ?? ""))
    let both = try findings(
      "certificates", environment: ["SSL_CERT_FILE": folder.path + "/ca.pem"])
    #expect(both.found.first?["certificates"]?.int == 2 && both.found.first?["expired"]?.int == 1)
    #expect(states(both.found) == ["warning"] && both.ending.code == 0, "\(both.ending.output)")
  }

  /// Valid in January 2020.
  private static let expired = """
    -----BEGIN CERTIFICATE-----
    MIIBAzCBq6ADAgECAgEBMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAWEwHhcNMjAw
    MTAxMDAwMDAwWhcNMjAwMjAxMDAwMDAwWjAMMQowCAYDVQQDDAFhMFkwEwYHKoZI
    zj0CAQYIKoZIzj0DAQcDQgAE1+uWoRd3cs2GRAUG+roZXxFSqaUZGEe0nXCmLeDd
    StfWX5KtTfNz7eJmD3SjMcK6zMeNJoxpTyGGhUNvRkVQEjAKBggqhkjOPQQDAgNH
    ADBEAiB4uiQzcVyMcVq8gl9dOWlp8UYq/TRw9h3DRjylz6nTSgIgEA0V165cNVnj
    9aCoeNl5iLrz34dw0fpwetMPSjQ6tgM=
    -----END CERTIFICATE-----

    """

  @Test func `DOC-06 proxies are shown without credentials`() throws {
    let (found, ending) = try findings(
      "proxy",
      environment: [
        "http_proxy": "http://ann:hunter2@proxy.example:3128", "https_proxy": "gopher://x",
        "no_proxy": "localhost",
      ])
    #expect(!ending.output.contains("hunter2") && ending.code == 1)
    #expect(states(found) == ["ok", "problem", "ok"], "\(ending.output)")
  }

  @Test func `DOC-07 the clock is checked if a URL is given`() throws {
    let server = try EchoServer { _, _ in
      .init(headers: ["Date: Wed, 01 Jan 2020 00:00:00 GMT"])
    }
    defer { server.stop() }
    let (none, _) = try findings("clock")
    #expect(none.isEmpty && server.requests.isEmpty)
    let url = "http://127.0.0.1:\(server.port)/"
    let (found, ending) = try findings("clock", [url])
    #expect(states(found) == ["problem"] && ending.code == 1, "\(ending.output)")
    #expect(found.first?["message"]?.string?.contains("ahead") == true)
    #expect(server.requests.map(\.line) == ["HEAD /"])
    let refused = try findings("connection", ["http://127.0.0.1:1/"])
    #expect(states(refused.found) == ["problem"] && refused.ending.code == 1)
    let api = try SampleAPI()
    let right = try findings("clock", [api.url + "/users/1"])
    #expect(!states(right.found).contains("problem"), "\(right.ending.output)")
  }

  @Test func `DOC-08 variables of Lull are shown, and misspelt ones are warnings`() throws {
    let (found, ending) = try findings(
      "variable",
      environment: [
        "LULL_LOGG": "hunter2", "LULL_LOG": "nonsense",
        "LULL_SHARE": "redis://ann:hunter2@a.example", "LULL_OF_MY_OWN_PASSWORD": "hunter2",
      ])
    #expect(!ending.output.contains("hunter2"), "\(ending.output)")
    #expect(states(found) == ["warning", "warning", "ok", "ok"], "\(ending.output)")
    #expect(found.dropFirst().first?["fix"]?.string == "did you mean LULL_LOG?")
  }

  @Test func `DOC-09 a problem of the command itself is wrong usage`() throws {
    let ending = try folder.runLull(["doctor", "nonsense"])
    #expect(ending.code == 2 && ending.errors.contains("is not a URL"), "\(ending.errors)")
    let json = try folder.runLull([
      "doctor", "http://127.0.0.1:1/", "-o", "json", "--errors", "json",
    ])
    let lines = try ErrorFormatTests.lines(json)
    #expect(lines.map { $0["kind"]?.string } == ["doctor_problem"], "\(json.errors)")
  }
}
