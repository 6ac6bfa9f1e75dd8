import LullLibC
import Testing

@Suite("Ctrl-C and SIGTERM", .timeLimit(.minutes(20)))
struct InterruptionTests {
  static let signals: [(Int32, Int32)] = [(SIGINT, 130), (SIGTERM, 143)]

  @Test(arguments: signals)
  func `ends a sleeping script`(signal: Int32, code: Int32) throws {
    let child = try Self.start("io.write('ready\\n') lull.sleep(30) print('after')")
    child.send(signal)
    try Self.expectQuiet(child.wait(), code)
  }

  @Test(arguments: signals)
  func `ends a task that sleeps`(signal: Int32, code: Int32) throws {
    let child = try Self.start(
      "lull.spawn(function() io.write('ready\\n') lull.sleep(30) print('after') end)")
    child.send(signal)
    try Self.expectQuiet(child.wait(), code)
  }

  /// Whatever a script waits in, nothing after the wait runs and `pcall` does not see it.
  @Test(arguments: [
    "pcall(lull.sleep, 30)",
    "lull.run()",
    "pcall(task.await, task)",
  ])
  func `ends every kind of wait`(code: String) throws {
    let child = try Self.start(
      """
      local task = lull.spawn(function() lull.sleep(30) end)
      io.write('ready\\n')
      \(code)
      print('after')
      """)
    child.send(SIGINT)
    try Self.expectQuiet(child.wait(), 130)
  }

  @Test(arguments: signals)
  func `cancels a request whose hooks hear of it`(signal: Int32, code: Int32) throws {
    let child = try Self.start(
      """
      local api = lull.service(lull.demo())
      local request = api:resource('/slow'):with_param('seconds', '30'):load()
      request:on_failure(function(err) print(err.cause.kind) end)
      lull.spawn(function() lull.sleep(0.1) io.write('ready\\n') end)
      request:await()
      print('after')
      """)
    child.send(signal)
    let ending = try child.wait()
    #expect(ending.output == "ready\nrequest_cancelled\n")
    #expect(ending.errors == "")
    #expect(ending.code == code)
  }

  @Test func `closes variables`() throws {
    let child = try Self.start(
      """
      local x <close> = setmetatable({}, { __close = function() print('closed') end })
      io.write('ready\\n')
      lull.sleep(30)
      """)
    child.send(SIGINT)
    let ending = try child.wait()
    #expect(ending.output == "ready\nclosed\n")
    #expect(ending.code == 130)
  }

  @Test(arguments: signals)
  func `EXIT-06 ends a busy main chunk`(signal: Int32, code: Int32) throws {
    let child = try Self.start("io.write('ready\\n') while true do end")
    child.send(signal)
    try Self.expectQuiet(child.wait(), code)
  }

  @Test(arguments: [
    "for i = 1, math.huge do end",
    "local function f() return f() end f()",
    "table.sort({ 1, 2 }, function() while true do end end)",
    "lull.spawn(function() while true do end end)",
    "lull.spawn(function() lull.sleep(0) while true do end end)",
    "while true do lull.sleep(0) end",
    "while true do lull.json.decode('[]') end",
    "local api = lull.service('http://a.invalid') while true do api:resource('/x') end",
  ])
  func `ends every kind of busy code`(code: String) throws {
    let child = try Self.start("io.write('ready\\n') \(code)")
    child.send(SIGINT)
    try Self.expectQuiet(child.wait(), 130)
  }

  /// In a callback that may wait, and in those that must answer at once.
  @Test(arguments: [
    "r:observe(busy)",
    "r:load():on_success(busy)",
    "r:load():on_completion(function() pcall(busy) end)",
    "api:transform('/**', busy) r:load()",
    "api:configure('/**', busy) r:load()",
    "api:configure{ mutate_requests = busy } r:load()",
  ])
  func `ends a busy callback`(code: String) throws {
    let child = try Self.start(
      """
      local function busy() io.write('ready\\n') while true do end end
      local api = lull.service(lull.demo())
      local r = api:resource('/users/1')
      \(code)
      lull.sleep(30)
      """)
    child.send(SIGINT)
    try Self.expectQuiet(child.wait(), 130)
  }

  @Test func `ends a busy error handler`() throws {
    let child = try Self.start(
      """
      lull.on_error(function() io.write('ready\\n') while true do end end)
      lull.service('http://a.invalid'):resource('/x'):observe(function() error('x') end)
      lull.sleep(30)
      print('after')
      """)
    child.send(SIGINT)
    let ending = try child.wait()
    #expect(!ending.output.contains("after"))
    // The error that was not handled may be reported, the interruption is none.
    #expect(!ending.errors.contains("interrupted!"))
    #expect(ending.code == 130)
  }

