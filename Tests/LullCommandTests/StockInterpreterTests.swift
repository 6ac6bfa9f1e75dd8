import LullLibC
import Testing

@Suite(
  "In a stock interpreter",
  .enabled(
    if: Binaries.canLoadModule,
    "needs lua5.4 and lull.so: run Scripts/lull once, or name the file in LULL_TEST_MODULE"),
  .timeLimit(.minutes(20)))
struct StockInterpreterTests {
  @Test func `runs the same script`() throws {
    let code = """
      local lull = require 'lull'
      local api = lull.service(lull.demo())
      print(lull.version, api:resource('/users/1'):load():await().content.id)
      """
    let stock = try startStock(code).wait()
    #expect(stock.output == (try lull("-e", code).output))
    #expect(stock.errors == "")
    #expect(stock.code == 0)
  }

  /// Each of them blocks the main chunk.
  @Test(arguments: [
    "api:resource('/slow'):with_param('seconds', '30'):load():await()", "lull.sleep(30)",
    "lull.spawn(lull.sleep, 30):await()", "lull.spawn(lull.sleep, 30) lull.run()",
  ])
  func `raises in a blocking wait`(code: String) throws {
    let child = try startStock(
      """
      local lull = require 'lull'
      local api = lull.service(lull.demo())
      lull.spawn(function() lull.sleep(0.1) print('ready') io.flush() end)
      print(pcall(function() \(code) end))
      print('goes on', api:resource('/users/1'):load():await().http_status)
      """)
    try child.waitForOutput("ready\n")
    usleep(50_000)
    child.send(SIGINT)
    let ending = try child.wait()
    #expect(ending.output.hasPrefix("ready\nfalse\t"))
    #expect(ending.output.contains("interrupted!\n"))
    #expect(ending.output.hasSuffix("goes on\t200\n"))
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }

  /// A request that nobody can complete ends the wait for it; cancelled later, it still tells what
  /// waited.
  @Test func `keeps nothing of a wait that was given up`() throws {
    let ending = try startStock(
      """
      local lull = require 'lull'
      local function handles()
        for _ = 1, 3 do collectgarbage() lull.run() end
        return lull.stats().handles
      end
      local before = handles()
      do
        local request = lull.custom_request{ start = function() end }:start()
        lull.spawn(function() lull.sleep(0.005) collectgarbage() collectgarbage() end)
        print((pcall(request.await, request)))
        request:cancel()
        lull.run()
      end
      print(handles() - before)
      """
    ).wait()
    #expect(ending.output == "false\n0\n")
    #expect(ending.errors == "")
  }

  @Test func `cancels what is in flight`() throws {
    let child = try startStock(
      """
      local lull = require 'lull'
      local api = lull.service(lull.demo())
      local request = api:resource('/slow'):with_param('seconds', '30'):load()
      request:on_failure(function(err) print(err.cause.kind) end)
      lull.spawn(function() lull.sleep(0.1) print('ready') io.flush() end)
      print(pcall(request.await, request))
      """)
    try child.waitForOutput("ready\n")
    child.send(SIGINT)
    let ending = try child.wait()
    #expect(ending.output.contains("request_cancelled\n"))
    #expect(ending.output.contains("interrupted!\n"))
    #expect(ending.code == 0)
  }

  @Test func `ends a script that does not catch it`() throws {
    let child = try startStock(
      "local lull = require 'lull' print('ready') io.flush() lull.sleep(30) print('after')")
    try child.waitForOutput("ready\n")
    usleep(50_000)
    child.send(SIGINT)
    let ending = try child.wait()
    #expect(ending.output == "ready\n")
    #expect(ending.errors.contains("lua5.4: "))
    #expect(ending.errors.contains("interrupted!"))
    #expect(ending.code == 1)
  }

  /// The interpreter's handler raises once and leaves the next signal to the system, which ours
  /// never does.
  @Test func `puts the old handler back`() throws {
    let child = try startStock(
      """
      io.stdout:setvbuf('no')
      local lull = require 'lull'
      lull.spawn(function() lull.sleep(0.1) print('waiting') end)
      print(pcall(lull.sleep, 30))
      print(pcall(function() print('busy') while true do end end))
      print('busy again')
      while true do end
      """)
    for step in ["waiting\n", "busy\n", "busy again\n"] {
      try child.waitForOutput(step)
      child.send(SIGINT)
    }
    let ending = try child.wait()
    #expect(ending.signal == SIGINT)
  }

  @Test func `puts the old handler back after a wait without a signal`() throws {
    let child = try startStock(
      """
      local lull = require 'lull'
      lull.sleep(0.01)
      pcall(function() print('busy') io.flush() while true do end end)
      print('busy again') io.flush()
      while true do end
      """)
    for step in ["busy\n", "busy again\n"] {
      try child.waitForOutput(step)
      child.send(SIGINT)
    }
    #expect(try child.wait().signal == SIGINT)
  }

  @Test func `leaves termination to the interpreter`() throws {
    let child = try startStock(
      "local lull = require 'lull' print('ready') io.flush() lull.sleep(30)")
    try child.waitForOutput("ready\n")
    usleep(50_000)
    child.send(SIGTERM)
    #expect(try child.wait().signal == SIGTERM)
  }

  @Test(arguments: [(1, "1 request "), (3, "3 requests ")])
  func `LUA-150 says how many requests a script leaves, and fails`(
    count: Int, says: String
  ) throws {
    let ending = try startStock(
      """
      local lull = require 'lull'
      local api = lull.service(lull.demo())
      for i = 1, \(count) do api:resource('/slow/'):relative('/slow?seconds=30&i=' .. i):load() end
      """
    ).wait()
    #expect(ending.errors.split(separator: "\n").count == 1)
    #expect(ending.errors.contains(says))
    #expect(ending.errors.contains("lull.run()"))
    #expect(ending.code == 1)
  }

  @Test func `says nothing if the script waits`() throws {
    let ending = try startStock(
      """
      local lull = require 'lull'
      local api = lull.service(lull.demo())
      api:resource('/users/1'):load():on_success(function() print('loaded') end)
      lull.run()
      """
    ).wait()
    #expect(ending.output == "loaded\n")
    #expect(ending.errors == "")
  }

  @Test func `leaves no sample API behind`() throws {
    let child = try startStock(
      "local lull = require 'lull' print(lull.demo()) io.flush() lull.sleep(30)")
    try child.waitForOutput("\n")
    let port = Port(ofURL: child.outputText)
    #expect(port.isOpen)
    child.send(SIGKILL)
    _ = try child.wait()
    #expect(port.isClosed(within: 5))
  }

  @Test func `says what is wrong with the log variable`() throws {
    let ending = try Child(
      "lua5.4", ["-e", "require 'lull'"],
      environment: ["LUA_CPATH": Binaries.modulePattern, "LULL_LOG": "netwrok"]
    ).wait()
    #expect(
      ending.errors
        == "lull: LULL_LOG: unknown log category 'netwrok' (did you mean 'network'?)\n")
  }
}
