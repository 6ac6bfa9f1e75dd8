import Testing

/// With real keys at a real terminal: the signal goes to everything that runs there.
@Suite("Ctrl-C at a terminal", .timeLimit(.minutes(20)))
struct TerminalTests {
  private static let controlC = "\u{3}"

  @Test func `ends a sleeping script`() throws {
    let child = try Self.start("print('ready') lull.sleep(30) print('after')")
    child.type(Self.controlC)
    let ending = try child.wait()
    #expect(ending.output == "ready\r\n^C")
    #expect(ending.code == 130)
  }

  @Test func `ends a busy script`() throws {
    let child = try Self.start("print('ready') while true do end")
    child.type(Self.controlC)
    let ending = try child.wait()
    #expect(ending.output == "ready\r\n^C")
    #expect(ending.code == 130)
  }

  /// The sample API is in a group of its own, so that its answers are there until the end.
  @Test func `cancels a request to the sample API of the script`() throws {
    let child = try Self.start(
      """
      local api = lull.service(lull.demo())
      local request = api:resource('/slow'):with_param('seconds', '30'):load()
      request:on_failure(function(err) print(err.cause.kind) end)
      lull.spawn(function() lull.sleep(0.1) print('ready') end)
      request:await()
      print('after')
      """)
    child.type(Self.controlC)
    let ending = try child.wait()
    #expect(ending.output == "ready\r\n^Crequest_cancelled\r\n")
    #expect(ending.code == 130)
  }

  @Test func `ends at once the second time`() throws {
    let child = try Self.start(
      """
      local api = lull.service(lull.demo())
      api:resource('/slow'):with_param('seconds', '30'):load()
        :on_failure(function() print('cleaning up') while true do end end)
      lull.spawn(function() lull.sleep(0.1) print('ready') end)
      """)
    child.type(Self.controlC)
    try child.waitForOutput("cleaning up\r\n")
    child.type(Self.controlC)
    let ending = try child.wait()
    #expect(ending.output.hasSuffix("cleaning up\r\n^C"))
    #expect(ending.code == 130)
  }

  @Test func `ends the sample API`() throws {
    let child = try Child(Binaries.lull, ["demo"], terminal: true)
    try child.waitForOutput("http://127.0.0.1:")
    child.type(Self.controlC)
    let ending = try child.wait()
    #expect(!ending.output.contains("rror"))
  }

  @Test func `reads a script typed at the terminal`() throws {
    let child = try Child(Binaries.lull, ["-"], terminal: true)
    child.type("print('typed')\n\u{4}")
    let ending = try child.wait()
    #expect(ending.output.hasSuffix("typed\r\n"))
    #expect(ending.code == 0)
  }

  private static func start(_ code: String) throws -> Child {
    let child = try Child(Binaries.lull, ["-e", code], terminal: true)
    try child.waitForOutput("ready\r\n")
    return child
  }
}