  /// `pcall` sees an interruption of code that does not wait, but the run ends all the same.
  @Test func `ends though the script catches it`() throws {
    let child = try Self.start(
      """
      io.write('ready\\n')
      print(pcall(function() while true do end end))
      lull.sleep(30)
      print('after')
      """)
    child.send(SIGINT)
    let ending = try child.wait()
    #expect(!ending.output.contains("after"))
    #expect(ending.errors == "")
    #expect(ending.code == 130)
  }

  @Test(arguments: signals)
  func `ends at once the second time`(signal: Int32, code: Int32) throws {
    let child = try Self.start(
      """
      local api = lull.service(lull.demo())
      local request = api:resource('/slow'):with_param('seconds', '30'):load()
      request:on_failure(function() io.write('cleaning up\\n') while true do end end)
      lull.spawn(function() lull.sleep(0.1) io.write('ready\\n') end)
      lull.sleep(30)
      """)
    child.send(signal)
    try child.waitForOutput("cleaning up\n")
    child.send(signal)
    let ending = try child.wait()
    #expect(ending.errors == "")
    #expect(ending.code == code)
  }

  /// The hook stays set until the coroutine is gone, so no loop around `pcall` outlives it; nor does
  /// a handler, of errors or of variables, or what runs the coroutine.
  @Test(arguments: [
    "while true do pcall(busy) end",
    "while true do xpcall(busy, busy) end",
    "xpcall(error, busy)",
    "while true do pcall(coroutine.wrap(busy)) end",
    "while true do coroutine.resume(coroutine.create(busy)) end",
    "while true do table.sort({ 1, 2 }, function() pcall(busy) end) end",
    "lull.spawn(function() while true do pcall(busy) end end) lull.sleep(30)",
    """
    local r = lull.service('http://a.invalid'):resource('/x')
    r:observe(function() pcall(busy) end)
    while true do r:override_local_content('x') end
    """,
    """
    local x <close> = setmetatable({}, { __close = function() pcall(busy) end })
    table.sort({ 1, 2 }, busy)
    """,
  ])
  func `ends though the script catches everything`(code: String) throws {
    let child = try Self.start(
      "local function busy() while true do end end io.write('ready\\n') \(code)")
    child.send(SIGINT)
    let ending = try child.wait()
    #expect(ending.output == "ready\n")
    #expect(ending.code == 130)
  }

  /// What no hook reaches ends with the process, a second later.
  @Test(arguments: signals)
  func `ends what cannot be interrupted`(signal: Int32, code: Int32) throws {
    for work in [
      "local text = ('a'):rep(40) text:find(('.-'):rep(40) .. 'b')",
      "setmetatable({}, { __gc = function() while true do end end }) collectgarbage()",
    ] {
      let child = try Self.start("io.write('ready\\n') \(work)")
      child.send(signal)
      let ending = try child.wait()
      #expect(ending.output == "ready\n")
      #expect(ending.errors == "lull: interrupted, but the script did not end\n")
      #expect(ending.code == code)
    }
  }

  @Test func `ends while it reads the script from a terminal`() throws {
    let child = try Child(Binaries.lull, ["-"], input: .held)
    usleep(200_000)
    child.send(SIGINT)
    #expect(try child.wait().code == 130)
  }

  @Test func `ends while the script reads`() throws {
    let child = try Child(
      Binaries.lull, ["-e", "io.write('ready\\n') io.flush() io.read() print('after')"],
      input: .held)
    try child.waitForOutput("ready\n")
    child.send(SIGINT)
    try Self.expectQuiet(child.wait(), 130)
  }

  @Test func `leaves no sample API behind`() throws {
    let child = try Self.start("print(lull.demo()) io.write('ready\\n') lull.sleep(30)")
    let url = child.outputText.prefix { $0 != "\n" }
    #expect(Port(ofURL: url).isOpen)
    child.send(SIGTERM)
    _ = try child.wait()
    #expect(!Port(ofURL: url).isOpen)
  }

  /// Starts code that writes `ready`, and waits for that.
  static func start(_ code: String) throws -> Child {
    let child = try Child(
      Binaries.lull, ["-e", "io.stdout:setvbuf('no')\n" + code], input: .held)
    try child.waitForOutput("ready\n")
    // The signal shall find the script behind that line.
    usleep(50_000)
    return child
  }

  static func expectQuiet(
    _ ending: Child.Ending, _ code: Int32, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(!ending.output.contains("after"), sourceLocation: sourceLocation)
    #expect(ending.errors == "", sourceLocation: sourceLocation)
    #expect(ending.code == code, sourceLocation: sourceLocation)
  }
}
