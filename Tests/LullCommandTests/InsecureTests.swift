import Testing

@Suite("--insecure", .timeLimit(.minutes(20)))
struct InsecureTests {
  @Test func `is warned of once`() throws {
    let folder = try TemporaryFolder()
    let made = try shell(
      """
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 \
        -subj /CN=localhost -keyout key.pem -out cert.pem
      """, folder: folder.path)
    #expect(made.code == 0, "\(made.errors)")
    let server = try Child(
      "openssl", ["s_server", "-accept", "0", "-key", "key.pem", "-cert", "cert.pem", "-www"],
      folder: folder.path, input: .held)
    defer { server.send(15) }
    try server.waitForOutput("ACCEPT ")
    let start = server.outputText.split(separator: "ACCEPT ").first.map(\.utf8.count) ?? 0
    try server.waitForOutput("\n", after: start)
    let line = server.outputText.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") } ?? ""
    let port = line.split(separator: ":").last ?? ""
    let url = "https://127.0.0.1:\(port)/"
    let refused = try lull("get", url)
    #expect(refused.code == 6)
    #expect(refused.output == "")
    let ending = try lull("get", url, "--insecure")
    #expect(ending.code == 0)
    #expect(ending.output.contains("s_server"))
    #expect(
      ending.errors
        == "lull: warning: the certificate of 127.0.0.1:\(port) is not "
        + "verified (insecure)\n")
  }
}
